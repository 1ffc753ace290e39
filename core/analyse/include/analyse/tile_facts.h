// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/variable_facts.h"
#include "base/error.h"
#include "base/share.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>

namespace tilescope::analyse {

/// What one tile holds and does, beside the others of its IPU.
struct TileFacts {
    std::int64_t bytes_per_tile = 0;
    std::int64_t with_gaps = 0; ///< end of its highest allocation at any time
    std::int64_t at_peak = 0;   ///< live at its own peak step
    std::int64_t always = 0;    ///< of these, that always are
    StepPlace peak;             ///< at which most is live on it
    std::int64_t tiles = 0;     ///< of its IPU
    std::int64_t fuller = 0;    ///< of these, that reach higher with gaps
    std::int64_t sent = 0;      ///< bytes in all exchanges of an engine run
    std::int64_t received = 0;
    std::int64_t computes = 0;    ///< cycles of its vertices in an engine run
    std::int64_t ipu_compute = 0; ///< of the slowest tiles of the same compute sets, for which it waits
    /// Bytes that are free above it; below 0: beyond the end of its memory.
    std::int64_t free() const { return bytes_per_tile - with_gaps; }
    /// Of the time in which its IPU computes; nullopt: that does not, or its tiles are not known.
    std::optional<double> compute_share() const { return share_of(computes, ipu_compute); }
};
/// nullopt: nothing is laid out on such a tile. Errors: those of reading the profile.
Result<std::optional<TileFacts>> tile_facts(const profile::Profile& profile, std::int64_t ipu,
                                            std::int64_t tile);

} // namespace tilescope::analyse
