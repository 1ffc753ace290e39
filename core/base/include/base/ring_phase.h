// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/spelling.h"

namespace tilescope {

/// The two halves of an all-reduce around a ring: each replica sums a piece, then its sum goes to all.
enum class RingPhase { ReduceScatter, AllGather };
constexpr auto spelling(RingPhase) {
    return spelled("phase of an all-reduce", "reduce_scatter", "all_gather");
}

} // namespace tilescope
