// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"

#include <cstdint>
#include <string>
#include <vector>

/// Cycles of elementwise vertices on one tile, all six workers taking part. `elements` is the tile's share.
namespace tilescope::ipu {

/// Inner loop of one operation: `cycles` for each `elements` elements of one worker.
struct LoopCost {
    std::int64_t cycles = 3;
    std::int64_t elements = 2;
    std::int64_t set_up = 0; ///< cycles of the worker before the loop, beyond what every vertex has
};

/// Whether an operation has a price: a figure of its own, or parts that have one. Without it has no cycles,
/// and asking for them ends the program.
bool has_elementwise_price(const std::string& kind);

/// The operations that one without a figure of its own is made of; empty for one with a figure.
const std::vector<std::string>& elementwise_parts(const std::string& kind);

/// One elementwise operation. With a figure of its own, by operation name and element size (2: half, 4: float
/// or int), a "1D" multi-vertex: 11 + 6 (29, or 26 where elements are half, + loop), unary 20 + 6 (17
/// + set-up + loop). Sources: PopLibs lib/popops/popopsCycleEstimators.cpp; for GELU by the tanh and swish
/// the vertices of lib/popnn, to within a cycle of each worker's. Without one, its parts in one vertex.
std::int64_t elementwise_cycles(const Target& target, const std::string& kind, std::int64_t element_bytes,
                                bool binary, std::int64_t elements);

/// Several operations in one pass over the data: one load/store set, as many elements at a time as the
/// narrowest of them takes, and the arithmetic of each. An inference from the single forms (popops::map
/// compiles an expression to one vertex), so that no expression is cheaper than what it is made of.
std::int64_t fused_elementwise_cycles(const Target& target, const std::vector<std::string>& kinds,
                                      std::int64_t element_bytes, std::int64_t elements);

/// float <-> half or int. Source: PopLibs include/popops/PerformanceEstimation.hpp, cast.
std::int64_t cast_cycles(const Target& target, std::int64_t from_bytes, std::int64_t to_bytes,
                         std::int64_t elements);

/// uint8 -> half, four elements of a worker at a time in a loop of 9 cycles; to float it is as from int.
/// Source: PopLibs lib/popops/PerformanceEstimation.cpp, castWorkerCycles.
std::int64_t byte_to_half_cycles(const Target& target, std::int64_t elements);

/// Fill with a constant. Source: PopLibs lib/popops/popopsCycleEstimators.cpp, fill.
std::int64_t fill_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements);

/// Copy of `bytes` on a tile, `atom` bytes contiguous at a time: 288 + bytes / min(data path, atom). The rate
/// is what PopLibs' planner takes (lib/poplin/ConvModel.cpp, addTransformCycleEstimate,
/// getMemcpyBytesPerCycle); the call, which it leaves out, was measured on a C600 for a copy by six workers
/// (osmarks/ipu-stack, crates/ipu-codegen/src/cost.rs).
std::int64_t copy_cycles(const Target& target, std::int64_t bytes, std::int64_t atom);

/// What putting bytes of a tensor in another order costs as a copy of so many: 5/4 of them, or 5/3 where
/// `channels` are no multiple of 4 halves or 2 floats. Source: PopLibs lib/poplin/ConvModel.cpp,
/// getScaleFactorForTransform.
std::int64_t transform_bytes(std::int64_t bytes, std::int64_t element_bytes, std::int64_t channels);

/// An operand of a product put in the order of its vertices: a copy of these bytes, an element at a time.
/// `channels`: those of input times those of output.
std::int64_t transform_cycles(const Target& target, std::int64_t bytes, std::int64_t element_bytes,
                              std::int64_t channels);

/// A dynamic slice or update of one region. Source: PopLibs include/popops/PerformanceEstimation.hpp:
/// 25 + 6 (39 + 24 + 2 floor(n / v)).
std::int64_t slice_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements);

/// Dropout with its mask. Source: PopLibs lib/poprand: 6 + 144 + 2 ceil(n / v).
std::int64_t dropout_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements);

/// x + s n with normal numbers n: making them, and adding them. Source: PopLibs lib/poprand: 4 + 22 w + 4 n /
/// v for w workers (24 w where elements are half), and ScaledAdd. Of numbers not beyond `limit` deviations: 4
/// + 26 w + (11 k + 5) n / v (28 w, 12 k where elements are half) with k = ceil(4 / -log10(erfc(limit /
/// sqrt(2)))) draws, of which the last lies within by 1 in 10,000 at the least (lib/poprand/RandomGen.cpp).
std::int64_t normal_noise_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements,
                                 double limit = 0);

/// a += s b, one pass. Source: PopLibs lib/popops, ScaledAdd: 50 + 6 (15 + 6 + 3 (k - 1) + 3).
std::int64_t scaled_add_cycles(const Target& target, std::int64_t element_bytes, std::int64_t elements);

} // namespace tilescope::ipu
