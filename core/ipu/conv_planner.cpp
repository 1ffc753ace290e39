// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/conv_planner.h"

#include "base/units.h"

#include <algorithm>
#include <utility>

namespace tilescope::ipu {
namespace {

/// The numbers of parts, up to `limit`, that give parts of different sizes.
std::vector<std::int64_t> part_counts(std::int64_t extent, std::int64_t limit) {
    std::vector<std::int64_t> counts;
    std::int64_t parts = 1;
    while (parts <= std::min(extent, limit)) {
        const std::int64_t size = ceil_div(extent, parts);
        counts.push_back(ceil_div(extent, size));
        if (size == 1)
            break;
        parts = ceil_div(extent, size - 1); // the fewest parts whose size is smaller
    }
    return counts;
}

ConvCost cost_of(const Target& target, const ConvProblem& problem, const ConvSplits& splits,
                 ConvVertex vertex) {
    const ConvWork work = largest_work(problem, splits);
    const std::int64_t in_bytes = problem.types.input_bytes;
    const std::int64_t partial_bytes = problem.types.partial_bytes;
    const std::int64_t rate = target.exchange_bytes_per_cycle;
    const std::int64_t depth = splits.depth();

    const std::int64_t in_rows = (work.rows - 1) * problem.stride + work.kernel_height;
    const std::int64_t in_row = work.row_length + work.kernel_width - 1;
    const std::int64_t input = work.conv_groups * work.batch * in_rows * in_row * work.in_channels * in_bytes;
    const std::int64_t weights = work.conv_groups * work.kernel_height * work.kernel_width *
                                 work.in_channels * work.out_channels * in_bytes;
    const std::int64_t outputs = work.conv_groups * work.positions() * work.out_channels;

    ConvCost cost;
    // Neighbouring tiles that differ in their output channel need the same input and share the bus.
    const std::int64_t input_rate = splits.out_channels % 2 == 0 ? 2 * rate : rate;
    const std::int64_t weight_users = splits.batch * splits.height;
    cost.exchange_in = target.exchange_setup_cycles +
                       ceil_div(input - input / splits.out_channels, input_rate) +
                       ceil_div(weights - weights / weight_users, rate);
    cost.partials = conv_partial_cycles(target, vertex, problem.types, work);
    const std::int64_t reduced = ceil_div(outputs, depth);
    if (depth > 1) {
        cost.exchange_partials = target.sync_cycles + target.exchange_setup_cycles +
                                 ceil_div(reduced * (depth - 1) * partial_bytes, rate);
        cost.reduce = conv_reduce_cycles(target, problem.types, reduced, depth);
    }
    cost.temporary_bytes =
        input + weights + outputs * partial_bytes + (depth > 1 ? reduced * (depth - 1) * partial_bytes : 0);
    return cost;
}

std::vector<ConvVertex> candidates(const ConvProblem& problem) {
    const bool one_by_one = problem.kernel_height == 1 && problem.kernel_width == 1;
    return {one_by_one ? ConvVertex::Amp1x1 : ConvVertex::AmpNx1, ConvVertex::HorizontalMac};
}

bool better(const ConvPlan& a, const ConvPlan& b) {
    return std::pair(a.cost.cycles(), a.splits.tiles()) < std::pair(b.cost.cycles(), b.splits.tiles());
}

/// A few best plans, each with splits of its own.
void keep(std::vector<ConvPlan>& best, const ConvPlan& plan) {
    constexpr std::size_t kept = 4;
    if (best.size() == kept && !better(plan, best.back()))
        return;
    best.insert(std::upper_bound(best.begin(), best.end(), plan, better), plan);
    if (best.size() > kept)
        best.pop_back();
}

} // namespace

ConvWork largest_work(const ConvProblem& problem, const ConvSplits& splits) {
    ConvWork work;
    work.conv_groups = ceil_div(problem.groups, splits.groups);
    work.batch = ceil_div(problem.batch, splits.batch);
    work.rows = ceil_div(problem.out_height, splits.height);
    work.row_length = problem.out_width;
    work.kernel_height = ceil_div(problem.kernel_height, splits.kernel_height);
    work.kernel_width = problem.kernel_width;
    work.in_channels = ceil_div(problem.in_channels, splits.in_channels);
    work.out_channels = ceil_div(problem.out_channels, splits.out_channels);
    return work;
}

std::string codelet_name(const ConvPlan& plan, const ConvTypes& types) {
    const std::string in = types.input_bytes == 2 ? "half" : "float";
    const std::string partial = types.partial_bytes == 2 ? "half" : "float";
    const char* vertex = plan.vertex == ConvVertex::Amp1x1   ? "ConvPartial1x1"
                         : plan.vertex == ConvVertex::AmpNx1 ? "ConvPartialNx1"
                                                             : "ConvPartialHorizontalMac";
    return std::string(vertex) + "<" + in + "," + partial + ">";
}

std::string describe(const ConvPlan& plan) {
    const ConvSplits& s = plan.splits;
    const char* vertex = plan.vertex == ConvVertex::Amp1x1   ? "AMP 1x1"
                         : plan.vertex == ConvVertex::AmpNx1 ? "AMP nx1"
                                                             : "horizontal MAC";
    const auto item = [](const char* key, std::int64_t value) {
        return std::string(",\"") + key + "\":" + std::to_string(value);
    };
    return std::string("{\"vertex\":\"") + vertex + "\"" + item("groups", s.groups) + item("batch", s.batch) +
           item("height", s.height) + item("out_channels", s.out_channels) +
           item("in_channels", s.in_channels) + item("kernel_height", s.kernel_height) +
           item("tiles", s.tiles()) + "}";
}

std::string describe_cost(const ConvCost& cost) {
    return "{\"exchange_in\":" + std::to_string(cost.exchange_in) +
           ",\"partials\":" + std::to_string(cost.partials) +
           ",\"exchange_partials\":" + std::to_string(cost.exchange_partials) +
           ",\"reduce\":" + std::to_string(cost.reduce) + "}";
}

ConvPlanner::ConvPlanner(Target target, double available_memory_proportion)
    : target_(std::move(target)), proportion_(available_memory_proportion) {}

const std::vector<ConvPlan>& ConvPlanner::plan(const ConvProblem& problem) {
    const auto cached = cache_.find(problem);
    if (cached != cache_.end())
        return cached->second;

    const std::int64_t tiles = target_.tiles_per_ipu;
    std::vector<ConvPlan> best;
    double bound = proportion_ * static_cast<double>(target_.bytes_per_tile);
    // Where nothing fits the bound doubles, up to twice the tile's memory, then there is none.
    for (bool unbounded = false; best.empty();
         unbounded = bound > 2.0 * static_cast<double>(target_.bytes_per_tile), bound *= 2) {
        ConvPlan plan;
        ConvSplits& s = plan.splits;
        for (const ConvVertex vertex : candidates(problem)) {
            plan.vertex = vertex;
            for (const std::int64_t groups : part_counts(problem.groups, tiles))
                for (const std::int64_t out : part_counts(problem.out_channels, tiles / groups))
                    for (const std::int64_t batch : part_counts(problem.batch, tiles / (groups * out)))
                        for (const std::int64_t height :
                             part_counts(problem.out_height, tiles / (groups * out * batch))) {
                            const std::int64_t outputs = groups * out * batch * height;
                            for (const std::int64_t in : part_counts(problem.in_channels, tiles / outputs))
                                for (const std::int64_t kernel :
                                     part_counts(problem.kernel_height, tiles / (outputs * in))) {
                                    s = {groups, batch, height, out, in, kernel};
                                    plan.cost = cost_of(target_, problem, s, vertex);
                                    if (unbounded || static_cast<double>(plan.cost.temporary_bytes) <= bound)
                                        keep(best, plan);
                                }
                        }
        }
    }
    return cache_.emplace(problem, std::move(best)).first->second;
}

} // namespace tilescope::ipu
