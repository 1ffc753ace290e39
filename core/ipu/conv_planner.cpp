// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/conv_planner.h"

#include "base/units.h"
#include "ipu/conv_candidates.h"
#include "ipu/joint_plan.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

namespace tilescope::ipu {
namespace {

constexpr std::size_t kept_plans = 4;
constexpr double unbounded = std::numeric_limits<double>::max();

/// Products in a cycle that no vertex's formula goes beyond: two outputs of half are summed up at once.
std::int64_t most_macs(const Target& target, const ConvGrouping& grouping, const ConvTypes& types) {
    const bool two = grouping.vertex == ConvVertex::HorizontalMac && types.partial_bytes == 2;
    return (two ? 2 : 1) * peak_macs(target, grouping, types);
}

/// Of ascending numbers of parts those up to `most`.
std::span<const std::int64_t> up_to(const std::vector<std::int64_t>& counts, std::int64_t most) {
    return {counts.begin(), std::upper_bound(counts.begin(), counts.end(), most)};
}

/// The best plans found so far under a bound on temporary memory.
class Search {
  public:
    Search(const Target& target, const ConvProblem& problem, double bound, const CancelToken* cancel)
        : target_(target), problem_(problem), bound_(bound), cancel_(cancel) {}

    /// All splits of one transform and vertex, `serial` times one after another.
    void run(const ConvTransform& transform, const ConvGrouping& grouping, std::int64_t serial_in,
             std::int64_t serial_out) {
        const ConvProblem p = transformed(problem_, transform);
        const std::int64_t tiles = target_.tiles_per_ipu;
        const std::int64_t conv_groups = ceil_div(p.groups, grouping.conv_groups);
        const std::int64_t in_groups = ceil_div(ceil_div(p.in_channels, grouping.in_channels), serial_in);
        const std::int64_t out_groups = ceil_div(ceil_div(p.out_channels, grouping.out_channels), serial_out);
        const bool sums_whole =
            grouping.vertex == ConvVertex::Slic || grouping.vertex == ConvVertex::OuterProduct;
        ConvSplits s;
        s.serial_in = serial_in;
        s.serial_out = serial_out;
        s.width_group = width_group(p, grouping);
        // What changes its order takes least where all tiles have a share of it.
        const TurnedBytes turned = turned_bytes(p, transform, grouping, tiles, serial_out);
        if (s.serial() > 1 && static_cast<double>(turned.temporary()) > bound_)
            return;
        const std::int64_t rearrange = rearrange_cycles(target_, p, grouping, turned, s.serial());
        const std::int64_t columns = ceil_div(p.out_width, s.width_group);
        // Cycles that a tile takes at least where `tiles_left` share so many blocks of outputs, of which a
        // position of the kernel reaches, over a dilated input, one in so many.
        const std::int64_t macs = serial_in * serial_out * grouping.conv_groups * p.kernel_height *
                                  p.kernel_width * in_groups * grouping.in_channels * grouping.out_channels;
        const std::int64_t rate =
            most_macs(target_, grouping, p.types) * p.in_dilation_height * p.in_dilation_width;
        const auto too_slow = [&](std::int64_t blocks, std::int64_t tiles_left) {
            return rearrange + blocks * macs / (rate * tiles_left) > most_cycles();
        };
        const auto counts = [](std::int64_t extent) { return part_counts(extent, extent); };
        const auto of_groups = counts(conv_groups);
        const auto of_out = counts(out_groups);
        const auto of_batch = counts(p.batch);
        const auto of_height = counts(p.out_height);
        const auto of_width = counts(columns);
        const auto of_in = counts(sums_whole ? 1 : in_groups);
        const auto of_kernel = counts(sums_whole ? 1 : p.kernel_height);
        const std::int64_t field = p.batch * p.out_height * p.out_width;
        if (too_slow(conv_groups * out_groups * field, tiles))
            return;
        for (const std::int64_t groups : up_to(of_groups, tiles)) {
            s.groups = groups;
            const std::int64_t group_blocks = ceil_div(conv_groups, groups);
            for (const std::int64_t out : up_to(of_out, tiles / groups)) {
                s.out_channels = out;
                const std::int64_t out_blocks = group_blocks * ceil_div(out_groups, out);
                if (too_slow(out_blocks * field, tiles / (groups * out)))
                    continue;
                for (const std::int64_t batch : up_to(of_batch, tiles / (groups * out))) {
                    s.batch = batch;
                    const std::int64_t batch_blocks = out_blocks * ceil_div(p.batch, batch);
                    for (const std::int64_t height : up_to(of_height, tiles / (groups * out * batch))) {
                        s.height = height;
                        const std::int64_t row_blocks = batch_blocks * ceil_div(p.out_height, height);
                        if (too_slow(row_blocks * p.out_width, tiles / (groups * out * batch * height)))
                            continue;
                        for (const std::int64_t width :
                             up_to(of_width, tiles / (groups * out * batch * height))) {
                            if (ended())
                                return;
                            s.width = width;
                            const std::int64_t outputs = groups * out * batch * height * width;
                            const std::int64_t blocks = row_blocks * ceil_div(columns, width) * s.width_group;
                            if (too_slow(blocks, tiles / outputs))
                                continue;
                            for (const std::int64_t in : up_to(of_in, tiles / outputs))
                                for (const std::int64_t kernel : up_to(of_kernel, tiles / (outputs * in))) {
                                    if (too_slow(blocks, in * kernel))
                                        continue;
                                    s.in_channels = in;
                                    s.kernel_height = kernel;
                                    if (const auto cost =
                                            conv_cost_within(target_, p, transform, grouping, s, limits(s)))
                                        consider({transform, grouping, s, *cost});
                                }
                        }
                    }
                }
            }
        }
    }

