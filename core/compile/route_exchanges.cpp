// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "compile/passes.h"
#include "ipu/link_cycles.h"
#include "ring_replicas.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tilescope::compile {
namespace {

using ipu::IpuIds;

/// The copies from one IPU of the model to another in one pass. They follow one another.
struct Flow {
    std::int32_t from = 0;
    std::int32_t to = 0;
    Phase phase = Phase::Forward;
    bool operator<(const Flow& other) const {
        return std::tie(from, to, phase) < std::tie(other.from, other.to, other.phase);
    }
    bool meets(const Flow& other) const {
        return from == other.from || from == other.to || to == other.from || to == other.to;
    }
};

/// What transfers that start together cost each of them.
struct Way {
    std::int64_t sharing = 1; ///< transfers on the busiest link
    std::int64_t hops = 1;    ///< links of the longest route
};

bool between_ipus(const program::Exchange& exchange) {
    return exchange.kind == ExchangeKind::InterIpu;
}

/// An all-reduce has no peer: it goes around all replicas, or those of each group.
bool all_reduce(const program::Exchange& exchange) {
    return exchange.peer < 0;
}

/// The rings that all-reduce at once: those of all IPUs of the model; of groups of replicas, which are within
/// a pass, only where the stages of a pipeline overlap.
struct Rings {
    std::int32_t replicas = 0; ///< of each
    bool of_group = false;
    std::int32_t alone = -1; ///< the IPU of the model; -1: of all that all-reduce
    bool operator<(const Rings& other) const {
        return std::tie(replicas, of_group, alone) < std::tie(other.replicas, other.of_group, other.alone);
    }
};

Way way_of(const std::vector<IpuIds>& routes, const ipu::LinkLoads& loads) {
    Way way;
    for (const IpuIds& route : routes) {
        way.sharing = std::max(way.sharing, loads.busiest(route));
        way.hops = std::max(way.hops, static_cast<std::int64_t>(route.size()) - 1);
    }
    return way;
}

void add(ipu::LinkLoads& loads, const std::vector<IpuIds>& routes) {
    for (const IpuIds& route : routes)
        loads.add(route);
}

/// The way of transfers that join what is under way.
Way joining(ipu::LinkLoads loads, const std::vector<IpuIds>& routes) {
    add(loads, routes);
    return way_of(routes, loads);
}

/// Works out the way of every copy and all-reduce of a program.
class Router {
  public:
    explicit Router(const Compilation& c) : compilation_(c), options_(c.options) {
        std::map<Rings, std::set<std::int32_t>> reducing; // IPUs of the model
        for (const program::Exchange& exchange : c.executable.program.exchanges)
            if (between_ipus(exchange) && all_reduce(exchange))
                reducing[rings_of(exchange)].insert(exchange.ipu);
            else if (between_ipus(exchange))
                copies_.try_emplace(flow_of(exchange));
        for (auto& [flow, way] : copies_) {
            if (c.cancelled())
                return;
            way = way_among_others(flow);
        }
        for (const auto& [rings, ipus] : reducing)
            lay_rings(rings, ipus);
    }

    Way way(const program::Exchange& exchange) const {
        return all_reduce(exchange) ? ways_.at({rings_of(exchange), exchange.ipu})
                                    : copies_.at(flow_of(exchange));
    }

  private:
    Flow flow_of(const program::Exchange& exchange) const {
        return {exchange.ipu, exchange.peer,
                compilation_.graph().operation(graph::OpId(exchange.operation)).phase};
    }

    Rings rings_of(const program::Exchange& exchange) const {
        const bool of_group = is_of_group(compilation_.graph(), exchange);
        const bool together = !of_group || options_.schedule.stages_overlap();
        return {ring_replicas(compilation_.graph(), exchange, options_.schedule.replicas), of_group,
                together ? -1 : exchange.ipu};
    }

    std::int32_t place(std::int32_t replica, std::int32_t ipu) const {
        return options_.attachment.at(replica * options_.schedule.ipus_per_replica + ipu);
    }

