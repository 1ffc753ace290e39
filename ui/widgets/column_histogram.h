// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/distribution.h"
#include "ui/widgets/data_table.h"

#include <QDialog>
#include <functional>
#include <map>
#include <vector>

class QCheckBox;
class QComboBox;
class QPushButton;

namespace tilescope::ui {

class ClassBars;
class ThemedLabel;

/// What rows of a table have in one of its columns.
struct ColumnAmounts {
    QString rows;  ///< "312 rows", of which some may have nothing
    Cell kind;     ///< its unit and its clock: amounts are written as a cell of that kind
    QString named; ///< as the filter knows the column; "": it cannot tell it from another
    std::vector<double> amounts;
    std::int64_t absent = 0;
};

/// How the amounts of a column are spread over the rows that a table shows: in at most twenty classes, one of
/// which leads to its rows. They are as they were when the column was chosen.
class ColumnHistogram : public QDialog {
    Q_OBJECT
  public:
    using Amounts = std::function<ColumnAmounts(int column)>;
    /// `columns`: those that have amounts, by number, with their names.
    ColumnHistogram(const QString& table, const std::map<int, QString>& columns, int column, Amounts amounts,
                    QWidget* parent);
    QString toText(QChar separator) const; ///< of the classes, exact, their unit in the head

  Q_SIGNALS:
    /// What the filter says of the rows of a class: "cycles>=1000 cycles<2000".
    void filterWanted(const QString& words);

  private:
    void showColumn();
    void showClasses();
    void filterByClass();
    Cell cell(double amount) const;
    QString textOf(const analyse::Distribution::Class& of) const;
    Amounts amounts_of_;
    ColumnAmounts column_;
    analyse::Distribution spread_;
    QComboBox* columns_;
    QCheckBox* grow_;
    ThemedLabel* facts_;
    ClassBars* bars_;
    QPushButton* only_;
};

} // namespace tilescope::ui
