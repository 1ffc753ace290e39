// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/plan_choice.h"
#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What one operation does, step by step and tile by tile.
struct OperationDetails {
    struct Step {
        profile::ProgramRecord record;
        std::int64_t cycles = 0; ///< of all its runs in an engine run
    };
    std::int64_t operation = -1;
    std::vector<Step> steps;
    std::vector<PlanChoice> plans;
    std::vector<profile::VertexRecord> vertices;
    std::map<std::int64_t, std::string> sets; ///< names, by compute set
    /// Of all its compute sets, run once each; of each on the first IPU that runs it.
    std::vector<std::int64_t> tile_cycles;
};
/// Errors: those of reading the profile; BadInput where a plan is damaged.
Result<OperationDetails> operation_details(const profile::Profile& profile, std::int64_t operation);

} // namespace tilescope::analyse
