// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lowering/context.h"
#include "lowering/lowering_table.h"

#include <functional>

/// The lowerings of each family of operations, one file each; `standard_lowerings` calls them all.
namespace tilescope::lowering {

void add_elementwise_lowerings(LoweringTable& table);
void add_matmul_lowerings(LoweringTable& table);
void add_convolution_lowerings(LoweringTable& table);
void add_pooling_lowerings(LoweringTable& table);
void add_reduction_lowerings(LoweringTable& table);
void add_indexing_lowerings(LoweringTable& table);
void add_norm_lowerings(LoweringTable& table);
void add_embedding_lowerings(LoweringTable& table);
void add_shape_lowerings(LoweringTable& table);
void add_scan_lowering(LoweringTable& table);
void add_update_lowerings(LoweringTable& table);
void add_collective_lowerings(LoweringTable& table);
void add_remote_lowerings(LoweringTable& table);

/// Lowers what works element by element on inputs that broadcast to the output: exchanges of what is
/// elsewhere, then one compute set with these cycles for the elements of a tile. The output takes the memory
/// of an input where it may. `types`: what the codelet is instantiated for.
void lower_elementwise_set(LoweringContext& context, const ipu::Codelet& codelet,
                           const std::function<std::int64_t(std::int64_t elements)>& cycles,
                           const std::string& types = {});

/// What a reduction reads and makes.
struct ReductionParts {
    graph::TensorType type;  ///< of what is reduced
    Placed source;           ///< where that lies
    bool innermost = false;  ///< over the last dimension among others
    std::size_t output = 0;  ///< number of the operation's output that it makes
    std::string prefix = {}; ///< of its steps' names
};
/// Lowers one reduction in stages: every tile reduces what it holds to partials, exchanges gather each
/// output's partials, and those are added up (PopLibs lib/popops/reduction: a further stage in between while
/// the fan-in is above twice the square root of the number of tiles).
void lower_reduction(LoweringContext& context, const ReductionParts& parts);

/// The block of a broadcast operand of shape `operand` that the block `box` of a tensor of shape `view`
/// reads. `view` is either the full shape or its flat form [n] of the shape `full`.
program::Box broadcast_box(const program::Shape& operand, const program::Shape& full,
                           const program::Shape& view, const program::Box& box);

} // namespace tilescope::lowering
