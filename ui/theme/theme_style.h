// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace tilescope::ui {

/// Fusion, whose boxes to tick and fields of numbers have a frame of the theme. (Its own is a darker shade of
/// what is behind it, which in the dark nobody sees.) Boxes to tick and icons of tabs grow with text.
class ThemeStyle : public QProxyStyle {
  public:
    ThemeStyle();
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
};

} // namespace tilescope::ui
