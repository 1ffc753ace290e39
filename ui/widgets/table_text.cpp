// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_text.h"

namespace tilescope::ui {
namespace {

QString quoted(const QString& text, QChar separator) {
    if (separator == QLatin1Char(',') &&
        (text.contains(separator) || text.contains(QLatin1Char('"')) || text.contains(QLatin1Char('\n'))))
        return QLatin1Char('"') + QString(text).replace(QLatin1Char('"'), QStringLiteral("\"\"")) +
               QLatin1Char('"');
    return text;
}

} // namespace

QString tableLine(const QStringList& cells, QChar separator) {
    QStringList shown;
    for (const QString& cell : cells)
        shown << quoted(cell, separator);
    return shown.join(separator) + QLatin1Char('\n');
}

} // namespace tilescope::ui
