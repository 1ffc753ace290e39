// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// Engine runs that are exactly alike, as one schedule is done in each, and what an operation takes in one.
struct AlikeExecutions {
    profile::ExecutionKind kind = profile::ExecutionKind::Train;
    std::int64_t count = 0;
    std::int64_t first_epoch = 0, last_epoch = 0; ///< 0-based
    std::int64_t steps = 0;                       ///< of each
    std::int64_t cycles = 0;                      ///< of each
    std::int64_t first_start = 0;                 ///< cycle of the run at which the first begins
    std::int64_t ipu_cycles = 0;                  ///< of each, on all IPUs together
    /// Of the operation in each of them, on all IPUs; nullopt: only the phases of the execution are known.
    std::optional<profile::PhaseCycles> spent;
    bool takes_any() const { return spent && spent->total() > 0; }
    std::optional<double> share() const; ///< of the IPUs' cycles, in each
    std::int64_t spent_in_all() const;   ///< cycles, in all of them together; 0: it is not known
};
/// How many engine runs there are of these, of how many of them it is known what the operation takes there,
/// and in how many it takes anything.
struct ExecutionCounts {
    std::int64_t all = 0, known = 0, taking = 0;
};
ExecutionCounts counts_of(const std::vector<AlikeExecutions>& history);

/// What an operation takes in each engine run of the file: those that are alike are one, in the order of the
/// first of each. Empty where none has ended. Errors: those of reading the profile.
Result<std::vector<AlikeExecutions>> operation_history(const profile::Profile& profile,
                                                       std::int64_t operation);

} // namespace tilescope::analyse
