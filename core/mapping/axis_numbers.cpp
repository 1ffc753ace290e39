// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/axis_numbers.h"

#include <algorithm>
#include <limits>

namespace tilescope::mapping {

std::vector<std::int64_t> numbers_of(const Axis& axis) {
    std::vector<std::int64_t> numbers{axis.extent, axis.block, axis.stride,
                                      axis.period, axis.piece, axis.piece_stride};
    if (axis.skipped > 0)
        numbers.push_back(axis.skipped);
    return numbers;
}

std::optional<Axis> axis_of(const std::vector<std::int64_t>& numbers) {
    const auto outside = [](std::int64_t n) { return n < 0 || n > std::numeric_limits<std::int32_t>::max(); };
    if (numbers.size() < 6 || numbers.size() > 7 || std::any_of(numbers.begin(), numbers.end(), outside))
        return std::nullopt;
    const Axis axis{numbers[0],
                    numbers[1],
                    numbers[2],
                    numbers[3],
                    numbers[4],
                    numbers[5],
                    numbers.size() == 7 ? numbers[6] : 0};
    if (axis.extent < 1 || axis.block < 1 || axis.period < 1 || axis.piece < 1 || axis.skipped >= axis.block)
        return std::nullopt;
    return axis;
}

} // namespace tilescope::mapping
