// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_viewport.h"

#include <QFontMetrics>
#include <QPoint>
#include <QRectF>
#include <utility>

class QPainter;

namespace tilescope::ui {

struct ChartStyle;

/// The strip above a chart that shows a span: all of it, with what is out of sight veiled, and a handle at
/// each end of what is seen. Dragging a handle moves that end, pressing elsewhere brings that place into the
/// middle.
class OverviewStrip {
  public:
    enum class Grip { None, From, To, View };
    /// `rect`: where it stands; `view`: what it tells of.
    OverviewStrip(const TimelineViewport& view, const QRectF& rect) : view_(view), rect_(rect) {}
    static int height(const QFontMetrics& metrics); ///< pixels
    Grip gripAt(const QPoint& at) const;            ///< None: beside it
    double placeAt(double x) const;                 ///< on the axis
    /// What is seen once a grip was dragged there.
    TimelineViewport dragged(Grip grip, double x) const;
    /// Over what was drawn in it: the veil, the frame and the handles.
    void paint(QPainter& painter, const ChartStyle& style) const;

  private:
    std::pair<double, double> edges() const; ///< pixels between which it shows the view

    const TimelineViewport& view_;
    QRectF rect_;
};

} // namespace tilescope::ui
