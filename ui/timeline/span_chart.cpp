// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/span_chart.h"

#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int drag_distance = 4;
constexpr double wheel_step = 1.25;

} // namespace

SpanChart::SpanChart(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void SpanChart::changed() {
    update();
    Q_EMIT viewChanged();
}

void SpanChart::setLimits(std::int64_t from, std::int64_t to, bool keep_view) {
    view_.setLimits(from, to);
    if (!keep_view)
        view_.showAll();
    changed();
}

void SpanChart::frame(double from, double to) {
    view_.frame(from, to);
    changed();
}

void SpanChart::setZoom(const QVariantList& zoom) {
    const auto [from, to] = view_.limits();
    zoom.size() == 2 ? view_.show(zoom[0].toDouble(), zoom[1].toDouble())
                     : view_.show(static_cast<double>(from), static_cast<double>(to));
    changed();
}

void SpanChart::reveal(double from, double to) {
    view_.reveal(from, to);
    changed();
}

void SpanChart::zoomBy(double factor) {
    const double chosen = chosenAt();
    view_.zoom(factor, std::isnan(chosen) ? view_.width() / 2 : view_.x(chosen));
    changed();
}

void SpanChart::showAll() {
    view_.showAll();
    changed();
}

void SpanChart::panBy(double share) {
    view_.pan(share * view_.width());
    changed();
}

void SpanChart::paintFocus(QPainter& painter) const {
    if (!hasFocus())
        return;
    painter.setPen(QPen(Theme::of(this).accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -2, -2));
}

void SpanChart::fitPlot() {
    view_.setWidth(std::max(1.0, plot().width()));
    Q_EMIT viewChanged();
}

void SpanChart::resizeEvent(QResizeEvent*) {
    fitPlot();
}

void SpanChart::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) // names and figures beside the plot are wider or narrower
        fitPlot();
}

double SpanChart::axisAt(const QPoint& point) const {
    return strip().contains(point) ? overview().placeAt(point.x()) : view_.cycle(point.x() - plot().left());
}

void SpanChart::dragStrip(double x) {
    view_ = overview().dragged(grip_, x);
    changed();
}

void SpanChart::mousePressEvent(QMouseEvent* event) {
    pressed_ = last_ = event->pos();
    moved_ = false;
    const bool left = event->button() == Qt::LeftButton;
    grip_ = left ? overview().gripAt(event->pos()) : OverviewStrip::Grip::None;
    if (grip_ == OverviewStrip::Grip::View)
        dragStrip(event->position().x());
}

void SpanChart::mouseMoveEvent(QMouseEvent* event) {
    const bool left = (event->buttons() & Qt::LeftButton) != 0;
    if (!left && (event->buttons() & Qt::MiddleButton) == 0) {
        const auto grip = overview().gripAt(event->pos());
        const bool handle = grip == OverviewStrip::Grip::From || grip == OverviewStrip::Grip::To;
        return setCursor(handle ? Qt::SizeHorCursor : Qt::ArrowCursor);
    }
    if (grip_ != OverviewStrip::Grip::None)
        return dragStrip(event->position().x());
    moved_ = moved_ || (event->pos() - pressed_).manhattanLength() >= drag_distance;
    if (moved_ && !(left && dragged(pressed_, event->pos()))) {
        view_.pan(last_.x() - event->pos().x());
        changed();
    }
    last_ = event->pos();
}

void SpanChart::mouseReleaseEvent(QMouseEvent* event) {
    const bool in_strip = std::exchange(grip_, OverviewStrip::Grip::None) != OverviewStrip::Grip::None;
    if (!moved_ && !in_strip && event->button() == Qt::LeftButton)
        clicked(event->pos());
}

void SpanChart::wheelEvent(QWheelEvent* event) {
    view_.zoom(event->angleDelta().y() > 0 ? wheel_step : 1 / wheel_step,
               view_.x(axisAt(event->position().toPoint())));
    changed();
    event->accept();
}

bool SpanChart::event(QEvent* event) {
    return showTip(event, this, [this](const QPoint& point) { return textAt(point); }) ||
           QWidget::event(event);
}

} // namespace tilescope::ui
