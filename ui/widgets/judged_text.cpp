// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/judged_text.h"

#include "ui/session/format.h"

#include <QCoreApplication>

namespace tilescope::ui {

QString judgedText(const QString& change, int better) {
    if (better == 0)
        return change;
    const char* word =
        better > 0 ? QT_TRANSLATE_NOOP("JudgedText", "better") : QT_TRANSLATE_NOOP("JudgedText", "worse");
    return judgedText(change, QCoreApplication::translate("JudgedText", word));
}

QString judgedText(const QString& change, const QString& word) {
    const QChar minus(0x2212);
    return QStringLiteral("%1 %2 %3")
        .arg(change.startsWith(minus) ? QChar(0x25BC) : QChar(0x25B2), change, word);
}

QString judgedColor(int better) {
    return better > 0   ? QStringLiteral("@better")
           : better < 0 ? QStringLiteral("@worse")
                        : QStringLiteral("@muted");
}

QString judgedHtml(const QString& change, int better) {
    return inHtml(QStringLiteral("<span style='color:%1'>%2</span>"),
                  {judgedColor(better), judgedText(change, better)});
}

} // namespace tilescope::ui
