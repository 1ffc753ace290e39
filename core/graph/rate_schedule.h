// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/builder.h"

namespace tilescope::graph {

/// Adds the learning rate of a schedule as a scalar computed from `step`, a float scalar that counts from 0.
/// Formulas and defaults are Keras' (keras/optimizers/schedules/learning_rate_schedule.py).
/// Errors: BadInput for a schedule that is not known, naming the nearest, and for numbers that do not fit.
Result<ValueId> add_rate(Builder& build, const RateSchedule& schedule, ValueId step);

} // namespace tilescope::graph
