// SPDX-License-Identifier: GPL-3.0-or-later
#include "folding_proxy.h"
#include "frozen_header.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QActionGroup>
#include <QHeaderView>
#include <QMenu>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

FrozenHeader& headOf(const QTableView& view) {
    return *static_cast<FrozenHeader*>(view.horizontalHeader());
}

} // namespace

/// A click sorts by one column alone, and must be heard before the view sorts its rows.
void DataTable::followSorting() {
    connect(view_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this] {
        sortFurtherBy({});
        tellSorting();
    });
    headOf(*view_).onShiftClick([this](int column) {
        if (view_->isSortingEnabled())
            sortAlsoBy(column);
    });
    tellSorting();
}

QString DataTable::nameOf(int column) const {
    return model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().simplified();
}

std::vector<SortKey> DataTable::sortKeys() const {
    const auto* header = view_->horizontalHeader();
    const int first = header->sortIndicatorSection(); // stays where there are fewer columns now
    if (!view_->isSortingEnabled() || first < 0 || first >= model_->columnCount())
        return {};
    std::vector<SortKey> keys{{first, header->sortIndicatorOrder()}};
    keys.insert(keys.end(), proxy_->further().begin(), proxy_->further().end());
    return keys;
}

void DataTable::sortBy(std::vector<SortKey> keys) {
    std::erase_if(
        keys, [this](const SortKey& key) { return key.column < 0 || key.column >= model_->columnCount(); });
    view_->sortByColumn(keys.empty() ? -1 : keys.front().column,
                        keys.empty() ? Qt::DescendingOrder : keys.front().order);
    if (!keys.empty())
        keys.erase(keys.begin());
    sortFurtherBy(std::move(keys));
    tellSorting();
}

void DataTable::sortAlsoBy(int column) {
    std::vector<SortKey> keys = sortKeys();
    const auto first = static_cast<Qt::SortOrder>(
        model_->headerData(column, Qt::Horizontal, Qt::InitialSortOrderRole).toInt());
    const auto found =
        std::find_if(keys.begin(), keys.end(), [column](const SortKey& key) { return key.column == column; });
    if (found == keys.end())
        keys.push_back({column, first});
    else if (found->order == first || found == keys.begin())
        found->order = found->order == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
    else
        keys.erase(found);
    sortBy(std::move(keys));
}

void DataTable::sortFurtherBy(std::vector<SortKey> keys) {
    std::vector<std::pair<int, Qt::SortOrder>> shown;
    shown.reserve(keys.size());
    for (const SortKey& key : keys)
        shown.emplace_back(key.column, key.order);
    headOf(*view_).setFurther(std::move(shown));
    choosing_ = true; // rows change places, none is chosen
    proxy_->sortFurtherBy(std::move(keys));
    choosing_ = false;
}

void DataTable::tellSorting() {
    QStringList by;
    for (const SortKey& key : sortKeys()) {
        const bool names = model_->headerData(key.column, Qt::Horizontal, Qt::InitialSortOrderRole).toInt() ==
                           Qt::AscendingOrder;
        const bool up = key.order == Qt::AscendingOrder;
        const QString how =
            names ? (up ? tr("from A on") : tr("from Z on")) : (up ? tr("least first") : tr("most first"));
        by << tr("%1 (%2)").arg(nameOf(key.column), how);
    }
    QString tip =
        tr("A click sorts by the column; with Shift, where rows are equal by the others, by it too");
    if (!by.isEmpty())
        tip.prepend(tr("Sorted by %1.\n").arg(by.join(tr(", then "))));
    view_->horizontalHeader()->viewport()->setToolTip(tip);
    view_->horizontalHeader()->setAccessibleDescription(tip);
}

/// By key what a click on a head does, and one with Shift.
void DataTable::addSorting(QMenu& menu) {
    if (!view_->isSortingEnabled())
        return;
    menu.addSeparator();
    const std::vector<SortKey> keys = sortKeys();
    QMenu* by = menu.addMenu(tr("Sort by"));
    QMenu* further = menu.addMenu(tr("Then by"));
    further->setEnabled(!keys.empty());
    for (int c = 0; c < model_->columnCount(); ++c) {
        if (view_->isColumnHidden(c) || nameOf(c).isEmpty())
            continue;
        const auto found =
            std::find_if(keys.begin(), keys.end(), [c](const SortKey& key) { return key.column == c; });
        const bool is_first = found != keys.end() && found == keys.begin();
        const auto add = [&](QMenu& to, bool checked) {
            QAction* action = to.addAction(nameOf(c));
            action->setCheckable(true);
            action->setChecked(checked);
            return action;
        };
        connect(add(*by, is_first), &QAction::triggered, this, [this, c] {
            const auto now = sortKeys();
            const bool turns = !now.empty() && now.front().column == c;
            const auto first = static_cast<Qt::SortOrder>(
                model_->headerData(c, Qt::Horizontal, Qt::InitialSortOrderRole).toInt());
            const auto other = now.empty() || now.front().order == Qt::AscendingOrder ? Qt::DescendingOrder
                                                                                      : Qt::AscendingOrder;
            sortBy({{c, turns ? other : first}});
        });
        if (!is_first)
            connect(add(*further, found != keys.end()), &QAction::triggered, this,
                    [this, c] { sortAlsoBy(c); });
    }
}

} // namespace tilescope::ui
