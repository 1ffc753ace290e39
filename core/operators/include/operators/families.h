// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"

#include <initializer_list>
#include <string>

/// Each family of operations adds itself to the registry; `standard_operators` calls them all.
namespace tilescope::operators {

void add_elementwise_operators(graph::OperatorRegistry& registry);
void add_bitwise_operators(graph::OperatorRegistry& registry);
void add_remainder_operators(graph::OperatorRegistry& registry);
void add_fused_elementwise_operator(graph::OperatorRegistry& registry);
void add_matmul_operators(graph::OperatorRegistry& registry);
void add_convolution_operators(graph::OperatorRegistry& registry);
void add_pooling_operators(graph::OperatorRegistry& registry);
void add_shape_operators(graph::OperatorRegistry& registry);
void add_reduction_operators(graph::OperatorRegistry& registry);
void add_softmax_operators(graph::OperatorRegistry& registry);
void add_loss_operators(graph::OperatorRegistry& registry);
void add_norm_operators(graph::OperatorRegistry& registry);
void add_embedding_operators(graph::OperatorRegistry& registry);
void add_dropout_operators(graph::OperatorRegistry& registry);
void add_rounding_operators(graph::OperatorRegistry& registry);
void add_split_operator(graph::OperatorRegistry& registry);
void add_take_operator(graph::OperatorRegistry& registry);
void add_gather_operators(graph::OperatorRegistry& registry);
void add_scatter_operators(graph::OperatorRegistry& registry);
void add_top_k_operator(graph::OperatorRegistry& registry);
void add_update_operators(graph::OperatorRegistry& registry);
void add_scan_operator(graph::OperatorRegistry& registry);
void add_collective_operators(graph::OperatorRegistry& registry);
void add_replica_group_operators(graph::OperatorRegistry& registry);
void add_remote_operators(graph::OperatorRegistry& registry);

/// The statistics of what all lanes have.
void moments_of_group(std::span<graph::ComputeContext> lanes);

/// BadInput unless there are `count` inputs.
Result<void> expect_inputs(std::span<const graph::TensorType> inputs, std::size_t count);
/// BadInput "expects …, got …", without a place: the builder adds the operation's name.
Failure shape_error(const std::string& what, const std::string& got);
/// Axis `axis` of a tensor of this rank, negative ones counted from the end. BadInput where out of range.
Result<std::size_t> normal_axis(std::int64_t axis, std::size_t rank);
/// Same type as the first input, `count` of them: the shape rule of element by element operations.
graph::InferFunction same_as_first(std::size_t count);
/// The same rule, for inputs that are all floats.
graph::InferFunction of_floats(graph::InferFunction infer);

} // namespace tilescope::operators
