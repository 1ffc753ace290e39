// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"

#include <cstdint>

namespace tilescope::ipu {

/// The bytes at the bottom of a tile that instructions are fetched from: those below interleaved memory on
/// Mk2 and Bow (osmarks/ipu-stack, crates/ipu-target/src/memory.rs: 212,992 of 638,976). Nothing public says
/// so of Mk1, where it is the whole tile.
std::int64_t code_memory_bytes(const Target& target);

} // namespace tilescope::ipu
