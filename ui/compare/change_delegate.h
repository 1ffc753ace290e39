// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/figures.h"

#include <QString>
#include <QStyledItemDelegate>
#include <functional>

class QTableView;

namespace tilescope::ui {

/// Colours the changes of a table of runs: what has become better, and what worse.
class ChangeDelegate : public QStyledItemDelegate {
  public:
    /// Of the figure in a row, by its name.
    using SenseOf = std::function<analyse::Sense(const QString& row)>;
    /// `parent`: the table, whose groups of columns have a figure of the base, and then one and its change
    /// for each of `runs`.
    ChangeDelegate(QTableView* parent, SenseOf sense);
    void setRuns(int runs); ///< as many groups as there are columns for
    /// 1 better, -1 worse, 0 neither.
    int judged(const QModelIndex& change) const;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

  private:
    QTableView* table_;
    SenseOf sense_;
    int runs_ = 1;
};

} // namespace tilescope::ui
