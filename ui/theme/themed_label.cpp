// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/themed_label.h"

#include "ui/theme/theme.h"

#include <QEvent>

namespace tilescope::ui {

void ThemedLabel::setHtml(const QString& html) {
    html_ = html;
    setText(Theme::of(this).filled(html));
}

void ThemedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        setText(Theme::of(this).filled(html_));
}

} // namespace tilescope::ui
