// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/conv_candidates.h"

#include "base/units.h"
#include "ipu/conv_plan.h"

#include <algorithm>
#include <set>

namespace tilescope::ipu {
namespace {

void add_amp(const Target& target, const ConvProblem& p, std::vector<ConvGrouping>& out) {
    const std::int64_t weights = weights_per_unit(p.types);
    const std::int64_t per_cycle = p.types.input_bytes == 2 ? 4 : 2; // inputs of a unit in a cycle
    std::set<std::int64_t> units{conv_units(target, p.types)};
    if (!(p.types.input_bytes == 2 && p.types.partial_bytes == 4))
        units.insert(8);
    for (const std::int64_t u : units)
        for (std::int64_t in = weights; in >= per_cycle; in /= 2) {
            const bool flat = in == weights && p.flat() && p.batch == 1 && p.out_height == 1;
            if (!flat && in < weights && p.kernel_height == 1)
                continue; // fewer channels: kernel rows fill the unit
            const ConvVertex vertex = flat ? ConvVertex::Amp1x1 : ConvVertex::AmpNx1;
            out.push_back({vertex, u, 1, in, u});
            // Results in the groups in which the next product reads them, but for products of inference.
            if (weights > u && u == conv_units(target, p.types) && (!p.matrices || p.trained))
                out.push_back({vertex, u, 1, in, weights});
        }
}

/// One input channel: a row of results for each position.
void add_outer_product(const Target& target, const ConvProblem& p, std::vector<ConvGrouping>& out) {
    if (p.in_channels == 1 && p.flat())
        out.push_back({ConvVertex::OuterProduct, 0, 1, 1, target.vector_width(p.types.input_bytes)});
}

void add_grouped(const Target& target, const ConvProblem& p, std::vector<ConvGrouping>& out) {
    if (p.types.input_bytes != 2)
        return;
    const bool all_half = p.types.partial_bytes == 2;
    const std::int64_t units = conv_units(target, p.types);
    if (p.in_channels <= 4 && p.out_channels <= 4 && p.stride_width <= 2 && p.dilation_width == 1 &&
        p.in_dilation_height * p.in_dilation_width == 1 && p.kernel_width > 1)
        for (const auto& [groups, channels] :
             {std::pair<std::int64_t, std::int64_t>{1, 4}, {2, 2}, {4, 1}, {8, 1}, {16, 1}}) {
            const bool wide = groups > 4;
            if (p.in_channels <= channels && p.out_channels <= channels &&
                (!wide || (all_half && units == 16)))
                out.push_back({ConvVertex::Slic, wide || all_half ? units : 8, groups, channels, channels});
        }
    if (p.in_channels == 1 && p.out_channels == 1 && p.groups >= 4)
        for (const std::int64_t groups : {4, 8, 16})
            if (groups == 4 || all_half)
                out.push_back({ConvVertex::VerticalMac, 0, groups, 1, 1});
}

} // namespace

void add_horizontal(const ConvProblem& p, const std::function<bool(std::int64_t)>& wanted,
                    std::vector<ConvGrouping>& out) {
    const std::int64_t grain = p.types.input_bytes == 2 ? 2 : 1;
    const std::int64_t per_output = p.types.partial_bytes == 2 ? 2 : 1;
    const std::int64_t most = padded(p.in_channels, grain);
    std::int64_t groups_before = 0;
    for (std::int64_t in = grain; in <= most; in += grain) {
        const std::int64_t groups = ceil_div(most, in);
        if (!wanted(in) || groups == groups_before)
            continue;
        out.push_back({ConvVertex::HorizontalMac, 0, 1, in, per_output});
        groups_before = groups;
    }
}

std::vector<ConvTransform> conv_transforms(const ConvProblem& p) {
    std::vector<ConvTransform> out;
    const auto add = [&](ConvTransform t) {
        ConvProblem turned = transformed(p, t);
        t.flatten = turned.flat();
        out.push_back(t);
        if (t.flatten) {
            t.swap = true;
            out.push_back(t);
        }
    };
    add({});
    // Folding the kernel into the channels pays where there are few of them; a kernel of 1 with a stride
    // leaves the positions that are read (PopLibs lib/poplin/ConvPlan.cpp, getExpandDimsCandidates).
    const auto expandable = [](std::int64_t kernel, const ConvAxis& axis) {
        return (kernel > 1 || axis.stride > 1 || axis.in_dilation > 1) && kernel <= axis.in;
    };
    const bool height = expandable(p.kernel_height, height_of(p));
    const bool width = expandable(p.kernel_width, width_of(p));
    if (width)
        add({false, true, false, false});
    if (height)
        add({true, false, false, false});
    if (height && width)
        add({true, true, false, false});
    return out;
}

std::vector<ConvGrouping> conv_groupings(const Target& target, const ConvProblem& p) {
    std::vector<ConvGrouping> out;
    add_amp(target, p, out);
    add_grouped(target, p, out);
    add_horizontal(
        p, [](std::int64_t) { return true; }, out);
    add_outer_product(target, p, out);
    return out;
}

ConvTypes vertex_types(const ConvGrouping& grouping, const ConvTypes& types) {
    if (grouping.vertex == ConvVertex::OuterProduct)
        return {types.input_bytes, types.input_bytes};
    return types;
}

} // namespace tilescope::ipu
