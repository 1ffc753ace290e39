// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lowering/context.h"
#include "plan_layout.h"

#include <cstdint>

namespace tilescope::lowering {

/// What a plan's cost depends on beside the plan.
struct PlacedProduct {
    const program::TileMapping& input; ///< where it lies, before anything is rearranged
    const program::TileMapping& weights;
    std::int64_t output_bytes = 4; ///< of an element
    bool gathers = false;          ///< its results go into a variable of their own
    bool accumulates = false;      ///< its serial parts are added to an accumulator
};

/// The cost of a plan, asked once more now that it is known where the operands lie: of each item the tile
/// that takes longest, with the pieces that it has, where the planner takes even shares that lie in their
/// place; exchanges with their sync and the way of their words. It follows from plan and places alone: that
/// the program takes just that, item by item, is for a test to say.
ipu::ConvCost placed_cost(const LoweringContext& context, const PlanLayout& layout,
                          const PlacedProduct& product);

} // namespace tilescope::lowering
