// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/link_cycles.h"

#include <algorithm>
#include <cmath>

namespace tilescope::ipu {

std::int64_t link_cycles(const Target& target, std::int64_t bytes, std::int64_t turns, std::int64_t sharing) {
    const double shared = static_cast<double>(bytes) * static_cast<double>(sharing);
    return turns * target.exchange_setup_cycles +
           static_cast<std::int64_t>(std::ceil(shared / target.link_bytes_per_cycle));
}

std::int64_t link_sync_cycles(const Target& target, std::int64_t hops) {
    const auto further = static_cast<double>(std::max<std::int64_t>(hops - 1, 0));
    return target.global_sync_cycles + target.cycles_of_us(2 * target.link_sync_us * further);
}

} // namespace tilescope::ipu
