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
namespace {

int lineHeight(const QStyleOption* option, const QWidget* widget) {
    return (widget != nullptr   ? widget->fontMetrics()
            : option != nullptr ? option->fontMetrics
                                : QFontMetrics(QApplication::font()))
        .height();
}

/// By how much the part of a box to choose from that has the arrow is wider than Fusion's.
int widerArrow(const QStyleOption* option, const QWidget* widget) {
    constexpr int fusions = 19;
    return std::max(0, lineHeight(option, widget) - fusions);
}

} // namespace

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
        return std::max(usual, qRound(of_line * lineHeight(option, widget)));
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
    if (control == CC_ComboBox)
        return drawComboBox(option, painter, widget);
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

void ThemeStyle::drawComboBox(const QStyleOptionComplex* option, QPainter* painter,
                              const QWidget* widget) const {
    const auto* given = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    if (given == nullptr)
        return QProxyStyle::drawComplexControl(CC_ComboBox, option, painter, widget);
    QStyleOptionComboBox box = *given;
    box.subControls &= ~SC_ComboBoxArrow; // Fusion's has one size
    QProxyStyle::drawComplexControl(CC_ComboBox, &box, painter, widget);
    if ((given->subControls & SC_ComboBoxArrow) == 0)
        return;
    constexpr double of_line = 0.22; // half as wide as it is
    const double half = std::max(3.5, of_line * lineHeight(option, widget));
    const QRectF room = proxy()->subControlRect(CC_ComboBox, given, SC_ComboBoxArrow, widget);
    const QPointF tip = room.center() + QPointF(0, half / 2);
    const QPointF ends[] = {tip + QPointF(-half, -half), tip, tip + QPointF(half, -half)};
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool enabled = (option->state & State_Enabled) != 0;
    painter->setPen(QPen(option->palette.color(enabled ? QPalette::ButtonText : QPalette::BrightText),
                         std::max(1.2, half / 3), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(ends, std::size(ends));
    painter->restore();
}

QRect ThemeStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                 const QWidget* widget) const {
    QRect rect = QProxyStyle::subControlRect(control, option, part, widget);
    if (control != CC_ComboBox || (part != SC_ComboBoxArrow && part != SC_ComboBoxEditField))
        return rect;
    rect = visualRect(option->direction, option->rect, rect);
    const int wider = widerArrow(option, widget);
    if (part == SC_ComboBoxArrow)
        rect.setLeft(rect.left() - wider);
    else
        rect.setRight(rect.right() - wider);
    return visualRect(option->direction, option->rect, rect);
}

QSize ThemeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                   const QWidget* widget) const {
    const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    return type == CT_ComboBox ? size + QSize(widerArrow(option, widget), 0) : size;
}

} // namespace tilescope::ui
