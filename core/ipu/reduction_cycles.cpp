// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/reduction_cycles.h"

#include "base/units.h"

#include <algorithm>

namespace tilescope::ipu {

std::int64_t reduce_cycles(const Target& target, std::int64_t element_bytes, std::int64_t outputs,
                           std::int64_t depth, bool contiguous) {
    if (outputs == 0 || depth == 0)
        return 0;
    const std::int64_t v = target.vector_width(element_bytes);
    const std::int64_t workers = target.workers_per_tile;
    if (outputs == 1 && depth > workers) // workers take parts of the one sum, one of them adds up the parts
        return workers * (17 + 12 + ceil_div(ceil_div(depth, workers), v)) + workers * (17 + 12 + workers);
    const std::int64_t share = ceil_div(outputs, workers);
    if (contiguous)
        return workers * (share * (ceil_div(depth, v) + 12) + 17);
    return workers * (16 + ceil_div(share, v) * (3 + 7 + 3 + (depth - 1)));
}

std::int64_t pool_cycles(const Target& target, PoolVertex vertex, std::int64_t element_bytes,
                         std::int64_t outputs, std::int64_t channels, std::int64_t window) {
    if (outputs == 0)
        return 0;
    const std::int64_t grain = target.vector_width(element_bytes);
    const std::int64_t groups = ceil_div(channels, 8 * grain);
    const std::int64_t grains = ceil_div(ceil_div(channels, groups), grain);
    const std::int64_t positions = ceil_div(outputs, target.workers_per_tile);
    const std::int64_t n = positions - 1;
    const std::int64_t inner = vertex == PoolVertex::Max   ? 4 + 3 * n
                               : vertex == PoolVertex::Sum ? 5 + 3 * n
                                                           : 7 + 5 * n;
    const std::int64_t item = 20 + groups * (5 + grains * (3 + inner) + 1) + 3;
    const std::int64_t worker = 17 + 2 + 5 * groups + 6 + (13 + window * item + 2) + 1;
    return 7 + target.workers_per_tile * worker + 6;
}

std::int64_t argmax_cycles(const Target& target, std::int64_t rows, std::int64_t classes) {
    if (rows == 0)
        return 0;
    const std::int64_t size = std::max<std::int64_t>(32, ceil_div(rows * classes, target.workers_per_tile));
    return target.workers_per_tile * (30 + 3 * std::min(size, rows * classes)) + 9;
}

} // namespace tilescope::ipu
