// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <QPointF>
#include <QVector>
#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::ui {

/// How losses and metrics of training went: means of each epoch so far, at the ends of its engine runs and,
/// within those that take long, some times a second.
struct MetricCourse {
    std::vector<profile::MetricPoint> points; ///< of many neighbours some
    std::int64_t steps_per_epoch = 0;         ///< 0: not known yet

    /// Of one of them, over epochs: what is noted in the middle of the second stands at 1.5.
    QVector<QPointF> of(const std::string& metric) const;
    /// It has more than the ends of epochs.
    bool goesWithinEpochs() const;
};

/// `progress`, `training`: of the file. Errors: those of reading.
Result<MetricCourse> readCourse(const profile::Profile& file, const profile::ProgressRecord& progress,
                                const profile::ExecutionTotals& training);
/// The same, where they are not at hand.
Result<MetricCourse> readCourse(const profile::Profile& file);

} // namespace tilescope::ui
