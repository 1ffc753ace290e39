// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme_style.h"

#include "ui/theme/theme.h"

#include <QApplication>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QWidget>
#include <algorithm>

namespace tilescope::ui {

ThemeStyle::ThemeStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

int ThemeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    const int usual = QProxyStyle::pixelMetric(metric, option, widget);
    switch (metric) {
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
    case PM_TabBarIconSize: {
        constexpr double of_line = 0.8;
        const QFontMetrics text = widget != nullptr   ? widget->fontMetrics()
                                  : option != nullptr ? option->fontMetrics
                                                      : QFontMetrics(QApplication::font());
        return std::max(usual, qRound(of_line * text.height()));
    }
    default:
        return usual;
    }
}

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

/// A field of a number has the frame of other fields.
void ThemeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                    QPainter* painter, const QWidget* widget) const {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control != CC_SpinBox || widget == nullptr || (option->subControls & SC_SpinBoxFrame) == 0)
        return;
    const Theme& theme = Theme::of(widget);
    const double wide = theme.colours == ThemeColours::HighContrast ? 2 : 1;
    constexpr double corner = 2; // Fusion's
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme.border, wide));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option->rect).adjusted(wide / 2, wide / 2, -wide / 2, -wide / 2), corner,
                             corner);
    painter->restore();
}

} // namespace tilescope::ui
