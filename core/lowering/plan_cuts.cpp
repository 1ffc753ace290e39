// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_cuts.h"

#include "base/units.h"

#include <algorithm>

namespace tilescope::lowering {

using ipu::ConvPlan;
using ipu::ConvProblem;
using ipu::ConvSplits;

namespace {

Cut cut(std::int64_t extent, std::int64_t grain, std::int64_t parts, std::int64_t serial,
        std::int64_t stride) {
    const std::int64_t groups = ceil_div(extent, grain);
    return {extent, ceil_div(groups, parts * serial) * grain, parts, stride};
}

/// Those of a plan for the three products of a dense layer: its weights' columns, then their rows, go from
/// tile to tile, whatever each product calls them (PopLibs lib/poplin/Convolution.cpp, linearizeTileIndices).
Cuts joint_cuts(const ConvProblem& p, const ConvPlan& plan) {
    const ConvSplits& s = plan.splits;
    const ipu::ConvGrouping& g = plan.grouping;
    const bool data = p.pass == ipu::ConvPass::DataGradient; // rows are its width, columns its channels
    const std::int64_t columns = data ? s.in_channels : s.width;
    const std::int64_t rows = data ? s.width : s.in_channels * s.out_channels;
    Cuts c;
    c.out = cut(p.out_channels, g.out_channels, s.out_channels, 1, columns);
    c.width = cut(p.out_width, s.width_group, s.width, 1, data ? columns : 1);
    c.in = cut(p.in_channels, g.in_channels, s.in_channels, 1, data ? 1 : columns);
    c.height.stride = c.batch.stride = c.kernel.stride = columns * rows;
    c.group = cut(p.groups, g.conv_groups, s.groups, 1, columns * rows);
    c.weight_users = s.width;
    c.depth = s.depth();
    c.depth_stride = c.in.stride;
    return c;
}

/// A dimension of a block, and what is not cut of it.
struct Cuttable {
    std::int64_t block, grain;
};

/// Of each dimension the extent of a piece, and the elements of all together.
struct Pieces {
    std::vector<std::int64_t> sizes;
    std::int64_t elements = 1;
};

/// At most `count` pieces whose largest is the smallest; of those as small the ones that cut the first
/// dimension most.
Pieces most_even(const std::vector<Cuttable>& dims, std::size_t first, std::int64_t count) {
    if (first == dims.size())
        return {};
    const auto& [block, grain] = dims[first];
    const std::vector<std::int64_t> counts = ipu::part_counts(ceil_div(block, grain), count);
    Pieces best;
    for (auto parts = counts.rbegin(); parts != counts.rend(); ++parts) {
        const std::int64_t size = std::min(block, ceil_div(ceil_div(block, grain), *parts) * grain);
        Pieces pieces = most_even(dims, first + 1, count / *parts);
        pieces.elements *= size;
        pieces.sizes.insert(pieces.sizes.begin(), size);
        if (best.sizes.empty() || pieces.elements < best.elements)
            best = std::move(pieces);
    }
    return best;
}

} // namespace

PlannedTensor joined(const PlannedTensor& tensor, const std::vector<ConvDim>& which, ConvDim as) {
    const auto joins = [&](std::size_t d) {
        return std::find(which.begin(), which.end(), tensor.dims[d]) != which.end();
    };
    std::size_t place = tensor.dims.size(); // of the joined dimension
    std::int64_t extent = 1;
    for (std::size_t d = 0; d < tensor.dims.size(); ++d)
        if (joins(d)) {
            extent *= tensor.view[d];
            if (place == tensor.dims.size() || (tensor.view[d] > 1 && tensor.view[place] == 1))
                place = d;
        }
    PlannedTensor result;
    for (std::size_t d = 0; d < tensor.dims.size(); ++d)
        if (d == place || !joins(d)) {
            result.view.push_back(d == place ? extent : tensor.view[d]);
            result.dims.push_back(d == place ? as : tensor.dims[d]);
        }
    return result;
}

void exchange_dims(PlannedTensor& tensor, ConvDim a, ConvDim b) {
    for (ConvDim& dim : tensor.dims)
        dim = dim == a ? b : dim == b ? a : dim;
}

Cuts cuts_of(const ConvProblem& p, const ConvPlan& plan) {
    if (plan.transform.joint)
        return joint_cuts(p, plan);
    const ConvSplits& s = plan.splits;
    Cuts c;
    std::int64_t stride = 1;
    const auto next = [&](std::int64_t extent, std::int64_t grain, std::int64_t parts, std::int64_t serial) {
        const Cut result = cut(extent, grain, parts, serial, stride);
        stride *= parts;
        return result;
    };
    c.out = next(p.out_channels, plan.grouping.out_channels, s.out_channels, s.serial_out);
    c.width = next(p.out_width, s.width_group, s.width, 1);
    c.height = next(p.out_height, 1, s.height, 1);
    c.batch = next(p.batch, 1, s.batch, 1);
    c.weight_users = s.width * s.height * s.batch;
    c.depth_stride = stride;
    c.depth = s.depth();
    c.kernel = next(p.kernel_height, 1, s.kernel_height, 1);
    c.in = next(p.in_channels, plan.grouping.in_channels, s.in_channels, s.serial_in);
    c.group = next(p.groups, plan.grouping.conv_groups, s.groups, 1);
    return c;
}

Range part_of(const Cut& c, std::int64_t tile) {
    const std::int64_t i = tile / c.stride % c.parts;
    return {std::min(c.extent, i * c.block), std::min(c.extent, (i + 1) * c.block)};
}

Ranges share_of(const ConvProblem& p, const Cuts& c, std::int64_t tile) {
    Ranges r;
    r[ConvDim::Group] = part_of(c.group, tile);
    r[ConvDim::Batch] = part_of(c.batch, tile);
    r[ConvDim::Height] = part_of(c.height, tile);
    r[ConvDim::Width] = part_of(c.width, tile);
    r[ConvDim::KernelHeight] = part_of(c.kernel, tile);
    r[ConvDim::KernelWidth] = {0, p.kernel_width};
    r[ConvDim::In] = part_of(c.in, tile);
    r[ConvDim::Out] = part_of(c.out, tile);
    return r;
}

program::Box box_of(const PlannedTensor& tensor, const Ranges& ranges) {
    const std::size_t dims = tensor.dims.size();
    program::Box box{graph::Shape(dims), graph::Shape(dims)};
    for (std::size_t d = 0; d < dims; ++d) {
        const Range& r = ranges[tensor.dims[d]];
        box.begin[d] = std::clamp<std::int64_t>(r.begin, 0, tensor.view[d]);
        box.end[d] = std::clamp<std::int64_t>(r.end, 0, tensor.view[d]);
    }
    return box;
}

program::TileMapping with_padding(const program::TileMapping& mapping, const std::vector<ConvDim>& dims,
                                  const ipu::ConvGrouping& grouping) {
    std::vector<program::Axis> axes = mapping.axes();
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (dims[d] != ConvDim::In && dims[d] != ConvDim::Out)
            continue;
        program::Axis& axis = axes[d];
        const bool one_block = axis.block >= axis.extent;
        const bool one_piece = axis.piece >= axis.block;
        axis.extent =
            ipu::padded(axis.extent, dims[d] == ConvDim::In ? grouping.in_channels : grouping.out_channels);
        if (one_block)
            axis.block = std::max(axis.block, axis.extent);
        if (one_piece)
            axis.piece = axis.block;
    }
    return {std::move(axes), mapping.tiles(), mapping.first_tile()};
}

bool works(const Ranges& r) {
    return !r[ConvDim::Group].empty() && !r[ConvDim::Batch].empty() && !r[ConvDim::Height].empty() &&
           !r[ConvDim::Width].empty() && !r[ConvDim::KernelHeight].empty() && !r[ConvDim::In].empty() &&
           !r[ConvDim::Out].empty();
}

void share_pieces(std::vector<program::Axis>& axes, const std::vector<std::size_t>& order, std::int64_t count,
                  std::int64_t stride, const std::vector<std::int64_t>& grains) {
    std::vector<Cuttable> cuttable;
    cuttable.reserve(order.size());
    for (const std::size_t d : order)
        cuttable.push_back({std::min(axes[d].block, axes[d].extent), grains[d]});
    const Pieces pieces = most_even(cuttable, 0, count);
    for (std::size_t i = 0; i < order.size(); ++i) {
        program::Axis& axis = axes[order[i]];
        if (pieces.sizes[i] >= cuttable[i].block)
            continue;
        axis.piece = pieces.sizes[i];
        axis.piece_stride = stride;
        stride *= axis.pieces_per_block();
    }
}

} // namespace tilescope::lowering
