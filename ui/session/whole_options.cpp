// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/whole_options.h"

#include <QClipboard>
#include <QGuiApplication>

namespace tilescope::ui {
namespace {

constexpr QChar joiner(0x2060);

} // namespace

QString keepOptionsWhole(QString text) {
    const QLatin1String dashes("--");
    for (qsizetype at = 0; (at = text.indexOf(dashes, at)) >= 0; at += dashes.size())
        if (at + dashes.size() < text.size() && text[at + dashes.size()].isLetter())
            text.insert(at + dashes.size(), joiner);
    return text;
}

QString withoutJoiners(QString text) {
    return text.remove(joiner);
}

void copyWithoutJoiners(QGuiApplication& application) {
    QClipboard* clipboard = QGuiApplication::clipboard();
    QObject::connect(clipboard, &QClipboard::changed, &application, [clipboard](QClipboard::Mode mode) {
        const bool own = mode == QClipboard::Clipboard   ? clipboard->ownsClipboard()
                         : mode == QClipboard::Selection ? clipboard->ownsSelection()
                                                         : false;
        if (!own) // what others copy is not even read
            return;
        if (const QString copied = clipboard->text(mode); copied.contains(joiner))
            clipboard->setText(withoutJoiners(copied), mode);
    });
}

} // namespace tilescope::ui
