// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "ops/lowering.h"
#include "ops/planned_lowering.h"

namespace tilescope::ops {
namespace {

using program::Box;
using program::Shape;

/// [.., m, k] x [.., k, n], planned as a 1x1 convolution with batch m and one group for each leading index.
void lower_matmul(LoweringContext& context) {
    const bool transpose_a = context.attributes().flag("transpose_a");
    const bool transpose_b = context.attributes().flag("transpose_b");
    const Shape a = context.input_type(0).shape;
    const Shape y = context.output_type().shape;
    const std::int64_t m = y[y.size() - 2];
    const std::int64_t n = y.back();
    const std::int64_t k = transpose_a ? a[a.size() - 2] : a.back();
    std::int64_t groups = 1;
    for (std::size_t d = 0; d + 2 < y.size(); ++d)
        groups *= y[d];

    ipu::ConvProblem p;
    p.groups = groups;
    p.batch = m;
    p.in_channels = k;
    p.out_channels = n;
    p.types = conv_types(context.input_type(0), context.attributes());

    const auto box = [](bool transposed, std::int64_t g0, std::int64_t g1, std::int64_t r0, std::int64_t r1,
                        std::int64_t c0, std::int64_t c1) {
        return transposed ? Box{{g0, c0, r0}, {g1, c1, r1}} : Box{{g0, r0, c0}, {g1, r1, c1}};
    };
    PlannedOperands operands;
    operands.input_shape = transpose_a ? Shape{groups, k, m} : Shape{groups, m, k};
    operands.weight_shape = transpose_b ? Shape{groups, n, k} : Shape{groups, k, n};
    operands.input_box = [=](const ConvRanges& r) {
        return box(transpose_a, r.group0, r.group1, r.batch0, r.batch1, r.in0, r.in1);
    };
    operands.weight_box = [=](const ConvRanges& r) {
        return box(transpose_b, r.group0, r.group1, r.in0, r.in1, r.out0, r.out1);
    };
    operands.order = PlannedOperands::Order::GroupBatchHeight;
    operands.output_view = {groups, m, n};
    operands.output_blocks = [=](const ipu::ConvSplits& s) {
        return Shape{ceil_div(groups, s.groups), ceil_div(m, s.batch), ceil_div(n, s.out_channels)};
    };
    lower_planned(context, p, operands);
}

} // namespace

void add_matmul_lowerings(graph::OperatorRegistry& registry) {
    registry.set_lowering("matmul", lower_matmul);
}

} // namespace tilescope::ops
