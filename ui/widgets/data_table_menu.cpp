// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of a table: of its heads and of a row.
#include "folding_proxy.h"
#include "frozen_table.h"
#include "ui/session/subject_link.h"
#include "ui/session/subject_menu.h"
#include "ui/session/view.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <algorithm>

namespace tilescope::ui {

/// Which columns there are, and what can be done with one.
void DataTable::showHeadMenu(const QPoint& at) {
    const int column = view_->horizontalHeader()->logicalIndexAt(at);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto name = [this](int c) {
        return model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
    };
    const auto hide = [this, name](int c, bool hidden) {
        if (c >= model_->columnCount()) // fewer have come while the menu was open
            return;
        hidden ? static_cast<void>(widths_.insert(name(c), 0)) : static_cast<void>(widths_.remove(name(c)));
        setWidths(QVariantMap(widths_));
    };
    if (column >= 0) {
        menu->addAction(tr("Most first"), this, [this, column] { sortBy({{column, Qt::DescendingOrder}}); });
        menu->addAction(tr("Least first"), this, [this, column] { sortBy({{column, Qt::AscendingOrder}}); });
        if (const auto keys = sortKeys(); !keys.empty() && keys.front().column != column)
            menu->addAction(tr("Where equal, by it too, turned, or no more"), this,
                            [this, column] { sortAlsoBy(column); });
        if (amountColumns().contains(column))
            menu->addAction(tr("Histogram of “%1”…").arg(nameOf(column)), this,
                            [this, column] { showHistogram(column); });
        if (column != 0 && chooser_ == nullptr)
            menu->addAction(tr("Hide “%1”").arg(name(column).simplified()), this,
                            [hide, column] { hide(column, true); });
        menu->addSeparator();
    }
    if (chooser_ != nullptr)
        menu->addMenu(chooser_);
    for (int c = 1; chooser_ == nullptr && c < model_->columnCount(); ++c) {
        if (off_.contains(c) || name(c).isEmpty())
            continue;
        QAction* shown = menu->addAction(name(c).simplified());
        shown->setCheckable(true);
        shown->setChecked(!isHiddenByHand(c));
        connect(shown, &QAction::toggled, this, [hide, c](bool on) { hide(c, !on); });
    }
    menu->addSeparator();
    menu->addAction(chooser_ == nullptr ? tr("Fit columns to their texts, show all")
                                        : tr("Fit columns to their texts"),
                    this, [this] { setWidths({}); });
    menu->popup(view_->horizontalHeader()->mapToGlobal(at));
}

/// Those that are selected, in the order in which they stand; else all.
QModelIndexList DataTable::rowsToCopy() const {
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    if (rows.isEmpty())
        for (int row = 0; row < proxy_->rowCount(); ++row)
            rows << proxy_->index(row, 0);
    return rows;
}

void DataTable::copyRows() const {
    const QModelIndexList rows = rowsToCopy();
    QApplication::clipboard()->setText(toText(QLatin1Char('\t'), rows));
}

void DataTable::addPlacesOfRow(QMenu& menu) {
    const QModelIndex row = view_->currentIndex();
    const QString link =
        link_of_ && row.isValid() ? link_of_(row.data(DataTableModel::KeyRole).toLongLong()) : QString();
    View* in_view = nullptr;
    for (QWidget* holder = parentWidget(); holder != nullptr && in_view == nullptr;
         holder = holder->parentWidget())
        in_view = qobject_cast<View*>(holder);
    if (link.isEmpty() || in_view == nullptr)
        return;
    addPlaces(menu, *in_view, viewsShowing(link), link);
    menu.addSeparator();
}

/// Of the row, and of its cell that the menu was asked for in: other rows may come while it is open.
void DataTable::addCopies(QMenu& menu, const QModelIndex& cell) {
    const auto add = [&menu](const QString& name, const QString& text) {
        if (!text.isEmpty())
            menu.addAction(name, [text] { QApplication::clipboard()->setText(text); });
    };
    if (!cell.isValid())
        return;
    add(tr("Copy name"), cell.siblingAtColumn(0).data().toString().simplified());
    if (cell.column() > 0)
        add(tr("Copy value"), exactText(cell.row(), cell.column()));
    menu.addAction(tr("Copy as Markdown"), this, [this] {
        const QList<QStringList> lines = exactLines(rowsToCopy());
        QApplication::clipboard()->setText(markdownTable(lines.front(), lines.mid(1)));
    });
}

void DataTable::showMenu(const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("rowMenu"));
    addPlacesOfRow(*menu);
    const QModelIndex under = view_->indexAt(at);
    addCopies(*menu, under.isValid() ? under : view_->currentIndex());
    menu->addActions(actions());
    addSorting(*menu);
    menu->popup(view_->viewport()->mapToGlobal(at)); // not exec: an answer may delete the table meanwhile
}

} // namespace tilescope::ui
