// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/whole_figures.h"

#include <QRegularExpression>

namespace tilescope::ui {

QString keepFiguresWhole(QString plain) {
    constexpr QChar joiner(0x2060); // invisible
    static const QRegularExpression before_unit(QStringLiteral("(?<=\\d) (?=[%A-Za-zµ])"));
    static const QRegularExpression before_second(QStringLiteral("/(?=s\\b)"));
    static const QRegularExpression within_range(QStringLiteral("(?<=\\d)–(?=\\d)"));
    static const QRegularExpression before_number(QStringLiteral("(?<=\\bIPU) (?=\\d)"));
    plain.replace(before_unit, QString(QChar::Nbsp));
    plain.replace(before_number, QString(QChar::Nbsp));
    plain.replace(before_second, QLatin1Char('/') + joiner);
    plain.replace(within_range, QStringLiteral("–") + joiner);
    return plain;
}

QString keepFiguresWholeInHtml(const QString& html) {
    QString whole;
    for (qsizetype at = 0; at < html.size();) {
        const bool tag = html[at] == QLatin1Char('<');
        qsizetype end = html.indexOf(tag ? QLatin1Char('>') : QLatin1Char('<'), at);
        end = end < 0 ? html.size() : end + (tag ? 1 : 0);
        const QString part = html.mid(at, end - at);
        whole += tag ? part : keepFiguresWhole(part);
        at = end;
    }
    return whole;
}

} // namespace tilescope::ui