    std::vector<ConvPlan> take() { return std::move(best_); }
    bool empty() const { return best_.empty(); }
    /// Whether the bound kept out a plan that is faster than the best.
    bool bound_hurts() const { return best_.empty() || fastest_ < best_.front().cost.cycles(); }

  private:
    /// A tile has an even number of half results: two columns stay together where it has an odd number of
    /// channels of each (PopLibs lib/poplin/ConvPlan.cpp, createPlan).
    static std::int64_t width_group(const ConvProblem& p, const ConvGrouping& grouping) {
        return p.types.input_bytes == 2 && grouping.out_channels % 2 != 0 && p.out_width % 2 == 0 ? 2 : 1;
    }

    /// Once cancelled any plan will do.
    bool ended() {
        if (cancel_ == nullptr || !cancel_->cancelled())
            return false;
        bound_ = unbounded;
        return !best_.empty();
    }

    /// What takes longer is not kept.
    std::int64_t most_cycles() const {
        return best_.size() < kept_plans ? std::numeric_limits<std::int64_t>::max()
                                         : best_.back().cost.cycles();
    }

    /// Whether serial parts are worth a search shows in the fastest whole product, also one too large.
    ConvLimits limits(const ConvSplits& s) const {
        return {most_cycles(), bound_, s.serial() > 1 ? 0 : fastest_};
    }

    void consider(const ConvPlan& plan) {
        fastest_ = std::min(fastest_, plan.cost.cycles());
        if (bound_ < unbounded && !fits(target_, plan.cost, bound_))
            return;
        const auto better = [](const ConvPlan& a, const ConvPlan& b) {
            return std::pair(a.cost.cycles(), a.splits.tiles()) <
                   std::pair(b.cost.cycles(), b.splits.tiles());
        };
        if (best_.size() == kept_plans && !better(plan, best_.back()))
            return;
        best_.insert(std::upper_bound(best_.begin(), best_.end(), plan, better), plan);
        if (best_.size() > kept_plans)
            best_.pop_back();
    }

