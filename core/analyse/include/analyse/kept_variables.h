// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/liveness.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::analyse {

/// What is held also while no step needs it: weights, state of optimisers and constants, which are always
/// live. All else is gone after its last use.
struct KeptVariables {
    struct Each {
        std::size_t index = 0; ///< of Liveness::variables
        /// Steps [first, last] that need it: nullopt: none does.
        std::optional<std::pair<std::int64_t, std::int64_t>> needed;
        std::int64_t saved = 0; ///< bytes over all tiles that are not needed at the peak step
    };
    const Each* of(std::size_t index) const; ///< nullptr: it is needed at all times that it is held
    std::vector<Each> variables;             ///< that save most first, then the largest
    std::int64_t saved = 0;                  ///< at the peak step, by all of them
    /// Index of the point at which most would be live if each were there only from its first to its last use,
    /// the first of several, and what would be then; -1: there are no points.
    std::int64_t peak = -1;
    std::int64_t peak_bytes = 0;
};

/// nullopt: the file does not say when what is always live is needed.
std::optional<KeptVariables> kept_variables(const Liveness& live);

/// Whether a variable is held also while no step needs it, for its value's sake.
bool may_be_kept(const profile::VariableRecord& variable);

} // namespace tilescope::analyse
