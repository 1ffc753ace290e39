// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/liveness/liveness_curve.h"
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/lifetime_delegate.h"
#include "ui/widgets/table_text.h"

#include <QPainter>
#include <algorithm>

namespace tilescope::ui {

void LivenessCurve::takeAxes() {
    axis_ = StepAxis(data_, by_time_);
    base_axis_ = StepAxis(base_, axis_.byTime());
    setAccessibleName(byTime() ? tr("Live bytes over the time of one pass of the program")
                               : tr("Live bytes over the program's steps"));
}

void LivenessCurve::setByTime(bool by_time) {
    by_time_ = by_time;
    const QVariantList steps = zoom(); // that are in view
    takeAxes();
    if (!data_ || data_->points.empty())
        return;
    limitAxis(false);
    setZoom(steps);
}

/// The base, which may have more steps, is drawn beside the steps of the new one, but for as long as it
/// takes.
void LivenessCurve::limitAxis(bool keep_view) {
    const bool longer = byTime() && base_axis_.byTime() && base_axis_.last() > axis_.last();
    setLimits(axis_.first(), longer ? base_axis_.last() : axis_.last(), keep_view);
}

QVariantList LivenessCurve::zoom() const {
    const QVariantList zoom = SpanChart::zoom();
    return zoom.size() == 2 ? QVariantList{axis_.stepAt(zoom[0].toDouble()), axis_.stepAt(zoom[1].toDouble())}
                            : zoom;
}

void LivenessCurve::setZoom(const QVariantList& zoom) {
    SpanChart::setZoom(zoom.size() == 2 && data_ && !data_->points.empty()
                           ? QVariantList{axis_.at(zoom[0].toDouble()), axis_.at(zoom[1].toDouble())}
                           : zoom);
}

void LivenessCurve::showLives(LifetimeDelegate& lives, std::int64_t step) const {
    lives.setAxis([axis = axis_](double at) { return axis.at(at); });
    lives.setSpan(view().from(), view().to(), step);
}

bool LivenessCurve::writesSeconds() const {
    return byTime() && clock_hz_ > 0 && !units().cycles;
}

std::vector<AxisTick> LivenessCurve::ticks() const {
    const int most = std::max(2, width() / fontMetrics().horizontalAdvance(QStringLiteral("888,888,888 ")));
    if (!writesSeconds())
        return cycle_ticks(view().from(), view().to(), most);
    std::vector<AxisTick> ticks = time_ticks(view().from() / clock_hz_, view().to() / clock_hz_, most);
    for (AxisTick& tick : ticks)
        tick.at *= clock_hz_;
    return ticks;
}

QString LivenessCurve::timeOf(std::size_t index) const {
    if (!byTime())
        return {};
    const std::int64_t start = data_->starts[index];
    return tr("; from %1 of the pass, for %2")
        .arg(formatTime(start, clock_hz_), formatTime(data_->starts[index + 1] - start, clock_hz_));
}

QRectF LivenessCurve::strip() const {
    const QRectF area = plot();
    return {area.left(), 0, area.width(), static_cast<double>(OverviewStrip::height(fontMetrics()))};
}

/// All steps, as high as the most of them.
void LivenessCurve::paintStrip(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF area = strip();
    const auto most = static_cast<double>(data_->points[static_cast<std::size_t>(data_->peak())].total());
    const auto y = [&](std::int64_t bytes) {
        return area.bottom() - (most > 0 ? static_cast<double>(bytes) / most * (area.height() - 6) : 0);
    };
    const OverviewStrip whole = overview();
    const QBrush always_live = liveBrush(theme, true), rest = liveBrush(theme, false);
    for (int x = 0; x < static_cast<int>(area.width()); ++x) {
        const double at = area.left() + x;
        const auto [first, end] = axis_.points(whole.placeAt(at), whole.placeAt(at + 1));
        std::int64_t always = 0, all = 0;
        for (std::size_t i = first; i < end; ++i) {
            always = std::max(always, data_->points[i].always);
            all = std::max(all, data_->points[i].total());
        }
        painter.fillRect(QRectF(at, y(all), 1, y(always) - y(all)), rest);
        painter.fillRect(QRectF(at, y(always), 1, area.bottom() - y(always)), always_live);
    }
    whole.paint(painter, ChartStyle(this));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, area.top(), left() - 8, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("Overview"));
}

QString LivenessCurve::toText(QChar separator) const {
    QStringList heads{QStringLiteral("step")};
    if (byTime())
        heads << QStringLiteral("start_cycle") << QStringLiteral("cycles");
    heads << QStringLiteral("always_live_bytes") << QStringLiteral("not_always_live_bytes")
          << QStringLiteral("fullest_tile_bytes");
    if (difference_)
        heads << QStringLiteral("more_than_base_bytes");
    QString text = tableLine(heads << QStringLiteral("name"), separator);
    const auto [first, end] = pointsInView();
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) {
        const auto& point = data_->points[i];
        QStringList row{QString::number(point.step)};
        if (byTime())
            row << QString::number(data_->starts[i])
                << QString::number(data_->starts[i + 1] - data_->starts[i]);
        row << QString::number(point.always) << QString::number(point.not_always)
            << (fullest_known_ ? QString::number(point.fullest_tile) : QString());
        if (difference_)
            row << (difference_->by[i] ? QString::number(*difference_->by[i]) : QString());
        text += tableLine(row << QString::fromStdString(data_->step_names[i]), separator);
    }
    return text;
}

} // namespace tilescope::ui
