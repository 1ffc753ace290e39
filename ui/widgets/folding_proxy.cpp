// SPDX-License-Identifier: GPL-3.0-or-later
#include "folding_proxy.h"

#include <QSignalBlocker>
#include <utility>

namespace tilescope::ui {

FoldingProxy::FoldingProxy(DataTableModel* rows, QObject* parent)
    : QSortFilterProxyModel(parent), rows_(*rows) {
    setSourceModel(rows);
}

void FoldingProxy::filterBy(const QString& text) {
    QStringList heads;
    for (int c = 0; c < rows_.columnCount(); ++c)
        heads << rows_.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
    beginResetModel();
    {
        const QSignalBlocker quiet(this);
        filter_ = RowFilter(text, heads);
        invalidateFilter();
    }
    endResetModel();
}

bool FoldingProxy::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
    const auto matches = [&](int r) { return filter_.matches(rows_.rows()[static_cast<std::size_t>(r)]); };
    if (const int head = rows_.headOf(row); head >= 0)
        return filters() ? matches(row) : rows_.isUnfolded(head);
    if (!filters() || matches(row))
        return true;
    for (int below = row + 1; below < rows_.rowCount() && rows_.headOf(below) == row; ++below)
        if (matches(below))
            return true;
    return false;
}

/// Rows are compared by what they are folded into, if by that they differ, so that they stay together. Equal
/// ones keep the order in which they came, up or down.
bool FoldingProxy::lessThan(const QModelIndex& a, const QModelIndex& b) const {
    const auto outer = [&](const QModelIndex& index) {
        const int head = rows_.headOf(index.row());
        return head < 0 ? index : index.siblingAtRow(head);
    };
    const auto in_order = [&](bool comes_first) {
        return sortOrder() == Qt::AscendingOrder ? comes_first : !comes_first;
    };
    QModelIndex x = outer(a), y = outer(b);
    if (x.row() == y.row()) { // of one group, its head first
        if (x.row() == a.row() || y.row() == b.row())
            return a.row() != b.row() && in_order(x.row() == a.row());
        x = a;
        y = b;
    }
    if (QSortFilterProxyModel::lessThan(x, y))
        return true;
    if (QSortFilterProxyModel::lessThan(y, x))
        return false;
    for (const SortKey& key : further_) {
        const QModelIndex of_x = x.siblingAtColumn(key.column), of_y = y.siblingAtColumn(key.column);
        const bool up = key.order == Qt::AscendingOrder;
        if (QSortFilterProxyModel::lessThan(of_x, of_y))
            return in_order(up);
        if (QSortFilterProxyModel::lessThan(of_y, of_x))
            return in_order(!up);
    }
    return x.row() != y.row() && in_order(x.row() < y.row());
}

void FoldingProxy::sortFurtherBy(std::vector<SortKey> keys) {
    if (further_ == keys)
        return;
    further_ = std::move(keys);
    if (sortColumn() >= 0)
        invalidate();
}

} // namespace tilescope::ui
