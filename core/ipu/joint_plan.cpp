// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/joint_plan.h"

#include "base/units.h"
#include "ipu/conv_candidates.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tilescope::ipu {
namespace {

constexpr ConvTransform joint_transform{.flatten = true, .swap = true, .joint = true};

/// A product of matrices, [m, k] x [k, n].
ConvProblem product(const ConvProblem& like, ConvPass pass, std::int64_t m, std::int64_t k, std::int64_t n) {
    ConvProblem p = like;
    p.pass = pass;
    p.in_width = p.out_width = m;
    p.in_channels = k;
    p.out_channels = n;
    return p;
}

/// Vertices of the forward product. Input channels are output channels of the weights' gradient: whole sets
/// of units, or one.
std::vector<ConvGrouping> forward_groupings(const Target& target, const ConvProblem& swapped) {
    const std::int64_t units = conv_units(target, swapped.types);
    std::vector<ConvGrouping> out;
    for (const ConvGrouping& g : conv_groupings(target, swapped))
        if (g.vertex == ConvVertex::Amp1x1 && g.in_channels % g.units == 0)
            out.push_back(g);
    add_horizontal(
        swapped, [units](std::int64_t in) { return in == 1 || in % units == 0; }, out);
    return out;
}

ConvGrouping amp(const ConvProblem& p, std::int64_t units, std::int64_t in, std::int64_t out) {
    const bool fills = in == weights_per_unit(p.types);
    return {fills ? ConvVertex::Amp1x1 : ConvVertex::AmpNx1, units, 1, in, out};
}

/// The AMP's grouping that has the most to do in a cycle, then that which pads least, of the smallest groups
/// (PopLibs lib/poplin/ConvVertexType.cpp, sortConvVertexTypeCandidates).
ConvGrouping least_padded(const Target& target, const ConvProblem& p) {
    const std::int64_t weights = weights_per_unit(p.types);
    const std::int64_t most_units = conv_units(target, p.types);
    const std::int64_t per_cycle = p.types.input_bytes == 2 ? 4 : 2;
    std::optional<ConvGrouping> best;
    std::pair<double, double> most; // done in a cycle, and the share of it that is no padding
    for (const std::int64_t units : {std::min<std::int64_t>(8, most_units), most_units})
        for (std::int64_t in = per_cycle; in <= weights; in *= 2)
            for (const std::int64_t out : {units, std::max(weights, units)}) {
                const double used =
                    static_cast<double>(p.in_channels * p.out_channels) /
                    static_cast<double>(padded(p.in_channels, in) * padded(p.out_channels, out));
                if (const std::pair did(static_cast<double>(units) * used, used); did > most) {
                    best = amp(p, units, in, out);
                    most = did;
                }
            }
    return *best;
}

/// The vertex of the weights' gradient that goes with the forward product's. `swapped`: the gradient.
ConvGrouping weights_grouping(const Target& target, const ConvProblem& swapped, const ConvGrouping& forward) {
    if (swapped.in_channels == 1 && forward.out_channels == 1)
        return {ConvVertex::OuterProduct, 0, 1, 1, forward.in_channels};
    if (forward.vertex == ConvVertex::Amp1x1)
        return amp(swapped, forward.units, forward.out_channels, forward.in_channels);
    if (forward.in_channels != 1) // a horizontal vertex makes one channel at a time
        return least_padded(target, swapped);
    return {ConvVertex::HorizontalMac, 0, 1, forward.out_channels, forward.in_channels};
}

/// The plan of one of the three products, if it takes no more than `most` cycles; may be nothing where it
/// takes more than `bound` bytes.
std::optional<ConvPlan> costed(const Target& target, const ConvProblem& swapped, const ConvGrouping& grouping,
                               const ConvSplits& splits, std::int64_t most, double bound) {
    const auto cost = conv_cost_within(target, swapped, joint_transform, grouping, splits, {most, bound});
    if (!cost || cost->cycles() > most)
        return std::nullopt;
    return ConvPlan{joint_transform, grouping, splits, *cost};
}

} // namespace

LayerProducts products_of_layer(const ConvProblem& one) {
    const std::int64_t a = one.out_width;
    const std::int64_t b = one.in_channels;
    const std::int64_t c = one.out_channels;
    std::int64_t m = a; // rows of x
    std::int64_t k = b;
    std::int64_t n = c;
    if (one.pass == ConvPass::DataGradient) {
        k = c;
        n = b;
    } else if (one.pass == ConvPass::WeightGradient) {
        m = b;
        k = a;
    }
    return {product(one, ConvPass::Forward, m, k, n), product(one, ConvPass::DataGradient, m, n, k),
            product(one, ConvPass::WeightGradient, k, m, n)};
}

bool fits(const Target& target, const JointPlan& plan, double most_bytes) {
    return fits(target, plan.forward.cost, most_bytes) && fits(target, plan.data.cost, most_bytes) &&
           fits(target, plan.weights.cost, most_bytes);
}

std::vector<JointPlan> joint_plans(const Target& target, const ConvProblem& forward, double bound,
                                   std::size_t most, const CancelToken* cancel) {
    const LayerProducts layer = products_of_layer(forward);
    const ConvProblem f = transformed(layer.forward, joint_transform);
    const ConvProblem d = transformed(layer.data, joint_transform);
    const ConvProblem w = transformed(layer.weights, joint_transform);
    std::vector<JointPlan> best;
    const auto limit = [&] {
        return best.size() < most ? std::numeric_limits<std::int64_t>::max() : best.back().cycles();
    };
    const auto better = [](const JointPlan& x, const JointPlan& y) {
        return std::pair(x.cycles(), x.forward.splits.tiles()) <
               std::pair(y.cycles(), y.forward.splits.tiles());
    };
    const auto consider = [&](const ConvGrouping& g, const ConvSplits& s) {
        const auto made = costed(target, f, g, s, limit(), bound);
        if (!made)
            return;
        ConvSplits of_data = s;
        std::swap(of_data.width, of_data.in_channels);
        ConvGrouping grouping = g; // its input channels are the forward product's columns, in groups alike
        grouping.in_channels = s.width_group;
        const auto data = costed(target, d, grouping, of_data, limit() - made->cost.cycles(), bound);
        if (!data)
            return;
        ConvSplits of_weights = s;
        std::swap(of_weights.out_channels, of_weights.in_channels);
        const auto weights = costed(target, w, weights_grouping(target, w, g), of_weights,
                                    limit() - made->cost.cycles() - data->cost.cycles(), bound);
        if (!weights)
            return;
        const JointPlan plan{*made, *data, *weights};
        if (!fits(target, plan, bound) || (best.size() == most && !better(plan, best.back())))
            return;
        best.insert(std::upper_bound(best.begin(), best.end(), plan, better), plan);
        if (best.size() > most)
            best.pop_back();
    };
    const std::int64_t tiles = target.tiles_per_ipu;
    for (const ConvGrouping& g : forward_groupings(target, f)) {
        ConvSplits s;
        s.width_group = g.in_channels;
        for (const std::int64_t groups : part_counts(f.groups, tiles)) {
            s.groups = groups;
            for (const std::int64_t width :
                 part_counts(ceil_div(f.out_width, s.width_group), tiles / groups)) {
                s.width = width;
                for (const std::int64_t in :
                     part_counts(ceil_div(f.in_channels, g.in_channels), tiles / (groups * width))) {
                    if (is_cancelled(cancel))
                        return best;
                    s.in_channels = in;
                    consider(g, s);
                }
            }
        }
    }
    return best;
}

} // namespace tilescope::ipu
