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

} // namespace

Cuts cuts_of(const ConvProblem& p, const ConvPlan& plan) {
    const ConvSplits& s = plan.splits;
    Cuts c;
    std::int64_t stride = 1;
    const auto next = [&](std::int64_t extent, std::int64_t grain, std::int64_t parts, std::int64_t serial) {
        const Cut result = cut(extent, grain, parts, serial, stride);
        stride *= parts;
        return result;
    };
    c.out = next(p.out_channels, plan.grouping.out_channels, s.out_channels, s.serial_out);
    c.width = next(p.out_width, 1, s.width, 1);
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

bool works(const Ranges& r) {
    return !r[ConvDim::Group].empty() && !r[ConvDim::Batch].empty() && !r[ConvDim::Height].empty() &&
           !r[ConvDim::Width].empty() && !r[ConvDim::KernelHeight].empty() && !r[ConvDim::In].empty() &&
           !r[ConvDim::Out].empty();
}

void share_pieces(std::vector<program::Axis>& axes, const std::vector<std::size_t>& order, std::int64_t count,
                  std::int64_t stride, const std::vector<std::int64_t>& grains) {
    for (const std::size_t d : order) {
        const std::int64_t grain = grains[d];
        const std::int64_t block = std::min(axes[d].block, axes[d].extent);
        const std::int64_t pieces = std::min(count, ceil_div(block, grain));
        if (pieces <= 1)
            continue;
        axes[d].piece = ceil_div(ceil_div(block, grain), pieces) * grain;
        axes[d].piece_stride = stride;
        const std::int64_t made = axes[d].pieces_per_block();
        stride *= made;
        count /= made;
    }
}

} // namespace tilescope::lowering
