// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/conv_planner.h"

#include "base/units.h"
#include "ipu/conv_candidates.h"
#include "ipu/joint_plan.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace tilescope::ipu {
namespace {

constexpr std::size_t kept_plans = 4;

/// Products in a cycle that no vertex's formula goes beyond: two outputs of half are summed up at once.
std::int64_t most_macs(const Target& target, const ConvGrouping& grouping, const ConvTypes& types) {
    const bool two = grouping.vertex == ConvVertex::HorizontalMac && types.partial_bytes == 2;
    return (two ? 2 : 1) * peak_macs(target, grouping, types);
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
        if (hopeless(p, grouping, conv_groups, in_groups * serial_in, out_groups * serial_out))
            return;
        const bool sums_whole =
            grouping.vertex == ConvVertex::Slic || grouping.vertex == ConvVertex::OuterProduct;
        ConvSplits s;
        s.serial_in = serial_in;
        s.serial_out = serial_out;
        s.width_group = width_group(p, grouping);
        // Whether serial parts are worth a search shows in what whole products take, also those too large.
        const double most_bytes = s.serial() > 1 ? bound_ : std::numeric_limits<double>::max();
        const std::int64_t columns = ceil_div(p.out_width, s.width_group);
        // Cycles that a tile takes at least where `tiles_left` share so many blocks of outputs.
        const std::int64_t macs = serial_in * serial_out * grouping.conv_groups * p.kernel_height *
                                  p.kernel_width * in_groups * grouping.in_channels * grouping.out_channels;
        const auto too_slow = [&, rate = most_macs(target_, grouping, p.types)](std::int64_t blocks,
                                                                                std::int64_t tiles_left) {
            return blocks * macs / (rate * tiles_left) > most_cycles();
        };
        for (const std::int64_t groups : part_counts(conv_groups, tiles)) {
            s.groups = groups;
            const std::int64_t group_blocks = ceil_div(conv_groups, groups);
            const std::int64_t field = p.batch * p.out_height * p.out_width;
            for (const std::int64_t out : part_counts(out_groups, tiles / groups)) {
                s.out_channels = out;
                const std::int64_t out_blocks = group_blocks * ceil_div(out_groups, out);
                if (too_slow(out_blocks * field, tiles / (groups * out)))
                    continue;
                for (const std::int64_t batch : part_counts(p.batch, tiles / (groups * out))) {
                    s.batch = batch;
                    const std::int64_t batch_blocks = out_blocks * ceil_div(p.batch, batch);
                    for (const std::int64_t height :
                         part_counts(p.out_height, tiles / (groups * out * batch))) {
                        s.height = height;
                        const std::int64_t row_blocks = batch_blocks * ceil_div(p.out_height, height);
                        if (too_slow(row_blocks * p.out_width, tiles / (groups * out * batch * height)))
                            continue;
                        for (const std::int64_t width :
                             part_counts(columns, tiles / (groups * out * batch * height))) {
                            if (ended())
                                return;
                            s.width = width;
                            const std::int64_t outputs = groups * out * batch * height * width;
                            if (too_slow(row_blocks * ceil_div(columns, width) * s.width_group,
                                         tiles / outputs))
                                continue;
                            for (const std::int64_t in :
                                 part_counts(sums_whole ? 1 : in_groups, tiles / outputs))
                                for (const std::int64_t kernel :
                                     part_counts(sums_whole ? 1 : p.kernel_height, tiles / (outputs * in))) {
                                    s.in_channels = in;
                                    s.kernel_height = kernel;
                                    if (const auto cost = conv_cost_within(target_, p, transform, grouping, s,
                                                                           most_cycles(), most_bytes))
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

    /// Whether even all tiles at the vertex's peak would be slower than the plans that are kept.
    bool hopeless(const ConvProblem& p, const ConvGrouping& grouping, std::int64_t conv_groups,
                  std::int64_t in_groups, std::int64_t out_groups) const {
        const std::int64_t macs = conv_groups * grouping.conv_groups * p.batch * p.out_height * p.out_width *
                                  p.kernel_height * p.kernel_width * in_groups * grouping.in_channels *
                                  out_groups * grouping.out_channels;
        return macs / (peak_macs(target_, grouping, p.types) * target_.tiles_per_ipu) > most_cycles();
    }

    /// Once cancelled any plan will do.
    bool ended() {
        if (cancel_ == nullptr || !cancel_->cancelled())
            return false;
        bound_ = std::numeric_limits<double>::max();
        return !best_.empty();
    }

    /// What takes longer is not kept.
    std::int64_t most_cycles() const {
        return best_.size() < kept_plans ? std::numeric_limits<std::int64_t>::max()
                                         : best_.back().cost.cycles();
    }

    void consider(const ConvPlan& plan) {
        fastest_ = std::min(fastest_, plan.cost.cycles());
        if (static_cast<double>(plan.cost.temporary_bytes) > bound_)
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
        fit = fit && static_cast<double>(list->front().cost.temporary_bytes) <= bound;
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
        Search search(target_, problem, bound <= 2 * memory ? bound : std::numeric_limits<double>::max(),
                      cancel_);
        search_all(target_, problem, search);
        if (!search.empty())
            return search.take();
    }
}

} // namespace tilescope::ipu
