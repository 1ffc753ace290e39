// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/embedding_cycles.h"

#include "base/units.h"

namespace tilescope::ipu {

std::int64_t multi_slice_cycles(const Target& target, std::int64_t offsets, std::int64_t row_elements) {
    if (offsets == 0 || row_elements == 0)
        return 0;
    const std::int64_t share = ceil_div(offsets, target.workers_per_tile);
    return target.workers_per_tile * (30 + share * (19 + 2 * ceil_div(row_elements, std::int64_t{2})));
}

std::int64_t multi_update_add_cycles(const Target& target, std::int64_t element_bytes, std::int64_t offsets,
                                     std::int64_t row_elements) {
    if (offsets == 0 || row_elements == 0)
        return 0;
    const std::int64_t atoms = ceil_div(row_elements, target.vector_width(element_bytes));
    const std::int64_t first = element_bytes == 4 ? 11 : 13;
    const std::int64_t added = ceil_div(offsets, target.workers_per_tile);
    return target.workers_per_tile * (40 + added * (first + (atoms - 1) * 3) + (offsets - added) * 5);
}

} // namespace tilescope::ipu
