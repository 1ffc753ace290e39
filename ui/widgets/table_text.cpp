// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_text.h"

#include "base/csv_field.h"

namespace tilescope::ui {

QString tableLine(const QStringList& cells, QChar separator) {
    QStringList shown;
    for (const QString& cell : cells)
        shown << (separator == QLatin1Char(',') ? QString::fromStdString(csv_field(cell.toStdString()))
                                                : cell);
    return shown.join(separator) + QLatin1Char('\n');
}

} // namespace tilescope::ui
