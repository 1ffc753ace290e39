// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/live_state.h"

namespace tilescope::ui {

/// What the panel at the side says of a run beyond what its page shows: the device, each kind of program that
/// it ran with its rates, the last losses and metrics, those of the epochs before, and the chosen line of the
/// log in whole. `line`: from 0; -1: none is chosen.
QString detailsOf(const LiveState& state, std::int64_t line);

} // namespace tilescope::ui
