// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "row_filter.h"

#include <QSortFilterProxyModel>
#include <vector>

namespace tilescope::ui {

/// Sorts and filters the rows of a table. What is folded into a row stands below it, in whichever order, once
/// that is unfolded; the filter finds it also where it is not.
class FoldingProxy : public QSortFilterProxyModel {
    Q_OBJECT
  public:
    explicit FoldingProxy(DataTableModel* rows, QObject* parent = nullptr);
    void foldingChanged() { invalidateFilter(); }
    /// The whole model is another one then: to take rows out one run after the other takes long.
    void filterBy(const QString& text);
    bool filters() const { return !filter_.isEmpty(); }
    /// What equal rows are sorted by, one after the other.
    void sortFurtherBy(std::vector<SortKey> keys);
    const std::vector<SortKey>& further() const { return further_; }

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& a, const QModelIndex& b) const override;

  private:
    const DataTableModel& rows_;
    RowFilter filter_;
    std::vector<SortKey> further_;
};

} // namespace tilescope::ui
