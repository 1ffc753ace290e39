// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/operators.h"

#include "base/try.h"
#include "operators/families.h"
#include "operators/require_flops.h"

namespace tilescope::operators {

graph::OperatorRegistry standard_operators() {
    graph::OperatorRegistry registry;
    add_elementwise_operators(registry);
    add_bitwise_operators(registry);
    add_remainder_operators(registry);
    add_fused_elementwise_operator(registry);
    add_matmul_operators(registry);
    add_convolution_operators(registry);
    add_pooling_operators(registry);
    add_shape_operators(registry);
    add_reduction_operators(registry);
    add_softmax_operators(registry);
    add_loss_operators(registry);
    add_norm_operators(registry);
    add_embedding_operators(registry);
    add_dropout_operators(registry);
    add_rounding_operators(registry);
    add_split_operator(registry);
    add_take_operator(registry);
    add_gather_operators(registry);
    add_scatter_operators(registry);
    add_top_k_operator(registry);
    add_update_operators(registry);
    add_scan_operator(registry);
    add_collective_operators(registry);
    add_replica_group_operators(registry);
    add_remote_operators(registry);
    require_flops(registry);
    return registry;
}

Result<void> expect_inputs(std::span<const graph::TensorType> inputs, std::size_t count) {
    if (inputs.size() != count)
        return shape_error(std::to_string(count) + " inputs", std::to_string(inputs.size()));
    return {};
}

Failure shape_error(const std::string& what, const std::string& got) {
    return bad_input("expects " + what + ", got " + got);
}

Result<std::size_t> normal_axis(std::int64_t axis, std::size_t rank) {
    const auto n = static_cast<std::int64_t>(rank);
    if (axis < -n || axis >= n)
        return shape_error("an axis from " + std::to_string(-n) + " to " + std::to_string(n - 1),
                           std::to_string(axis));
    return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

graph::InferFunction same_as_first(std::size_t count) {
    return [count](std::span<const graph::TensorType> inputs,
                   const graph::Attributes&) -> Result<std::vector<graph::TensorType>> {
        TRY(expect_inputs(inputs, count));
        for (const graph::TensorType& type : inputs)
            if (type.shape != inputs[0].shape)
                return shape_error("inputs of one shape", to_string(inputs[0]) + " and " + to_string(type));
        return std::vector<graph::TensorType>{inputs[0]};
    };
}

graph::InferFunction of_floats(graph::InferFunction infer) {
    return [infer = std::move(infer)](std::span<const graph::TensorType> inputs,
                                      const graph::Attributes& a) -> Result<std::vector<graph::TensorType>> {
        for (const graph::TensorType& type : inputs)
            if (!is_floating(type.dtype))
                return shape_error("float inputs", to_string(type));
        return infer(inputs, a);
    };
}

} // namespace tilescope::operators
