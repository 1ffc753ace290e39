// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/exchange_traffic.h"
#include "analyse/hand_matches.h"
#include "analyse/matching.h"
#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// A program step by its place in the order of execution.
struct StepPlace {
    std::int64_t step = -1;    ///< -1: there is none
    std::int64_t program = -1; ///< program step
    std::string name;
};
/// Of a place in that order. Errors: those of reading the profile.
Result<StepPlace> step_place(const profile::Profile& profile, std::int64_t step);

/// What one variable is for: where it lies, when it is there, who reads it and which exchanges move it.
struct VariableFacts {
    profile::VariableRecord variable;
    MostBytes on_tiles;                ///< of its IPU
    StepPlace first, last;             ///< at which it is live or, always live, needed
    StepPlace peak;                    ///< at which its IPU holds most
    bool at_peak = false;              ///< it is live then
    std::vector<std::int64_t> readers; ///< operations of its IPU that read the tensor that it holds, in order
    struct Move {
        StepPlace step;         ///< the first that is the exchange
        std::int64_t bytes = 0; ///< of it, by all runs in an engine run, once for each receiver
    };
    std::vector<Move> moves; ///< exchanges that move it, most bytes first
    std::int64_t moved = 0;  ///< bytes of all of them
};
/// nullopt: there is no such variable. Errors: those of reading the profile.
Result<std::optional<VariableFacts>> variable_facts(const profile::Profile& profile, std::int64_t variable);

/// The variable of a base that is the same as one of a new run: by the name that the base has for it, on the
/// same IPU, else the largest of that name. nullopt: it has none. `parts`: of the new run. Errors: those of
/// reading the base.
Result<std::optional<profile::VariableRecord>> same_variable(const profile::Profile& base,
                                                             const profile::VariableRecord& variable,
                                                             const Parts& parts, const HandMatches& by_hand);

} // namespace tilescope::analyse
