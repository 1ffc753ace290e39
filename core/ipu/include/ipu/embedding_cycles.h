// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"

#include <cstdint>

/// Cycles of looking up rows of a table on one tile. Every offset is taken to name a row that the tile holds,
/// as the sources do. Source: PopLibs include/popops/PerformanceEstimation.hpp, lib/popops/DynamicSlice.cpp.
namespace tilescope::ipu {

/// `offsets` rows of `row_elements` are copied out (MultiSlice).
std::int64_t multi_slice_cycles(const Target& target, std::int64_t offsets, std::int64_t row_elements);

/// `offsets` rows are added to those of the table (MultiUpdateAdd), in atoms of 8 bytes. Workers share the
/// table's rows: each adds its part of the offsets, taken to be even, and passes over the others.
std::int64_t multi_update_add_cycles(const Target& target, std::int64_t element_bytes, std::int64_t offsets,
                                     std::int64_t row_elements);

} // namespace tilescope::ipu
