// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme_style.h"

#include "ui/theme/theme.h"

#include <QApplication>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QWidget>
#include <algorithm>
#include <iterator>
#include <tuple>

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

/// In the middle of `room`, as wide as text of that height asks for and no wider than there is room.
void drawArrow(QPainter& painter, const QRectF& room, Qt::ArrowType towards, const QColor& color, int line) {
    constexpr double of_line = 0.22; // half as wide as it is
    constexpr double of_room = 0.45;
    const double half =
        std::min(std::max(3.5, of_line * line), of_room * std::min(room.width(), room.height()));
    const bool across = towards == Qt::LeftArrow || towards == Qt::RightArrow;
    const double out = towards == Qt::DownArrow || towards == Qt::RightArrow ? half / 2 : -half / 2;
    const auto at = [&](double along, double beside) {
        return room.center() + (across ? QPointF(along, beside) : QPointF(beside, along));
    };
    const QPointF ends[] = {at(-out, -half), at(out, 0), at(-out, half)};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, std::max(1.2, half / 3), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(ends, std::size(ends));
    painter.restore();
}

Qt::ArrowType arrowOf(QStyle::PrimitiveElement element) {
    switch (element) {
    case QStyle::PE_IndicatorArrowDown:
        return Qt::DownArrow;
    case QStyle::PE_IndicatorArrowUp:
        return Qt::UpArrow;
    case QStyle::PE_IndicatorArrowLeft:
        return Qt::LeftArrow;
    case QStyle::PE_IndicatorArrowRight:
        return Qt::RightArrow;
    default:
        return Qt::NoArrow;
    }
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
    case PM_TabBarIconSize:
    case PM_ButtonIconSize:
    case PM_SmallIconSize: // of menus, lists and fields, too
    case PM_MenuButtonIndicator: {
        constexpr double of_line = 0.8;
        return std::max(usual, qRound(of_line * lineHeight(option, widget)));
    }
    default:
        return usual;
    }
}

QIcon ThemeStyle::standardIcon(StandardPixmap icon, const QStyleOption* option, const QWidget* widget) const {
    return icon == SP_LineEditClearButton // Qt's is of one size, which it has as pixels
               ? themeIcon(QStringLiteral("clear"), &Theme::muted)
               : QProxyStyle::standardIcon(icon, option, widget);
}

void ThemeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const {
    if (const Qt::ArrowType arrow = arrowOf(element); arrow != Qt::NoArrow)
        return drawArrow(*painter, option->rect, arrow, option->palette.color(QPalette::WindowText),
                         lineHeight(option, widget));
    const auto* head = qstyleoption_cast<const QStyleOptionHeader*>(option);
    if (element == PE_IndicatorHeaderArrow && head != nullptr &&
        head->sortIndicator != QStyleOptionHeader::None)
        return drawArrow(*painter, option->rect,
                         head->sortIndicator == QStyleOptionHeader::SortUp ? Qt::UpArrow : Qt::DownArrow,
                         option->palette.color(QPalette::BrightText), lineHeight(option, widget));
    if (element == PE_IndicatorBranch) { // of a tree: an arrow, and no lines
        const Qt::ArrowType folded = option->direction == Qt::RightToLeft ? Qt::LeftArrow : Qt::RightArrow;
        if ((option->state & State_Children) != 0)
            drawArrow(*painter, option->rect, (option->state & State_Open) != 0 ? Qt::DownArrow : folded,
                      option->palette.color(QPalette::BrightText), lineHeight(option, widget));
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element != PE_IndicatorCheckBox)
        return;
    painter->save();
    painter->setPen(option->palette.color(QPalette::BrightText)); // the muted colour of the theme
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    painter->restore();
}

void ThemeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                    QPainter* painter, const QWidget* widget) const {
    if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
        control == CC_ComboBox && box != nullptr)
        return drawComboBox(*box, painter, widget);
    if (const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        control == CC_SpinBox && box != nullptr)
        return drawSpinBox(*box, painter, widget);
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

/// A field of a number has the frame of other fields.
void ThemeStyle::drawSpinBox(const QStyleOptionSpinBox& option, QPainter* painter,
                             const QWidget* widget) const {
    QStyleOptionSpinBox box = option;
    box.buttonSymbols = QAbstractSpinBox::NoButtons; // Fusion's arrows have one size
    QProxyStyle::drawComplexControl(CC_SpinBox, &box, painter, widget);
    for (const auto& [part, towards, step] :
         {std::tuple(SC_SpinBoxUp, Qt::UpArrow, QAbstractSpinBox::StepUpEnabled),
          std::tuple(SC_SpinBoxDown, Qt::DownArrow, QAbstractSpinBox::StepDownEnabled)}) {
        if (option.buttonSymbols == QAbstractSpinBox::NoButtons || (option.subControls & part) == 0)
            continue;
        const bool enabled = (option.state & State_Enabled) != 0 && (option.stepEnabled & step) != 0;
        const bool under_pointer = (option.activeSubControls & part) != 0;
        drawArrow(*painter, proxy()->subControlRect(CC_SpinBox, &option, part, widget), towards,
                  option.palette.color(!enabled        ? QPalette::BrightText
                                       : under_pointer ? QPalette::Highlight
                                                       : QPalette::ButtonText),
                  lineHeight(&option, widget));
    }
    if (widget == nullptr || (option.subControls & SC_SpinBoxFrame) == 0)
        return;
    const Theme& theme = Theme::of(widget);
    const double wide = theme.colours == ThemeColours::HighContrast ? 2 : 1;
    constexpr double corner = 2; // Fusion's
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme.border, wide));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(wide / 2, wide / 2, -wide / 2, -wide / 2), corner,
                             corner);
    painter->restore();
}

void ThemeStyle::drawComboBox(const QStyleOptionComboBox& option, QPainter* painter,
                              const QWidget* widget) const {
    QStyleOptionComboBox box = option;
    box.subControls &= ~SC_ComboBoxArrow; // Fusion's has one size
    QProxyStyle::drawComplexControl(CC_ComboBox, &box, painter, widget);
    if ((option.subControls & SC_ComboBoxArrow) == 0)
        return;
    const bool enabled = (option.state & State_Enabled) != 0;
    drawArrow(*painter, proxy()->subControlRect(CC_ComboBox, &option, SC_ComboBoxArrow, widget),
              Qt::DownArrow, option.palette.color(enabled ? QPalette::ButtonText : QPalette::BrightText),
              lineHeight(&option, widget));
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