    /// Replicas keep step: each makes the copy at the same time.
    std::vector<IpuIds> routes(const Flow& flow) const {
        std::vector<IpuIds> routes;
        routes.reserve(static_cast<std::size_t>(options_.schedule.replicas));
        for (std::int32_t r = 0; r < options_.schedule.replicas; ++r)
            routes.push_back(options_.attachment.topology.route(place(r, flow.from), place(r, flow.to)));
        return routes;
    }

    /// Stages of a pipeline copy side by side, those with an IPU in common in turn; the Grouped schedule does
    /// all forward passes, then all backward ones.
    bool at_once(const Flow& a, const Flow& b) const {
        if (!options_.schedule.stages_overlap() || a.meets(b))
            return false;
        if (a.phase == Phase::Update || b.phase == Phase::Update)
            return false;
        const bool same_way = (a.phase == Phase::Forward) == (b.phase == Phase::Forward);
        return same_way || *options_.schedule.pipeline != PipelineSchedule::Grouped;
    }

    Way way_among_others(const Flow& flow) const {
        ipu::LinkLoads loads;
        for (const auto& [other, way] : copies_)
            if (at_once(flow, other))
                add(loads, routes(other));
        return joining(std::move(loads), routes(flow));
    }

    std::vector<IpuIds> around(const IpuIds& ring) const {
        std::vector<IpuIds> routes;
        for (std::size_t i = 0; i < ring.size(); ++i)
            routes.push_back(options_.attachment.topology.route(ring[i], ring[(i + 1) % ring.size()]));
        return routes;
    }

    /// Each IPU of a model has a ring of its own over the replicas of each group, in the direction in which
    /// it shares the least with those before it.
    void lay_rings(const Rings& rings, const std::set<std::int32_t>& reducing) {
        ipu::LinkLoads loads;
        std::map<std::int32_t, std::vector<IpuIds>> chosen;
        for (const std::int32_t ipu : reducing)
            for (std::int32_t first = 0; first < options_.schedule.replicas; first += rings.replicas) {
                IpuIds ring;
                for (std::int32_t r = first; r < first + rings.replicas; ++r)
                    ring.push_back(place(r, ipu));
                ring = options_.attachment.topology.ring(ring);
                const std::vector<IpuIds> onward = around(ring);
                std::reverse(ring.begin(), ring.end());
                const std::vector<IpuIds> back = around(ring);
                const auto& better =
                    joining(loads, back).sharing < joining(loads, onward).sharing ? back : onward;
                add(loads, better);
                chosen[ipu].insert(chosen[ipu].end(), better.begin(), better.end());
            }
        for (const auto& [ipu, routes] : chosen)
            ways_[{rings, ipu}] = way_of(routes, loads);
    }

    const Compilation& compilation_;
    const Options& options_;
    std::map<Flow, Way> copies_;
    std::map<std::pair<Rings, std::int32_t>, Way> ways_; ///< of all-reduces, by IPU of the model
};

} // namespace

Result<std::string> route_exchanges(Compilation& c) {
    program::Program& program = c.executable.program;
    const ipu::Target& target = c.options.target;
    const Router router(c);
    std::int64_t routed = 0;
    Way worst;
    for (program::Step& step : program.steps) {
        if (c.cancelled())
            return cancelled();
        if (step.exchange < 0 || !between_ipus(program.exchanges[static_cast<std::size_t>(step.exchange)]))
            continue;
        program::Exchange& exchange = program.exchanges[static_cast<std::size_t>(step.exchange)];
        const Way way = router.way(exchange);
        const std::int64_t turns = all_reduce(exchange) // of a phase
                                       ? ring_replicas(c.graph(), exchange, c.options.schedule.replicas) - 1
                                       : 1;
        exchange.cycles = ipu::link_cycles(target, exchange.bytes(), turns, way.sharing);
        step.exchange_cycles = exchange.cycles;
        step.sync_cycles = ipu::link_sync_cycles(target, way.hops);
        worst = {std::max(worst.sharing, way.sharing), std::max(worst.hops, way.hops)};
        ++routed;
    }
    if (routed == 0)
        return std::string("nothing goes from one IPU to another");
    return counted_text(static_cast<std::int64_t>(routed), "transfer") + " between IPUs: the longest over " +
           counted_text(worst.hops, "link") + ", up to " + std::to_string(worst.sharing) +
           " on a link at once";
}

} // namespace tilescope::compile
