// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/data_table.h"

#include <QString>
#include <QStringList>
#include <vector>

namespace tilescope::ui {

/// What a filter field of a table asks for: all of its words must occur in a row, whatever column, case or
/// order. "-word" must not; "kind:matmul" is of the column whose head begins so, "cycles>1000000" (also <,
/// >=, <=, =) of its number, "bytes>=2MiB" and "share>5%" in the units that numbers are written in.
class RowFilter {
  public:
    /// Which column a filter means by that name: the head that is it, or else the first that begins so; case
    /// and blanks do not matter. -1: none.
    static int columnOf(const QString& name, const QStringList& heads);
    RowFilter() = default;
    RowFilter(const QString& text, const QStringList& heads);
    bool isEmpty() const { return terms_.empty(); }
    bool matches(const TableRow& row) const;

  private:
    enum class Test { Has, Less, AtMost, Equal, AtLeast, More };
    struct Term {
        QString word;
        bool has_digit = false; ///< else no figure is looked at, whose text is not kept
        bool excludes = false;
        int column = -1; ///< -1: any
        Test test = Test::Has;
        double number = 0;
    };
    static bool holds(const Term& term, const TableRow& row);

    std::vector<Term> terms_;
};

/// A number as a filter has it, which reads it as exactly that: "1204", "64KiB", "5%".
QString filterNumber(double number, Cell::Unit unit);

} // namespace tilescope::ui
