// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/link_flow.h"

#include "analyse/exchange_traffic.h"
#include "base/try.h"
#include "profile/shared_rows.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace tilescope::ui {
namespace {

using profile::IpuRecord;
using profile::TraceSlice;

/// A program step that exchanges something with another IPU.
struct LinkStep {
    std::int64_t id = -1;
    std::int64_t operation = -1;
    std::int64_t from = -1; ///< IPU of the first replica
    std::int64_t peer = -1; ///< the same; -1: that of other replicas
};

/// Those of all device programs, by id.
Result<std::vector<LinkStep>> link_steps(const profile::Profile& file) {
    TRY(const auto program, file.program());
    TRY(const auto further, file.further_steps());
    TRY(const auto exchanges, file.exchanges());
    std::map<std::int64_t, bool> between;
    for (const auto& exchange : exchanges)
        between[exchange.id] = exchange.kind == profile::ExchangeKind::InterIpu;
    std::vector<LinkStep> steps;
    for (const auto& row : program)
        if (const auto found = between.find(row.exchange_id); found != between.end() && found->second)
            steps.push_back({row.id, row.operation_id, row.ipu, row.peer});
    for (const auto& row : further)
        if (row.between_ipus)
            steps.push_back({row.id, row.operation_id, row.ipu, row.peer});
    return steps;
}

/// The run of a step on an IPU that is nearest to `like`, in the same step of the same engine run.
Result<std::optional<TraceSlice>> run_of(const profile::Profile& file, std::int64_t ipu, std::int64_t step,
                                         const TraceSlice& like) {
    TRY(const auto executions, file.executions(like.execution_id, 1));
    std::optional<TraceSlice> nearest;
    if (executions.empty())
        return nearest;
    const std::vector<std::int64_t> wanted{step};
    const auto far = [&](const TraceSlice& slice) { return std::abs(slice.start_cycle - like.start_cycle); };
    const std::int64_t start = executions.front().start_cycle;
    TRY(file.trace_steps(ipu, start, start + executions.front().cycles, &wanted,
                         [&](const TraceSlice& slice) {
                             if (slice.step == like.step && slice.execution_id == like.execution_id &&
                                 (!nearest || far(slice) < far(*nearest)))
                                 nearest = slice;
                             return !nearest || slice.step <= like.step;
                         }));
    return nearest;
}

/// The IPU of a shard in the replica of another IPU; -1: there is none.
std::int64_t ipu_of(const std::vector<IpuRecord>& ipus, const IpuRecord& like, std::int64_t shard) {
    const auto found = std::find_if(ipus.begin(), ipus.end(), [&](const IpuRecord& r) {
        return r.replica == like.replica && r.shard == shard;
    });
    return found == ipus.end() ? std::int64_t{-1} : found->id;
}

/// The rings of replicas that the all-reduces of a file go around.
class Rings {
  public:
    static Result<Rings> of(const profile::Profile& file) {
        Rings rings;
        TRY(rings.links_, file.link_traffic());
        TRY(rings.operations_, file.operations());
        TRY(const auto ipus, file.ipus());
        for (const IpuRecord& each : ipus)
            rings.replicas_ = std::max(rings.replicas_, each.replica + 1);
        return rings;
    }
    /// From an IPU on, in the order in which they send to each other; empty where there is none.
    std::vector<std::int64_t> from(std::int64_t ipu, std::int64_t operation) const {
        const auto found = std::find_if(operations_.begin(), operations_.end(),
                                        [&](const auto& each) { return each.id == operation; });
        return analyse::ring_from(
            links_, ipu, found == operations_.end() ? replicas_ : analyse::ring_replicas(*found, replicas_));
    }

  private:
    std::vector<profile::LinkTrafficRecord> links_;
    profile::SharedRows<profile::OperationRecord> operations_;
    std::int64_t replicas_ = 1;
};

TimelineFlow arrow(std::int64_t from, const TraceSlice& sent, std::int64_t to, const TraceSlice& received,
                   bool chosen) {
    return {from, sent.start_cycle + sent.cycles.sync, to, received.end_cycle, chosen, LaneKind::Phases};
}

} // namespace

std::optional<LinkFlow::Stop> LinkFlow::next(int direction) const {
    const auto wanted = static_cast<std::int64_t>(at_) + direction;
    return wanted < 0 || wanted >= static_cast<std::int64_t>(stops_.size())
               ? std::nullopt
               : std::optional(stops_[static_cast<std::size_t>(wanted)]);
}

