// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/tile_contents.h"

#include <cstdint>
#include <vector>

namespace tilescope::analyse {

/// Variables of one category whose names differ in numbers alone, or a single one, with what they take
/// together.
struct AlikeVariables {
    HeldVariables variables;                          ///< with their bytes on the tiles in question
    const profile::VariableRecord* largest = nullptr; ///< on these, the first of several
    std::int64_t bytes = 0;                           ///< on these, of all of them, as the next
    std::int64_t on_all_tiles = 0;
    std::int64_t streaming = 0;
    std::vector<std::int64_t> by_column; ///< as TileVariables::columns
};

/// What some tiles hold: those that are live at the peak of what they hold, or all that ever are, and behind
/// them what lies in streaming memory instead.
struct VariableList {
    std::vector<AlikeVariables> rows;
    std::int64_t bytes = 0;     ///< on the tiles, of all of them
    std::int64_t streaming = 0; ///< of what lies in streaming memory
};
/// `fold`: those that are alike together, what takes most first; else each on its own, in their order. Points
/// into `of`.
VariableList list_variables(const TileVariables& of, bool ever, bool fold);

} // namespace tilescope::analyse
