// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/builder.h"

namespace tilescope::training {

/// Adds the learning rate of a schedule as a scalar computed from `step`, a float scalar that counts from 0.
/// Formulas and defaults are Keras' (keras/optimizers/schedules/learning_rate_schedule.py).
/// Errors: NotSupported for a schedule that is not there, naming the nearest; BadInput for numbers that do
/// not fit.
Result<graph::ValueId> add_rate(graph::Builder& build, const graph::RateSchedule& schedule,
                                graph::ValueId step);

} // namespace tilescope::training
