// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

class QStyleOptionComboBox;
class QStyleOptionSpinBox;

namespace tilescope::ui {

/// Fusion, whose boxes to tick and fields of numbers have a frame of the theme. (Its own is a darker shade of
/// what is behind it, which in the dark nobody sees.) Boxes to tick, icons and arrows of boxes to choose from
/// grow with text.
class ThemeStyle : public QProxyStyle {
  public:
    ThemeStyle();
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    QIcon standardIcon(StandardPixmap icon, const QStyleOption* option, const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override;

  private:
    void drawComboBox(const QStyleOptionComboBox& option, QPainter* painter, const QWidget* widget) const;
    void drawSpinBox(const QStyleOptionSpinBox& option, QPainter* painter, const QWidget* widget) const;
};

} // namespace tilescope::ui
