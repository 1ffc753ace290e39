// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "operation_changes.h"

#include <set>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// Operations that are one operation in one run and several in the other.
struct FusionChange {
    bool lost = false;                ///< fused in the base; else in the new run
    std::int64_t whole = -1;          ///< the operation that they are
    std::vector<std::int64_t> single; ///< what stands for it in the other run, in order
    std::string why;                  ///< "conv2d/BiasAdd and conv2d/Swish are no longer fused: …"
};

/// Each operation belongs to one of them at most. The operations of `whole` and `single` may be matched with
/// each other, or with none.
std::vector<FusionChange> fusion_changes(const BothRuns& runs);

} // namespace tilescope::analyse
