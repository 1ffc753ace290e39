// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lowering/context.h"
#include "plan_cuts.h"

#include <cstdint>
#include <vector>

namespace tilescope::lowering {

/// One stage in which partial sums of the same results are added up: `group` tiles, each `apart` tiles from
/// the next, hold as many of them, and each receives from the others what falls to it, whole grains in the
/// order of the tiles (PopLibs lib/poplin/ConvReduce.cpp, partialGroupedReduce).
struct PartialSums {
    std::vector<std::int64_t> held; ///< partials, by tile
    std::int64_t grain = 1;         ///< elements
    std::int64_t group = 1;
    std::int64_t apart = 1;
    bool whole_groups = true; ///< else some have fewer tiles, and who sends to whom is not followed

    /// Which of the partials that each of its group holds a tile adds up.
    Range share(std::size_t tile) const;
    /// What each tile sends and receives of partials of so many bytes. Without cycles.
    program::Exchange traffic(std::int64_t element_bytes) const;
    /// The same with which tile sends which partials to which, where all groups are whole, and all of each
    /// hold as many.
    program::Exchange exchange(LoweringContext& context, std::int64_t element_bytes) const;

  private:
    std::size_t first_of_group(std::size_t tile) const;
    bool alike() const;
    program::Moves moves(LoweringContext& context, std::int64_t element_bytes) const;
};

} // namespace tilescope::lowering
