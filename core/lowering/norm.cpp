// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"
#include "ipu/elementwise_cycles.h"
#include "ipu/norm_cycles.h"
#include "operators/replica_groups.h"

#include <algorithm>

/// Norms as PopLibs builds them (lib/popnn/BatchNorm.cpp, lib/poplin/Norms.cpp): statistics are two
/// reductions in the same steps, ADD and SQUARE_ADD (normStatisticsImpl, reduceMany); whitening is a
/// broadcast subtraction and a broadcast product; the backward pass is two reductions in the same steps
/// (normParamGradients, JointGammaDelta) and three broadcasts.
namespace tilescope::lowering {
namespace {

bool over_last_axis(LoweringContext& context) {
    const auto rank = static_cast<std::int64_t>(context.input_type(0).shape.size());
    const auto axes = context.attributes().integers("axes");
    return std::any_of(axes.begin(), axes.end(),
                       [rank](std::int64_t axis) { return axis == -1 || axis == rank - 1; });
}

/// Elements that lie one after another and have statistics of their own: the channels of a batch norm; 1
/// where the last axis is reduced.
std::int64_t vector_length(LoweringContext& context) {
    return over_last_axis(context) ? 1 : context.input_type(0).shape.back();
}

/// How many of them a tile has, of a tensor that lies so.
std::int64_t vector_on_tile(const program::TileMapping& mapping, std::int64_t length) {
    std::int64_t on_tile = 1;
    std::int64_t covered = 1;
    const std::vector<program::Axis>& axes = mapping.axes();
    for (std::size_t d = axes.size(); d-- > 0 && covered < length; covered *= axes[d].extent)
        on_tile *= std::min({axes[d].extent, axes[d].block, axes[d].piece});
    return covered == length ? on_tile : length;
}

/// Operations on each element with its group's statistics: as many passes over the data as `passes`.
void lower_broadcast(LoweringContext& context, std::int64_t passes) {
    const std::int64_t bytes = graph::element_bytes(context.input_type(0).dtype);
    const std::int64_t length = vector_on_tile(context.input_mapping(0), vector_length(context));
    lower_elementwise_set(context, ipu::codelets::broadcast_vector, [&](std::int64_t n) {
        return passes * ipu::broadcast_vector_cycles(context.target(), bytes, length, n);
    });
}

void lower_normalise(LoweringContext& context) {
    lower_broadcast(context, 2); // subtract, multiply
}
void lower_normalise_gradient(LoweringContext& context) {
    lower_broadcast(context, 1);
}
void lower_moments_gradient(LoweringContext& context) {
    lower_broadcast(context, 3); // subtract, multiply, add
}

/// The second output from the sums, which lie on the same tiles.
void finish_statistics(LoweringContext& context, const std::string& name, bool deviation) {
    const std::int64_t bytes = graph::element_bytes(context.output_type(1).dtype);
    const Placed first = context.here(context.operation().outputs[0]);
    const Placed second = context.here(context.operation().outputs[1]);
    std::vector<program::VariableId> uses{second.variable, first.variable};
    std::vector<std::int64_t> cycles = second.mapping.elements_per_tile();
    for (std::int64_t& n : cycles) {
        const std::int64_t held = n;
        n = ipu::fused_elementwise_cycles(context.target(), {"square", "subtract", "multiply"}, bytes, held);
        if (deviation)
            n += ipu::inverse_deviation_cycles(held);
    }
    context.execute(name, ipu::codelets::fused, cycles, std::move(uses), "square,subtract,multiply");
}

/// Mean and power, as sums on the way to the statistics.
void lower_sums_of_moments(LoweringContext& context) {
    const graph::TensorType x = context.input_type(0);
    const bool innermost = over_last_axis(context);
    const Placed in = context.input(0);
    lower_reduction(context, {x, {in, in}, innermost, "mean and power "}); // squares on the way
}

void lower_moments(LoweringContext& context) {
    lower_sums_of_moments(context);
    finish_statistics(context, "Variance", false);
}

/// The replicas of a group add up their means and powers.
void lower_group_moments(LoweringContext& context) {
    lower_sums_of_moments(context);
    std::vector<RingSum> sums;
    for (const graph::ValueId output : context.operation().outputs) {
        const Placed placed = context.here(output);
        sums.push_back({placed.variable, placed.variable, placed.mapping});
    }
    lower_ring_sums(context, context.attributes().integer(operators::group_attribute, 1), sums);
    finish_statistics(context, "Variance", false);
}

/// dy (x - mean), element by element where dy lies, and the sums of that and of dy.
void lower_statistics_gradient(LoweringContext& context) {
    const graph::TensorType x = context.input_type(0);
    const std::int64_t bytes = graph::element_bytes(x.dtype);
    const Placed dy = context.input(3);
    std::vector<program::VariableId> uses{dy.variable};
    context.bring(0, dy.mapping.view(), program::needs_of(dy.mapping), uses);
    const BroadcastNeeds mean = broadcast_needs(context.input_type(1).shape, x.shape, dy.mapping);
    context.bring(1, mean.shape, mean.needs, uses);
    const std::int64_t length = vector_on_tile(dy.mapping, vector_length(context));
    std::vector<std::int64_t> cycles = dy.mapping.elements_per_tile();
    std::vector<std::int32_t> held(cycles.size());
    for (std::size_t t = 0; t < cycles.size(); ++t) {
        held[t] = static_cast<std::int32_t>(cycles[t] * bytes);
        cycles[t] = ipu::broadcast_vector_cycles(context.target(), bytes, length, cycles[t]) +
                    ipu::elementwise_cycles(context.target(), "multiply", bytes, true, cycles[t]);
    }
    const program::VariableId products = context.temporary("products", x.dtype, std::move(held));
    uses.push_back(products);
    context.execute("Products", ipu::codelets::broadcast_vector, cycles, std::move(uses));
    const bool innermost = over_last_axis(context);
    lower_reduction(context, {x, {dy, {products, dy.mapping}}, innermost, "mean and variance "});
    finish_statistics(context, "ScaleSums", true);
}

} // namespace

void add_norm_lowerings(LoweringTable& table) {
    table.set("moments", lower_moments);
    table.set("group_moments", lower_group_moments);
    table.set("moments_gradient", lower_moments_gradient);
    table.set("normalise", lower_normalise);
    table.set("normalise_gradient", lower_normalise_gradient);
    table.set("normalise_statistics_gradient", lower_statistics_gradient);
}

} // namespace tilescope::lowering