    const Target& target_;
    const ConvProblem& problem_;
    double bound_;
    const CancelToken* cancel_;
    std::int64_t fastest_ = std::numeric_limits<std::int64_t>::max();
    std::vector<ConvPlan> best_;
};

void search_all(const Target& target, const ConvProblem& problem, Search& search) {
    struct Candidate {
        ConvTransform transform;
        ConvGrouping grouping;
        std::int64_t in_groups, out_groups;
    };
    std::vector<Candidate> candidates;
    for (const ConvTransform& transform : conv_transforms(problem)) {
        const ConvProblem p = transformed(problem, transform);
        for (const ConvGrouping& grouping : conv_groupings(target, p))
            candidates.push_back({transform, grouping, ceil_div(p.in_channels, grouping.in_channels),
                                  ceil_div(p.out_channels, grouping.out_channels)});
    }
    if (problem.serial_dim != SerialDim::None) {
        // Rows are the output channels of a product whose operands are swapped. A part has whole groups of
        // channels where there are vertices for it, else it is padded.
        const std::int64_t parts = problem.serial_parts;
        const bool sums = problem.serial_dim == SerialDim::Sum;
        std::erase_if(candidates, [&](const Candidate& c) {
            return !sums && c.transform.swap != (problem.serial_dim == SerialDim::Rows);
        });
        const auto whole = [&](const Candidate& c) { return (sums ? c.in_groups : c.out_groups) >= parts; };
        const bool any = std::any_of(candidates.begin(), candidates.end(), whole);
        for (const Candidate& c : candidates)
            if (!any || whole(c))
                search.run(c.transform, c.grouping, sums ? parts : 1, sums ? 1 : parts);
        return;
    }
    for (const Candidate& c : candidates)
        search.run(c.transform, c.grouping, 1, 1);
    if (!search.bound_hurts())
        return;
    constexpr std::int64_t most_serial = 64;
    for (const Candidate& c : candidates) {
        for (const std::int64_t parts : part_counts(c.out_groups, most_serial))
            if (parts > 1)
                search.run(c.transform, c.grouping, 1, parts);
        for (const std::int64_t parts : part_counts(c.in_groups, most_serial))
            if (parts > 1)
                search.run(c.transform, c.grouping, parts, 1);
    }
}

/// The product that is planned for it: of a trained layer the forward one.
ConvProblem first_of(const ConvProblem& problem) {
    return problem.trained ? products_of_layer(problem).forward : problem;
}

} // namespace

ConvPlanner::ConvPlanner(Target target, const CancelToken* cancel)
    : target_(std::move(target)), cancel_(cancel) {}

const std::vector<ConvPlan>& ConvPlanner::plan(const ConvProblem& problem) {
    if (!cache_.contains(problem)) {
        const ConvProblem first = first_of(problem);
        keep(first, planned_all(first));
    }
    return cache_.at(problem);
}

void ConvPlanner::plan_ahead(const std::vector<ConvProblem>& problems, WorkerPool& pool) {
    std::set<ConvProblem> fresh;
    for (const ConvProblem& problem : problems)
        if (!cache_.contains(problem))
            fresh.insert(first_of(problem));
    const std::vector<ConvProblem> list(fresh.begin(), fresh.end());
    std::vector<Planned> plans(list.size());
    pool.parallel_for(list.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            plans[i] = planned_all(list[i]);
    });
    for (std::size_t i = 0; i < list.size(); ++i)
        keep(list[i], std::move(plans[i]));
}

void ConvPlanner::keep(const ConvProblem& problem, Planned plans) {
    if (problem.trained) {
        const LayerProducts layer = products_of_layer(problem);
        cache_[layer.data] = std::move(plans.data);
        cache_[layer.weights] = std::move(plans.weights);
    }
    cache_[problem] = std::move(plans.forward);
}

ConvPlanner::Planned ConvPlanner::planned_all(const ConvProblem& problem) const {
    return problem.trained ? planned_layer(problem) : Planned{planned(problem), {}, {}};
}

/// Three plans are taken where they take fewer cycles than one, or where it does not fit.
ConvPlanner::Planned ConvPlanner::planned_layer(const ConvProblem& forward) const {
    const LayerProducts layer = products_of_layer(forward);
    Planned plans{planned(layer.forward), planned(layer.data), planned(layer.weights)};
    const double bound = forward.memory_proportion * static_cast<double>(target_.bytes_per_tile);
    const auto joint = joint_plans(target_, layer.forward, bound, kept_plans, cancel_);
    std::int64_t cycles = 0;
    bool fit = true;
    for (const auto* list : {&plans.forward, &plans.data, &plans.weights}) {
        cycles += list->front().cost.cycles();
        fit = fit && fits(target_, list->front().cost, bound);
    }
    if (joint.empty() || (fit && cycles < joint.front().cycles()))
        return plans;
    plans = {};
    for (const JointPlan& plan : joint) {
        plans.forward.push_back(plan.forward);
        plans.data.push_back(plan.data);
        plans.weights.push_back(plan.weights);
    }
    return plans;
}

std::vector<ConvPlan> ConvPlanner::planned(const ConvProblem& problem) const {
    // Where nothing fits the bound doubles, up to twice the tile's memory, then there is none.
    const auto memory = static_cast<double>(target_.bytes_per_tile);
    for (double bound = problem.memory_proportion * memory;; bound *= 2) {
        Search search(target_, problem, bound <= 2 * memory ? bound : unbounded, cancel_);
        search_all(target_, problem, search);
        if (!search.empty())
            return search.take();
    }
}

} // namespace tilescope::ipu