Result<std::vector<LinkFlow::Link>> LinkFlow::within(const profile::Profile& file, std::int64_t ipu,
                                                     std::int64_t from, std::int64_t to, std::size_t most) {
    TRY(const auto steps, link_steps(file));
    TRY(const auto ipus, file.ipus());
    TRY(const auto rings, Rings::of(file));
    const auto own = std::find_if(ipus.begin(), ipus.end(), [&](const IpuRecord& r) { return r.id == ipu; });
    std::vector<Link> found;
    if (own == ipus.end() || steps.empty())
        return found;
    std::vector<std::int64_t> wanted;
    for (const LinkStep& step : steps)
        wanted.push_back(step.id);
    std::sort(wanted.begin(), wanted.end());
    TRY(file.trace_steps(ipu, from, to, &wanted, [&](const TraceSlice& slice) {
        const auto step = std::find_if(steps.begin(), steps.end(),
                                       [&](const LinkStep& each) { return each.id == slice.program_id; });
        Link link{slice, -1, true, step->peer < 0};
        if (link.reduces) {
            const auto ring = rings.from(ipu, step->operation);
            link.peer = ring.empty() ? -1 : ring[1];
        } else {
            const std::int64_t sender = ipu_of(ipus, *own, step->from);
            link.sends = sender == ipu;
            link.peer = link.sends ? ipu_of(ipus, *own, step->peer) : sender;
        }
        if (slice.start_cycle >= from && slice.end_cycle <= to && link.peer >= 0)
            found.push_back(link);
        return found.size() < most;
    }));
    return found;
}

Result<std::optional<LinkFlow>> LinkFlow::through(const profile::Profile& file, std::int64_t ipu,
                                                  const TraceSlice& chosen) {
    TRY(const auto steps, link_steps(file));
    TRY(const auto ipus, file.ipus());
    const auto step = std::find_if(steps.begin(), steps.end(),
                                   [&](const LinkStep& each) { return each.id == chosen.program_id; });
    const auto own = std::find_if(ipus.begin(), ipus.end(), [&](const IpuRecord& r) { return r.id == ipu; });
    if (step == steps.end() || own == ipus.end())
        return std::optional<LinkFlow>();
    LinkFlow flow;
    if (step->peer >= 0) {
        const std::int64_t sender = ipu_of(ipus, *own, step->from);
        const std::int64_t receiver = ipu_of(ipus, *own, step->peer);
        const std::int64_t other = ipu == sender ? receiver : sender;
        TRY(const auto there, run_of(file, other, step->id, chosen));
        if (!there)
            return std::optional<LinkFlow>();
        flow.at_ = ipu == sender ? 0 : 1;
        flow.stops_ = {{sender, ipu == sender ? chosen : *there},
                       {receiver, ipu == sender ? *there : chosen}};
        flow.arrows_ = {arrow(sender, flow.stops_[0].step, receiver, flow.stops_[1].step, true)};
        return std::optional(std::move(flow));
    }
    TRY(const auto rings, Rings::of(file));
    const std::vector<std::int64_t> ring = rings.from(ipu, step->operation);
    if (ring.empty())
        return std::optional<LinkFlow>();
    std::vector<LinkStep> rounds;
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(rounds), [&](const LinkStep& each) {
        return each.operation == step->operation && each.from == step->from && each.peer < 0;
    });
    const auto round =
        static_cast<std::size_t>(std::find_if(rounds.begin(), rounds.end(),
                                              [&](const LinkStep& each) { return each.id == step->id; }) -
                                 rounds.begin());
    flow.reduces_ = true;
    std::size_t at = (ring.size() - round % ring.size()) % ring.size(); // whose sums are here in this round
    for (std::size_t r = 0; r < rounds.size(); ++r, ++at) {
        std::vector<TraceSlice> runs;
        for (const std::int64_t each : ring) {
            TRY(const auto run, run_of(file, each, rounds[r].id, chosen));
            if (!run)
                return std::optional<LinkFlow>();
            runs.push_back(*run);
        }
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const std::size_t to = (i + 1) % ring.size();
            flow.arrows_.push_back(arrow(ring[i], runs[i], ring[to], runs[to], i == 0 && r == round));
        }
        flow.stops_.push_back({ring[at % ring.size()], runs[at % ring.size()]});
    }
    flow.at_ = round;
    return std::optional(std::move(flow));
}

} // namespace tilescope::ui
