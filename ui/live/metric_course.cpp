// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/metric_course.h"

#include "analyse/training_progress.h"
#include "base/try.h"

#include <algorithm>
#include <utility>

namespace tilescope::ui {

QVector<QPointF> MetricCourse::of(const std::string& metric) const {
    const auto steps = static_cast<double>(std::max<std::int64_t>(steps_per_epoch, 1));
    QVector<QPointF> curve;
    for (const profile::MetricPoint& point : points)
        if (point.name == metric)
            curve << QPointF(static_cast<double>(point.epoch) + static_cast<double>(point.steps) / steps,
                             point.value);
    return curve;
}

bool MetricCourse::goesWithinEpochs() const {
    return std::any_of(points.begin(), points.end(),
                       [this](const profile::MetricPoint& point) { return point.steps < steps_per_epoch; });
}

Result<MetricCourse> readCourse(const profile::Profile& file, const profile::ProgressRecord& progress,
                                const profile::ExecutionTotals& training) {
    constexpr std::int64_t most_points = 800; // of each curve
    TRY(auto points, file.metric_history(most_points));
    return MetricCourse{std::move(points), analyse::steps_per_epoch(progress, training)};
}

Result<MetricCourse> readCourse(const profile::Profile& file) {
    TRY(const auto progress, file.progress());
    TRY(const auto training, file.execution_totals(profile::ExecutionKind::Train));
    return readCourse(file, progress, training);
}

} // namespace tilescope::ui
