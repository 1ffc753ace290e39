// SPDX-License-Identifier: GPL-3.0-or-later
#include "change_delegate.h"

#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"

#include <QTableView>
#include <limits>
#include <utility>

namespace tilescope::ui {

ChangeDelegate::ChangeDelegate(QTableView* parent, SenseOf sense)
    : QStyledItemDelegate(parent), table_(parent), sense_(std::move(sense)) {
    setRuns(1);
}

void ChangeDelegate::setRuns(int runs) {
    runs_ = runs;
    const int group = 2 * runs_ + 1;
    for (int c = 0; c < table_->model()->columnCount(); ++c) { // the first one has names
        const int within = (c - 1) % group;
        const bool change = c > 0 && within > 0 && within % 2 == 0;
        table_->setItemDelegateForColumn(c, change ? this : nullptr);
    }
}

int ChangeDelegate::judged(const QModelIndex& change) const {
    const int group = 2 * runs_ + 1;
    const int base_column = change.column() - (change.column() - 1) % group;
    const auto number = [&](int column) {
        return change.siblingAtColumn(column).data(DataTableModel::SortRole).toDouble();
    };
    const double base = number(base_column);
    const double now = number(change.column() - 1);
    constexpr double absent = std::numeric_limits<double>::lowest();
    if (base == absent || now == absent)
        return 0;
    return analyse::judged(base, now, sense_(change.siblingAtColumn(0).data().toString()));
}

void ChangeDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const int better = judged(index);
    if (better == 0)
        return;
    const Theme& theme = Theme::current();
    option->palette.setColor(QPalette::Text, better > 0 ? theme.less() : theme.more());
}

} // namespace tilescope::ui
