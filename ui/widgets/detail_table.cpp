// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/detail_table.h"

#include "ui/session/format.h"

#include <QCoreApplication>

namespace tilescope::ui {

void DetailTable::row(const QString& name, const QString& value) {
    QString shown = asHtml(value);
    shown.replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    richRow(name, shown);
}

void DetailTable::richRow(const QString& name, const QString& html) {
    if (!html.isEmpty())
        rows_ += inHtml(QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>"),
                        {Html{name}, Html{html}});
}

void DetailTable::list(const QString& name, const QStringList& html, qsizetype most) {
    firstOf(name, html.mid(0, most), html.size());
}

void DetailTable::firstOf(const QString& name, const QStringList& html, qsizetype count) {
    QStringList lines = html;
    if (count > html.size())
        lines << QCoreApplication::translate("DetailTable", "and %1 more")
                     .arg(formatCount(count - html.size()));
    richRow(name, lines.join(QLatin1String("<br>")));
}

QString DetailTable::html(const QString& title) const {
    return inHtml(QStringLiteral("<h3>%1</h3><table>%2</table>"), {title, Html{rows_}});
}

} // namespace tilescope::ui
