// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace tilescope::ui {

ThemeStyle::ThemeStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void ThemeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element != PE_IndicatorCheckBox)
        return;
    painter->save();
    painter->setPen(option->palette.color(QPalette::BrightText)); // the muted colour of the theme
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    painter->restore();
}

} // namespace tilescope::ui
