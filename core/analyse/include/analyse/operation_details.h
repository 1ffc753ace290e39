// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/live_bytes.h"
#include "analyse/plan_choice.h"
#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What one operation does, step by step and tile by tile.
struct OperationDetails {
    struct Step {
        profile::ProgramRecord record;
        profile::PhaseCycles cycles; ///< of all its runs in an engine run
    };
    /// Cycles of one run of the operation, beside what was planned for it; nullopt: it has no step.
    std::optional<profile::PhaseCycles> emitted() const;
    /// Of all its steps in an engine run, each once, also where several IPUs take part in it.
    std::int64_t cycles() const;
    std::int64_t operation = -1;
    std::vector<Step> steps;
    std::vector<PlanChoice> plans;
    std::vector<profile::VertexRecord> vertices;
    std::map<std::int64_t, std::string> sets; ///< names, by compute set
    /// Of all its compute sets, run once each; of each on the first IPU that runs it.
    std::vector<std::int64_t> tile_cycles;
    std::vector<profile::VariableRecord>
        variables;               ///< that it makes, in the first replica, the largest first
    LiveBytes live;              ///< of these
    std::int64_t live_steps = 0; ///< of the program, in which variables live
    std::int64_t peak_step = -1; ///< at which the IPU of the first of them holds most; -1: there is none
};
/// Errors: those of reading the profile; BadInput where a plan is damaged.
Result<OperationDetails> operation_details(const profile::Profile& profile, std::int64_t operation);

} // namespace tilescope::analyse
