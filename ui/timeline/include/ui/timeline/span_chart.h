// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/overview_strip.h"
#include "ui/timeline/timeline_viewport.h"

#include <QPoint>
#include <QWidget>

namespace tilescope::ui {

/// A chart along one axis, of which it shows a span: dragging moves it, unless the left button chooses a
/// range; the wheel zooms about the pointer, and what the pointer rests on is told in a tip. Above it may
/// stand a strip with all of it (OverviewStrip).
class SpanChart : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QVariantList zoom READ zoom WRITE setZoom)
  public:
    explicit SpanChart(QWidget* parent = nullptr);
    const TimelineViewport& view() const { return view_; } ///< in the units of the axis
    /// What a point of the chart stands for, in words; empty: nothing.
    virtual QString textAt(const QPoint& point) const = 0;
    void zoomBy(double factor); ///< about what is chosen, else about the middle
    void showAll();
    virtual QVariantList zoom() const { return zoomOf(view_); } ///< to come back to it
    virtual void setZoom(const QVariantList& zoom);
    void panBy(double share); ///< of the width; positive: what is later comes into view

  Q_SIGNALS:
    void viewChanged();

  protected:
    virtual QRectF plot() const = 0;               ///< where the span is drawn
    virtual QRectF strip() const { return {}; }    ///< where all of it is; empty: nowhere
    virtual double chosenAt() const = 0;           ///< on the axis; NaN: nothing is chosen
    virtual void clicked(const QPoint& point) = 0; ///< pressed and released there, without dragging

    /// The left button was pressed at one place and dragged to another; whether that means anything: else it
    /// moves what is shown.
    virtual bool dragged(const QPoint& from, const QPoint& to) {
        static_cast<void>(from), static_cast<void>(to);
        return false;
    }

    double placeOf(double at) const { return plot().left() + view_.x(at); } ///< in the widget
    OverviewStrip overview() const { return {view_, strip()}; }
    double axisAt(const QPoint& point) const; ///< what is at its place, in the plot or in the strip
    void setLimits(std::int64_t from, std::int64_t to, bool keep_view);
    void frame(double from, double to);
    void reveal(double from, double to);
    void fitPlot(); ///< the view is as wide as the plot, whose margins have changed
    void paintFocus(QPainter& painter) const;

    void resizeEvent(QResizeEvent*) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void changed();
    void dragStrip(double x);

    TimelineViewport view_;
    QPoint pressed_;
    QPoint last_;
    bool moved_ = false;
    OverviewStrip::Grip grip_ = OverviewStrip::Grip::None; ///< of the strip, that was pressed
};

} // namespace tilescope::ui
