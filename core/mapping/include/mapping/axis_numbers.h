// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/tile_mapping.h"

#include <cstdint>
#include <optional>
#include <vector>

/// How a tensor is cut along an axis, as profiles have it (table `exchange_moves`).
namespace tilescope::mapping {

/// Extent, block, stride, period, piece, stride of pieces; behind them, where there are any, the elements
/// that are skipped.
std::vector<std::int64_t> numbers_of(const Axis& axis);

/// The axis of these numbers; nullopt where they are of none, in a damaged file.
std::optional<Axis> axis_of(const std::vector<std::int64_t>& numbers);

} // namespace tilescope::mapping
