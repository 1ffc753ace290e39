// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/data_table.h"

#include <QSortFilterProxyModel>

namespace tilescope::ui {

/// Sorts and filters the rows of a table. What is folded into a row stands below it, in whichever order, once
/// that is unfolded; the filter finds it also where it is not.
class FoldingProxy : public QSortFilterProxyModel {
    Q_OBJECT
  public:
    explicit FoldingProxy(DataTableModel* rows, QObject* parent = nullptr);
    void foldingChanged() { invalidateFilter(); }

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& a, const QModelIndex& b) const override;

  private:
    const DataTableModel& rows_;
};

} // namespace tilescope::ui
