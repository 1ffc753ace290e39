// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "families.h"
#include "ipu/reduction_cycles.h"

#include <algorithm>

namespace tilescope::lowering {
namespace {

using program::Box;
using program::Shape;
using program::TileMapping;
using program::TileNeed;

/// Output positions over tiles: images first, then rows, then channels in grains of 8 bytes, until the tiles
/// are used (PopLibs lib/popnn/PoolPlan.cpp balances the same way).
TileMapping spread(LoweringContext& context, const graph::TensorType& type) {
    const Shape& y = type.shape;
    const std::int64_t grain = context.target().vector_width(graph::element_bytes(type.dtype));
    std::int64_t left = context.tiles();
    Shape blocks = y;
    for (const std::size_t d : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{2}}) {
        const std::int64_t unit = d == 3 ? std::min(grain, y[d]) : 1;
        const std::int64_t cut = std::max<std::int64_t>(1, std::min(left, ceil_div(y[d], unit)));
        blocks[d] = ceil_div(ceil_div(y[d], unit), cut) * unit;
        left /= ceil_div(y[d], blocks[d]);
    }
    return TileMapping::grid(y, blocks, context.tiles());
}

struct Window {
    std::vector<std::int64_t> size, strides, padding;
};
Window window_of(const graph::Attributes& a) {
    return {a.integers("window", {1, 1}), a.integers("strides", {1, 1}), a.integers("padding", {0, 0, 0, 0})};
}

/// The input block that an output block reads, clipped.
Box input_box(const Window& w, const Box& out, const Shape& x) {
    Box box = out;
    for (std::size_t d = 1; d <= 2; ++d) {
        box.begin[d] = std::clamp<std::int64_t>(out.begin[d] * w.strides[d - 1] - w.padding[d - 1], 0, x[d]);
        box.end[d] = std::clamp<std::int64_t>(
            (out.end[d] - 1) * w.strides[d - 1] - w.padding[d - 1] + w.size[d - 1], 0, x[d]);
    }
    return box;
}

/// The output block whose windows touch an input block.
Box output_box(const Window& w, const Box& in, const Shape& y) {
    Box box = in;
    for (std::size_t d = 1; d <= 2; ++d) {
        const std::int64_t first = in.begin[d] + w.padding[d - 1] - w.size[d - 1] + 1;
        box.begin[d] =
            std::clamp<std::int64_t>(ceil_div(std::max<std::int64_t>(first, 0), w.strides[d - 1]), 0, y[d]);
        box.end[d] =
            std::clamp<std::int64_t>((in.end[d] - 1 + w.padding[d - 1]) / w.strides[d - 1] + 1, 0, y[d]);
    }
    return box;
}

void execute(LoweringContext& context, const TileMapping& mapping, ipu::PoolVertex vertex,
             std::int64_t window, std::vector<program::VariableId> uses) {
    const std::int64_t bytes = graph::element_bytes(context.output_type().dtype);
    std::vector<std::int64_t> cycles(static_cast<std::size_t>(context.tiles()), 0);
    for (const TileNeed& part : program::needs_of(mapping)) {
        const std::int64_t channels = part.box.end[3] - part.box.begin[3];
        const std::int64_t positions = channels == 0 ? 0 : part.box.elements() / channels;
        cycles[static_cast<std::size_t>(part.tile)] +=
            ipu::pool_cycles(context.target(), vertex, bytes, positions, channels, window);
    }
    const ipu::Codelet& codelet = vertex == ipu::PoolVertex::Max   ? ipu::codelets::max_pooling
                                  : vertex == ipu::PoolVertex::Sum ? ipu::codelets::sum_pooling
                                                                   : ipu::codelets::max_pooling_gradient;
    context.execute(codelet.name, codelet, cycles, std::move(uses));
}

template<bool Max>
void lower_pool(LoweringContext& context) {
    const Window w = window_of(context.attributes());
    const TileMapping mapping = spread(context, context.output_type());
    const Shape x = context.input_type(0).shape;
    std::vector<TileNeed> needs = program::needs_of(mapping);
    for (TileNeed& need : needs)
        need.box = input_box(w, need.box, x);
    std::vector<program::VariableId> uses;
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i) // all of one shape
        context.bring(i, x, needs, uses);
    uses.push_back(context.place_output(0, mapping));
    execute(context, mapping, Max ? ipu::PoolVertex::Max : ipu::PoolVertex::Sum, w.size[0] * w.size[1],
            std::move(uses));
}

/// Inputs of the shape of the pooled tensor are read window by window, those of the input's shape in place.
template<bool Max>
void lower_pool_gradient(LoweringContext& context) {
    const Window w = window_of(context.attributes());
    const Shape dx = context.output_type().shape;
    const TileMapping mapping = spread(context, context.output_type());
    const std::vector<TileNeed> own = program::needs_of(mapping);
    std::vector<program::VariableId> uses;
    for (std::size_t i = 0; i < context.operation().inputs.size(); ++i) {
        const Shape shape = context.input_type(i).shape;
        std::vector<TileNeed> needs = own;
        if (shape != dx)
            for (TileNeed& need : needs)
                need.box = output_box(w, need.box, shape);
        context.bring(i, shape, needs, uses);
    }
    uses.push_back(context.place_output(0, mapping));
    const std::int64_t overlap = ceil_div(w.size[0], w.strides[0]) * ceil_div(w.size[1], w.strides[1]);
    execute(context, mapping, Max ? ipu::PoolVertex::MaxGradient : ipu::PoolVertex::Sum, overlap,
            std::move(uses));
}

} // namespace

void add_pooling_lowerings(LoweringTable& table) {
    table.set("max_pool2d", lower_pool<true>);
    table.set("max_pool2d_picked", lower_pool<true>); // an inference: PopLibs has no vertex for it
    table.set("average_pool2d", lower_pool<false>);
    table.set("max_pool2d_gradient", lower_pool_gradient<true>);
    table.set("average_pool2d_gradient", lower_pool_gradient<false>);
}

} // namespace tilescope::lowering
