// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/live_levels.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// The memory of one tile: what lies at which address during which program steps.
struct AddressMap {
    struct Block {
        profile::VariableRecord variable;
        std::int64_t begin = 0; ///< bytes [begin, end)
        std::int64_t end = 0;
    };
    /// Bytes that nothing holds although something lies above them.
    struct Gap {
        enum class Why {
            OtherTime, ///< another variable lies there during a part of the life of the one above
            Region,    ///< the one above must lie in the region that begins there
            Alignment, ///< fewer bytes than an allocation is aligned to
            FromTop,   ///< the one above was placed from the top of interleaved memory down
            Unknown
        };
        std::int64_t begin = 0; ///< bytes [begin, end)
        std::int64_t end = 0;
        Why why = Why::Unknown;
        std::size_t above = 0; ///< the block that lies above
        std::size_t other = 0; ///< of OtherTime: the block that lies there at another time
    };
    struct Step {
        std::int64_t program = -1;
        std::int64_t operation = -1;
        std::string name;
    };

    std::int64_t ipu = 0;
    std::int64_t tile = 0;
    std::int64_t bytes_per_tile = 0;
    std::int64_t with_gaps = 0;                   ///< end of the highest block
    std::optional<std::int64_t> interleaved_from; ///< first address of that region; none: not recorded
    std::vector<Block> blocks;                    ///< by their first bytes, then by their first steps
    std::vector<profile::LiveLevel> levels;       ///< by step, from 0 on, each another number of bytes
    std::int64_t peak_step = 0;                   ///< the first of those with the most bytes
    std::vector<Step> steps;                      ///< by step: its place in the order of execution

    std::int64_t live_bytes(std::int64_t step) const;
    std::vector<std::size_t> live_at(std::int64_t step) const; ///< blocks, by address
    std::vector<Gap> gaps_at(std::int64_t step) const;         ///< by address
    static std::int64_t bytes_of(const std::vector<Gap>& gaps);
    /// The next step, or the one before (`direction` -1), at which a block appears or goes; `step` where
    /// there is none.
    std::int64_t change_from(std::int64_t step, int direction) const;
    /// The next, or the one before, that begins another operation.
    std::int64_t operation_from(std::int64_t step, int direction) const;
};

/// No blocks where the tile holds nothing or addresses are not recorded. Errors: those of reading.
Result<AddressMap> address_map(const profile::Profile& profile, std::int64_t ipu, std::int64_t tile);

} // namespace tilescope::analyse
