// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/moves.h"
#include "mapping/tile_mapping.h"

/// A program's words for where its tensors lie are those of the mapping.
namespace tilescope::program {

using mapping::Axis;
using mapping::Box;
using mapping::Moves;
using mapping::NeedBook;
using mapping::NeedList;
using mapping::needs_of;
using mapping::Shape;
using mapping::TileMapping;
using mapping::TileNeed;
using mapping::TilePart;

} // namespace tilescope::program
