// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"
#include "ops/lowering_context.h"

/// The lowerings of each family of operations, one file each; `add_lowerings` gives them to the registry.
namespace tilescope::ops {

void add_lowerings(graph::OperatorRegistry& registry);

void add_elementwise_lowerings(graph::OperatorRegistry& registry);
void add_matmul_lowerings(graph::OperatorRegistry& registry);
void add_convolution_lowerings(graph::OperatorRegistry& registry);
void add_pooling_lowerings(graph::OperatorRegistry& registry);
void add_reduction_lowerings(graph::OperatorRegistry& registry);
void add_indexing_lowerings(graph::OperatorRegistry& registry);
void add_shape_lowerings(graph::OperatorRegistry& registry);
void add_update_lowerings(graph::OperatorRegistry& registry);

/// The block of a broadcast operand of shape `operand` that the block `box` of a tensor of shape `view`
/// reads. `view` is either the full shape or its flat form [n] of the shape `full`.
program::Box broadcast_box(const program::Shape& operand, const program::Shape& full,
                           const program::Shape& view, const program::Box& box);

} // namespace tilescope::ops
