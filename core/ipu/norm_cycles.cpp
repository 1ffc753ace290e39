// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/norm_cycles.h"

#include "base/units.h"

#include <algorithm>

namespace tilescope::ipu {
namespace {

/// The vector runs along the elements: `copies` runs of `length` for each worker.
std::int64_t inner_core(std::int64_t element_bytes, std::int64_t length, std::int64_t copies) {
    if (element_bytes == 4)
        return 7 + length * (8 + 2 * copies);
    if (length % 8 == 0)
        return 10 + length / 8 * (15 + 2 * (copies - 1));
    if (length % 4 == 0)
        return length / 4 * (13 + copies);
    return length * (5 + 9 * copies);
}

} // namespace

std::int64_t broadcast_vector_cycles(const Target& target, std::int64_t element_bytes, std::int64_t length,
                                     std::int64_t elements) {
    if (elements == 0)
        return 0;
    const std::int64_t workers = target.workers_per_tile;
    if (length > 1) {
        const std::int64_t run = std::min(length, elements);
        const std::int64_t copies = ceil_div(ceil_div(elements, run), workers);
        return 13 + workers * ((element_bytes == 4 ? 17 : 19) + inner_core(element_bytes, run, copies));
    }
    const std::int64_t columns = ceil_div(elements, workers);
    return 11 + workers * (15 + 7 + 2 * ceil_div(columns, target.vector_width(element_bytes)));
}

std::int64_t inverse_deviation_cycles(std::int64_t elements) {
    return elements == 0 ? 0 : 4 + 5 * ceil_div(elements, std::int64_t{2});
}

} // namespace tilescope::ipu
