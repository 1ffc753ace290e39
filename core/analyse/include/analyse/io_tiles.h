// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <cstdint>

/// Tiles that are kept for the exchange with the host (IPU TensorFlow's io_tiles).
namespace tilescope::analyse {

/// Whether a step is what the tiles that compute do until the I/O tiles have exchanged a batch.
bool is_io_wait(const StepWork& work);

/// What became of them in the program that is described.
struct IoTiles {
    std::int64_t tiles = 0; ///< of each IPU, the last ones; 0: none are kept
    /// Cycles that they exchange with the host, in the engine runs of a kind and over all IPUs; 0 where that
    /// takes turns with compute.
    std::int64_t cycles = 0;
    std::int64_t hidden_cycles = 0; ///< of these, while the other tiles compute
};
/// Errors: those of reading the profile; BadInput where the file is damaged.
Result<IoTiles> io_tiles(const profile::Profile& profile, profile::ExecutionKind kind);

} // namespace tilescope::analyse
