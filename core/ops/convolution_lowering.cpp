// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "ops/lowering.h"
#include "ops/planned_lowering.h"

#include <algorithm>
#include <numeric>

namespace tilescope::ops {

using program::Box;
using program::Shape;
using program::TileMapping;
using program::TileNeed;

ipu::ConvTypes conv_types(const graph::TensorType& input, const graph::Attributes& attributes) {
    ipu::ConvTypes types;
    types.input_bytes = graph::element_bytes(input.dtype);
    types.partial_bytes = attributes.text("partials_type") == "half" ? 2 : 4;
    return types;
}

namespace {

/// Part `index` of `parts` of an extent, in blocks of equal size.
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
Range part(std::int64_t extent, std::int64_t parts, std::int64_t index) {
    const std::int64_t size = ceil_div(extent, parts);
    return {std::min(extent, index * size), std::min(extent, (index + 1) * size)};
}

/// Which ranges of the problem each tile works on.
struct Share {
    Range groups, batch, height, out, in, kernel;
};

/// Tile index: partials outermost and output channels innermost, so that neighbours share their input, as in
/// PopLibs (ConvModel.cpp); between them batch, height and group in the order of the output's dimensions.
Share share_of(const ipu::ConvProblem& p, const ipu::ConvSplits& s, PlannedOperands::Order order,
               std::int64_t index) {
    Share share;
    const auto take = [&index](std::int64_t parts) {
        const std::int64_t value = index % parts;
        index /= parts;
        return value;
    };
    share.out = part(p.out_channels, s.out_channels, take(s.out_channels));
    if (order != PlannedOperands::Order::GroupBatchHeight)
        share.groups = part(p.groups, s.groups, take(s.groups));
    if (order == PlannedOperands::Order::HeightBatchGroup)
        share.batch = part(p.batch, s.batch, take(s.batch));
    share.height = part(p.out_height, s.height, take(s.height));
    if (order != PlannedOperands::Order::HeightBatchGroup)
        share.batch = part(p.batch, s.batch, take(s.batch));
    if (order == PlannedOperands::Order::GroupBatchHeight)
        share.groups = part(p.groups, s.groups, take(s.groups));
    share.kernel = part(p.kernel_height, s.kernel_height, take(s.kernel_height));
    share.in = part(p.in_channels, s.in_channels, take(s.in_channels));
    return share;
}

bool empty(Range r) {
    return r.begin >= r.end;
}
std::int64_t length(Range r) {
    return r.end - r.begin;
}

} // namespace

void lower_planned(LoweringContext& context, const ipu::ConvProblem& problem,
                   const PlannedOperands& operands) {
    const ipu::ConvPlan plan = context.plan(problem).front();
    const ipu::ConvSplits& s = plan.splits;
    const auto tiles = static_cast<std::size_t>(context.tiles());

    std::vector<TileNeed> input_needs;
    std::vector<TileNeed> weight_needs;
    std::vector<std::int64_t> cycles(tiles, 0);
    std::vector<std::int32_t> partial_bytes(tiles, 0);
    for (std::int64_t tile = 0; tile < s.tiles(); ++tile) {
        const Share share = share_of(problem, s, operands.order, tile);
        if (empty(share.groups) || empty(share.batch) || empty(share.height) || empty(share.out) ||
            empty(share.in) || empty(share.kernel))
            continue;
        const ConvRanges ranges{share.groups.begin, share.groups.end, share.batch.begin,  share.batch.end,
                                share.height.begin, share.height.end, share.out.begin,    share.out.end,
                                share.in.begin,     share.in.end,     share.kernel.begin, share.kernel.end};
        input_needs.push_back({tile, operands.input_box(ranges)});
        weight_needs.push_back({tile, operands.weight_box(ranges)});
        ipu::ConvWork work;
        work.conv_groups = length(share.groups);
        work.batch = length(share.batch);
        work.rows = length(share.height);
        work.row_length = problem.out_width;
        work.kernel_height = length(share.kernel);
        work.kernel_width = problem.kernel_width;
        work.in_channels = length(share.in);
        work.out_channels = length(share.out);
        cycles[static_cast<std::size_t>(tile)] =
            ipu::conv_partial_cycles(context.target(), plan.vertex, problem.types, work);
        partial_bytes[static_cast<std::size_t>(tile)] = static_cast<std::int32_t>(
            work.conv_groups * work.positions() * work.out_channels * problem.types.partial_bytes);
    }

    std::vector<program::VariableId> uses;
    context.bring(operands.input, operands.input_shape, input_needs, uses);
    context.bring(operands.weights, operands.weight_shape, weight_needs, uses);

    const bool reduces = s.depth() > 1;
    Shape view = operands.output_view;
    Shape blocks = operands.output_blocks(s);
    if (problem.groups == 1) { // leave out the dimension of the groups
        const auto at = operands.order == PlannedOperands::Order::GroupBatchHeight
                            ? std::ptrdiff_t{0}
                            : static_cast<std::ptrdiff_t>(view.size()) - 2;
        view.erase(view.begin() + at);
        blocks.erase(blocks.begin() + at);
    }
    const Codelet codelet{ipu::codelet_name(plan, problem.types),
                          plan.vertex == ipu::ConvVertex::Amp1x1 ? 141 : 180, 10};
    if (!reduces) {
        uses.push_back(context.place_output(0, TileMapping::grid(view, blocks, context.tiles())));
        context.execute("Convolve", codelet, cycles, std::move(uses));
        return;
    }
    const program::VariableId partials = context.temporary(
        "partials", problem.types.partial_bytes == 4 ? "float32" : "float16", partial_bytes);
    uses.push_back(partials);
    context.execute("Convolve", codelet, cycles, uses);

    // Each of the `depth` tiles that hold partials of a block adds up its own part of that block, in place
    // of the one-in-depth that it already has.
    const std::int64_t depth = s.depth();
    std::vector<std::int32_t> received(tiles, 0);
    std::vector<std::int64_t> reduce_cycles(tiles, 0);
    program::Exchange exchange;
    exchange.sent.assign(tiles, 0);
    exchange.received.assign(tiles, 0);
    std::int64_t most = 0;
    for (std::int64_t tile = 0; tile < s.tiles(); ++tile) {
        const auto t = static_cast<std::size_t>(tile);
        const std::int64_t block = partial_bytes[t] / problem.types.partial_bytes;
        const std::int64_t block_of = tile % s.outputs();
        const std::int64_t rank = tile / s.outputs();
        const Range mine = part(block, depth, rank);
        reduce_cycles[t] = ipu::conv_reduce_cycles(context.target(), problem.types, length(mine), depth);
        for (std::int64_t other = 0; other < depth; ++other) {
            const std::int64_t sender = block_of + other * s.outputs();
            if (sender == tile || partial_bytes[static_cast<std::size_t>(sender)] == 0)
                continue;
            const std::int64_t bytes = length(mine) * problem.types.partial_bytes;
            exchange.sent[static_cast<std::size_t>(sender)] += bytes;
            exchange.received[t] += bytes;
        }
        received[t] = static_cast<std::int32_t>(exchange.received[t]);
        most = std::max({most, exchange.received[t]});
    }
    for (const std::int64_t sent : exchange.sent)
        most = std::max(most, sent);
    exchange.cycles =
        context.target().exchange_setup_cycles + ceil_div(most, context.target().exchange_bytes_per_cycle);
    const program::VariableId buffer = context.temporary("received partials", "float32", std::move(received));
    context.exchange("exchange(partials)", std::move(exchange), {partials, buffer});

    // The reduced block is cut along its longest dimension over the tiles that reduce it.
    const program::VariableId output =
        context.place_output(0, reduced_mapping(view, blocks, depth, context.tiles()));
    context.execute("Reduce", {"ConvReduce", 60, 5}, reduce_cycles, {partials, buffer, output});
}

TileMapping reduced_mapping(const Shape& view, Shape blocks, std::int64_t depth, std::int64_t tiles) {
    const auto longest = std::max_element(blocks.begin(), blocks.end());
    const std::int64_t cut = std::min(depth, *longest);
    *longest = ceil_div(*longest, cut);
    std::int64_t parts = 1;
    for (std::size_t d = 0; d < view.size(); ++d)
        parts *= ceil_div(view[d], blocks[d]);
    if (parts > tiles) // uneven blocks: fall back to whole rows in order
        return TileMapping::linear(view, tiles, 1, 1);
    return TileMapping::grid(view, blocks, tiles);
}

namespace {

struct Geometry {
    std::vector<std::int64_t> strides, padding, dilations;
    std::int64_t groups;
};
Geometry geometry(const graph::Attributes& a) {
    return {a.integers("strides", {1, 1}), a.integers("padding", {0, 0, 0, 0}),
            a.integers("dilations", {1, 1}), a.integer("groups", 1)};
}

/// Rows of the input that rows [begin, end) of the output read with kernel rows [k0, k1), clipped.
Range input_rows(const Geometry& g, std::int64_t begin, std::int64_t end, std::int64_t k0, std::int64_t k1,
                 std::int64_t height) {
    const std::int64_t first = begin * g.strides[0] + k0 * g.dilations[0] - g.padding[0];
    const std::int64_t last = (end - 1) * g.strides[0] + (k1 - 1) * g.dilations[0] - g.padding[0] + 1;
    return {std::clamp<std::int64_t>(first, 0, height), std::clamp<std::int64_t>(last, 0, height)};
}

/// y = conv(x, w): input 0 is x, input 1 is w.
void lower_conv2d(LoweringContext& context) {
    const Shape x = context.input_type(0).shape;
    const Shape w = context.input_type(1).shape;
    const Shape y = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    ipu::ConvProblem p;
    p.groups = g.groups;
    p.batch = y[0];
    p.out_height = y[1];
    p.out_width = y[2];
    p.kernel_height = w[0];
    p.kernel_width = w[1];
    p.in_channels = w[2];
    p.out_channels = w[3] / g.groups;
    p.stride = g.strides[0];
    p.types = conv_types(context.input_type(0), context.attributes());
    PlannedOperands operands;
    operands.input = 0;
    operands.weights = 1;
    operands.input_shape = x;
    operands.weight_shape = w;
    operands.input_box = [=](const ConvRanges& r) {
        const Range rows = input_rows(g, r.height0, r.height1, r.kernel0, r.kernel1, x[1]);
        const bool grouped = r.group1 - r.group0 > 1;
        return Box{{r.batch0, rows.begin, 0, r.group0 * w[2] + (grouped ? 0 : r.in0)},
                   {r.batch1, rows.end, x[2], grouped ? r.group1 * w[2] : r.group0 * w[2] + r.in1}};
    };
    const std::int64_t per_group = p.out_channels;
    operands.weight_box = [=](const ConvRanges& r) {
        const bool grouped = r.group1 - r.group0 > 1;
        return Box{{r.kernel0, 0, r.in0, r.group0 * per_group + (grouped ? 0 : r.out0)},
                   {r.kernel1, w[1], r.in1, grouped ? r.group1 * per_group : r.group0 * per_group + r.out1}};
    };
    operands.output_view = {y[0], y[1], y[2], p.groups, per_group};
    operands.output_blocks = [=](const ipu::ConvSplits& s) {
        return Shape{ceil_div(y[0], s.batch), ceil_div(y[1], s.height), y[2], ceil_div(p.groups, s.groups),
                     ceil_div(per_group, s.out_channels)};
    };
    lower_planned(context, p, operands);
}

/// dx = conv of dy with the kernel turned round: input 0 is dy, input 1 is w.
void lower_input_gradient(LoweringContext& context) {
    const Shape dy = context.input_type(0).shape;
    const Shape w = context.input_type(1).shape;
    const Shape dx = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    ipu::ConvProblem p;
    p.groups = g.groups;
    p.batch = dx[0];
    p.out_height = dx[1];
    p.out_width = dx[2];
    p.kernel_height = ceil_div(w[0], g.strides[0]); // with a stride each position sees part of the kernel
    p.kernel_width = ceil_div(w[1], g.strides[1]);
    p.in_channels = w[3] / g.groups;
    p.out_channels = w[2];
    p.types = conv_types(context.input_type(0), context.attributes());
    PlannedOperands operands;
    operands.input = 0;
    operands.weights = 1;
    operands.input_shape = dy;
    operands.weight_shape = w;
    const std::int64_t per_group = w[3] / g.groups;
    operands.input_box = [=](const ConvRanges& r) {
        const std::int64_t span = (w[0] - 1) * g.dilations[0];
        const std::int64_t first = (r.height0 + g.padding[0] - span) / g.strides[0];
        const std::int64_t last = (r.height1 - 1 + g.padding[0]) / g.strides[0] + 1;
        const bool grouped = r.group1 - r.group0 > 1;
        return Box{{r.batch0, std::clamp<std::int64_t>(first, 0, dy[1]), 0,
                    r.group0 * per_group + (grouped ? 0 : r.in0)},
                   {r.batch1, std::clamp<std::int64_t>(last, 0, dy[1]), dy[2],
                    grouped ? r.group1 * per_group : r.group0 * per_group + r.in1}};
    };
    operands.weight_box = [=](const ConvRanges& r) {
        const bool grouped = r.group1 - r.group0 > 1;
        return Box{{0, 0, r.out0, r.group0 * per_group + (grouped ? 0 : r.in0)},
                   {w[0], w[1], r.out1, grouped ? r.group1 * per_group : r.group0 * per_group + r.in1}};
    };
    operands.output_view = {dx[0], dx[1], dx[2], p.groups, w[2]};
    operands.output_blocks = [=](const ipu::ConvSplits& s) {
        return Shape{ceil_div(dx[0], s.batch), ceil_div(dx[1], s.height), dx[2], ceil_div(p.groups, s.groups),
                     ceil_div(w[2], s.out_channels)};
    };
    lower_planned(context, p, operands);
}

/// dw: a convolution whose batch are the input channels, whose input channels are the batch and whose kernel
/// is the output field (PopLibs' weight update pass). Input 0 is x, input 1 is dy.
void lower_filter_gradient(LoweringContext& context) {
    const Shape x = context.input_type(0).shape;
    const Shape dy = context.input_type(1).shape;
    const Shape dw = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    const std::int64_t out_per_group = dw[3] / g.groups;
    ipu::ConvProblem p;
    p.groups = g.groups;
    p.batch = dw[2];
    p.out_height = dw[0];
    p.out_width = dw[1];
    p.kernel_height = dy[1];
    p.kernel_width = dy[2];
    p.in_channels = dy[0];
    p.out_channels = out_per_group;
    p.types = conv_types(context.input_type(0), context.attributes());
    PlannedOperands operands;
    operands.input = 0;
    operands.weights = 1;
    operands.input_shape = x;
    operands.weight_shape = dy;
    operands.input_box = [=](const ConvRanges& r) {
        const Range rows = input_rows(g, r.kernel0, r.kernel1, r.height0, r.height1, x[1]);
        const bool grouped = r.group1 - r.group0 > 1;
        return Box{{r.in0, rows.begin, 0, r.group0 * dw[2] + (grouped ? 0 : r.batch0)},
                   {r.in1, rows.end, x[2], grouped ? r.group1 * dw[2] : r.group0 * dw[2] + r.batch1}};
    };
    operands.weight_box = [=](const ConvRanges& r) {
        const bool grouped = r.group1 - r.group0 > 1;
        return Box{{r.in0, r.kernel0, 0, r.group0 * out_per_group + (grouped ? 0 : r.out0)},
                   {r.in1, r.kernel1, dy[2],
                    grouped ? r.group1 * out_per_group : r.group0 * out_per_group + r.out1}};
    };
    operands.order = PlannedOperands::Order::HeightBatchGroup;
    operands.output_view = {dw[0], dw[1], dw[2], g.groups, out_per_group};
    operands.output_blocks = [=](const ipu::ConvSplits& s) {
        return Shape{ceil_div(dw[0], s.height), dw[1], ceil_div(dw[2], s.batch), ceil_div(g.groups, s.groups),
                     ceil_div(out_per_group, s.out_channels)};
    };
    lower_planned(context, p, operands);
}

} // namespace

void add_convolution_lowerings(graph::OperatorRegistry& registry) {
    registry.set_lowering("conv2d", lower_conv2d);
    registry.set_lowering("conv2d_input_gradient", lower_input_gradient);
    registry.set_lowering("conv2d_filter_gradient", lower_filter_gradient);
}

} // namespace tilescope::ops
