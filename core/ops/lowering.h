// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"
#include "ops/lowering_context.h"

#include <functional>

/// The lowerings of each family of operations, one file each; `add_lowerings` gives them to the registry.
namespace tilescope::ops {

void add_lowerings(graph::OperatorRegistry& registry);

void add_elementwise_lowerings(graph::OperatorRegistry& registry);
void add_matmul_lowerings(graph::OperatorRegistry& registry);
void add_convolution_lowerings(graph::OperatorRegistry& registry);
void add_pooling_lowerings(graph::OperatorRegistry& registry);
void add_reduction_lowerings(graph::OperatorRegistry& registry);
void add_indexing_lowerings(graph::OperatorRegistry& registry);
void add_norm_lowerings(graph::OperatorRegistry& registry);
void add_embedding_lowerings(graph::OperatorRegistry& registry);
void add_shape_lowerings(graph::OperatorRegistry& registry);
void add_scan_lowering(graph::OperatorRegistry& registry);
void add_update_lowerings(graph::OperatorRegistry& registry);

/// Lowers what works element by element on inputs that broadcast to the output: exchanges of what is
/// elsewhere, then one compute set with these cycles for the elements of a tile. The output takes the memory
/// of an input where it may.
void lower_elementwise_set(LoweringContext& context, const std::string& codelet,
                           const std::function<std::int64_t(std::int64_t elements)>& cycles);

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

} // namespace tilescope::ops
