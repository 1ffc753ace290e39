// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/host_cycles.h"

namespace tilescope::ipu {

std::int64_t launch_cycles(const Target& target) {
    return target.cycles_of_us(target.host_execution_us);
}

std::int64_t swap_cycles(const Target& target, std::int64_t bytes) {
    return launch_cycles(target) +
           static_cast<std::int64_t>(static_cast<double>(bytes) / target.host_bytes_per_cycle);
}

} // namespace tilescope::ipu
