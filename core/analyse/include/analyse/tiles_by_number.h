// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/memory_parts.h"

namespace tilescope::analyse {

/// The tiles of several IPUs by their numbers alone: of each number the one that holds the most.
struct TilesByNumber {
    MemoryParts fullest;             ///< what these hold, in parts; `ipus` is empty
    std::vector<std::int64_t> ipus;  ///< by number: whose it is, the first of several
    std::vector<std::int64_t> least; ///< by number: bytes of the one that holds the least
};
TilesByNumber tiles_by_number(const MemoryParts& parts);

} // namespace tilescope::analyse
