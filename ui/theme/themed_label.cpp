// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/themed_label.h"

#include "ui/theme/theme.h"
#include "ui/theme/whole_figures.h"

#include <QEvent>

namespace tilescope::ui {

ThemedLabel::ThemedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::RichText); // also where it holds no tag, but the name of a file with a "&amp;"
}

ThemedLabel::ThemedLabel(const QString& html) : ThemedLabel() {
    setHtml(html);
}

void ThemedLabel::setHtml(const QString& html) {
    html_ = keepFiguresWholeInHtml(html);
    setText(Theme::of(this).filled(html_));
}

void ThemedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        setText(Theme::of(this).filled(html_));
}

} // namespace tilescope::ui
