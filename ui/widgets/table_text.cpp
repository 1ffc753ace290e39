// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_text.h"

#include "base/csv_field.h"

namespace tilescope::ui {
namespace {

/// About how wide a text is, in tenths of a digit.
int breadth(const QString& text) {
    int all = 0;
    for (const QChar c : text)
        all += QStringView(u" .,:;'|iljtfr()[]").contains(c) ? 6
               : QStringView(u"%mwMW@…").contains(c) || c.unicode() >= 0x2190 // arrows, triangles
                   ? 17
                   : 10;
    return all;
}

} // namespace

QString tableLine(const QStringList& cells, QChar separator) {
    QStringList shown;
    for (const QString& cell : cells)
        shown << (separator == QLatin1Char(',') ? QString::fromStdString(csv_field(cell.toStdString()))
                                                : cell);
    return shown.join(separator) + QLatin1Char('\n');
}

bool widerText(const QString& text, const QString& than) {
    constexpr qsizetype about = 4;
    return text.size() > than.size() + about ||
           (text.size() + about >= than.size() && breadth(text) > breadth(than));
}

} // namespace tilescope::ui
