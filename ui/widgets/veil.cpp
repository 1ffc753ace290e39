// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/veil.h"

#include <QEvent>
#include <QPaintEvent>
#include <QPainter>

namespace tilescope::ui {

Veil::Veil(QWidget* over) : QWidget(over) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    over->installEventFilter(this);
    hide();
}

bool Veil::eventFilter(QObject* of, QEvent* event) {
    if (event->type() == QEvent::Resize)
        resize(parentWidget()->size());
    return QWidget::eventFilter(of, event);
}

void Veil::showEvent(QShowEvent* event) {
    resize(parentWidget()->size());
    raise();
    QWidget::showEvent(event);
}

void Veil::paintEvent(QPaintEvent* event) {
    constexpr float hidden_share = 0.5F;
    QColor veil = palette().color(QPalette::Window);
    veil.setAlphaF(hidden_share);
    QPainter(this).fillRect(event->rect(), veil);
}

} // namespace tilescope::ui
