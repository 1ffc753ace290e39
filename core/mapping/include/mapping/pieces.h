// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/tile_mapping.h"

#include <cstdint>
#include <vector>

namespace tilescope::mapping {

/// A part of a tensor that lies in the same of several boxes.
struct Piece {
    std::vector<std::int32_t> of; ///< numbers of these boxes, ascending
    std::vector<Box> cells;       ///< that it is made of; none overlap
};

/// The pieces into which boxes of one tensor cut each other, each in the order in which the tensor's elements
/// come to it first. As many as there are boxes, each of one, where no two overlap; boxes that are the same,
/// or empty, may not be among them.
std::vector<Piece> pieces_of(const std::vector<const Box*>& boxes);

} // namespace tilescope::mapping
