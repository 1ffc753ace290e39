// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/code_memory.h"

namespace tilescope::ipu {

std::int64_t code_memory_bytes(const Target& target) {
    return target.bytes_per_tile - (target.code_below_interleaved ? target.interleaved_bytes_per_tile : 0);
}

} // namespace tilescope::ipu
