// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/ipu_use.h"

#include "analyse/exchange_traffic.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

namespace tilescope::analyse {
namespace {

using profile::ExchangeKind;
using profile::StepFigure;
using profile::StepKind;

/// Whether the exchange with the host brings bytes to the tiles; nullopt: it moves none.
Result<std::optional<bool>> comes_in(const profile::Profile& profile,
                                     const profile::ExchangeRecord& exchange) {
    const std::int64_t ipu = std::max<std::int64_t>(0, exchange.ipu);
    for (const bool received : {true, false}) {
        TRY(const auto bytes,
            profile.tile_values("exchange", exchange.id, ipu, received ? "received" : "sent"));
        if (std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}) > 0)
            return std::optional(received);
    }
    return std::optional<bool>();
}

} // namespace

void StepTraffic::put(std::int64_t step, const Moves& moves) {
    if (step < 0)
        return;
    const auto id = static_cast<std::size_t>(step);
    if (steps_.size() <= id)
        steps_.resize(id + 1);
    steps_[id] = moves;
}

Result<StepTraffic> StepTraffic::read(const profile::Profile& profile) {
    TRY(const auto program, profile.program());
    TRY(const auto further, profile.further_steps());
    TRY(const auto exchanges, profile.exchanges());
    std::map<std::int64_t, Moves> of_exchange;
    for (const profile::ExchangeRecord& exchange : exchanges) {
        Moves& moves = of_exchange[exchange.id];
        moves.bytes = static_cast<double>(exchange.bytes);
        if (leaves_ipus(exchange.kind)) {
            TRY(const auto in, comes_in(profile, exchange));
            if (in || exchange.bytes == 0) {
                moves.from = in.value_or(true) ? host : exchange.ipu;
                moves.to = in.value_or(true) ? exchange.ipu : host;
            }
        } else {
            moves.from = moves.to = exchange.ipu;
            if (exchange.kind == ExchangeKind::InterIpu)
                moves.to = exchange.peer < 0 ? other_replicas : exchange.peer;
        }
    }
    StepTraffic traffic;
    traffic.steps_.reserve(program.size() + further.size()); // they stay
    TRY(traffic.links_, profile.link_traffic());
    TRY(const auto operations, profile.operations());
    TRY(const auto ipus, profile.ipus());
    std::int64_t replicas = 1;
    for (const profile::IpuRecord& ipu : ipus)
        replicas = std::max(replicas, ipu.replica + 1);
    std::map<std::int64_t, std::int64_t> rings; // by operation
    for (const profile::OperationRecord& operation : operations)
        rings[operation.id] = ring_replicas(operation, replicas);
    std::map<std::string, const Moves*> streams; // by name
    for (const profile::ProgramRecord& step : program) {
        const auto found = of_exchange.find(step.exchange_id);
        if (found != of_exchange.end() && found->second.to == other_replicas) {
            const auto ring = rings.find(step.operation_id);
            found->second.ring = ring == rings.end() ? replicas : ring->second;
        }
        traffic.put(step.id, found == of_exchange.end() ? Moves{every_shard, every_shard, 0} : found->second);
        if (step.kind == StepKind::StreamCopy && found != of_exchange.end())
            streams.emplace(step.name, &found->second);
    }
    for (const profile::FurtherStepRecord& step : further) {
        Moves moves{step.ipu, step.ipu, static_cast<double>(step.bytes)};
        if (step.between_ipus) {
            moves.to = step.peer < 0 ? other_replicas : step.peer;
            moves.ring = step.peer < 0 ? replicas : 0;
        }
        if (step.kind == StepKind::Load)
            moves.from = host;
        if (step.kind == StepKind::Store)
            moves.to = host;
        if (step.kind == StepKind::StreamCopy) {
            // The way is not recorded; a stream of the same name goes the same.
            const auto same = streams.find(step.name);
            moves.from = same == streams.end() ? unknown : same->second->from == host ? host : step.ipu;
            moves.to = same == streams.end() ? unknown : same->second->to == host ? host : step.ipu;
            if (step.bytes == 0)
                moves = {step.ipu, step.ipu, 0};
        }
        traffic.put(step.id, moves);
    }
    return traffic;
}

StepFigure StepTraffic::figure(Way way, const profile::IpuRecord& ipu) const {
    const auto is = [&](std::int64_t shard) { return shard == every_shard || shard == ipu.shard; };
    StepFigure figure;
    figure.over = StepFigure::Over::Exchange;
    for (const Moves& moves : steps_) {
        const bool known = moves.from != unknown;
        const bool within = known && moves.from == moves.to;
        const bool reduces = moves.to == other_replicas && is(moves.from);
        const bool counts = way == Way::BetweenTiles ? within && is(moves.from)
                            : way == Way::In         ? (!within && is(moves.to)) || reduces
                                                     : !within && is(moves.from);
        const bool told = moves.bytes >= 0 && (known || way == Way::BetweenTiles);
        figure.of_step.push_back(!told ? std::nan("") : counts ? moves.bytes : 0);
    }
    return figure;
}

StepFigure StepTraffic::over_link(const profile::IpuRecord& from, const profile::IpuRecord& to) const {
    StepFigure figure;
    figure.over = StepFigure::Over::Exchange;
    std::map<std::int64_t, bool> goes_on; // by the size of a ring: whether it goes from the one to the other
    const auto follows = [&](std::int64_t ring) {
        const auto [known, fresh] = goes_on.try_emplace(ring, true);
        if (fresh)
            if (const auto around = ring_from(links_, from.id, ring); !around.empty())
                known->second = around[1] == to.id;
        return known->second;
    };
    for (const Moves& moves : steps_) {
        const bool sends = moves.from == every_shard || moves.from == from.shard;
        const bool counts =
            sends && (from.replica == to.replica
                          ? moves.to == to.shard && moves.from != moves.to
                          : moves.to == other_replicas && from.shard == to.shard && follows(moves.ring));
        figure.of_step.push_back(moves.bytes < 0 ? std::nan("") : counts ? moves.bytes : 0);
    }
    return figure;
}

Result<std::vector<IpuUse>> ipu_uses(const profile::Profile& profile, std::int64_t ipu, Range range,
                                     const StepBalances& balances, const StepTraffic& traffic) {
    std::vector<IpuUse> uses;
    TRY(const auto ipus, profile.ipus());
    for (const profile::IpuRecord& one : ipus) {
        if (ipu != every_ipu && ipu != one.id)
            continue;
        TRY(const RangeTotals totals, range_totals(profile, one.id, range, balances));
        IpuUse use{one.id, totals.phases, tile_utilisation(totals, balances), {}, {}, {}};
        const auto sum = [&](StepTraffic::Way way) -> Result<std::optional<double>> {
            const StepFigure figure = traffic.figure(way, one);
            for (const TimeTotal& row : totals.programs) {
                const auto id = static_cast<std::size_t>(row.id);
                const bool moves = row.cycles.exchanged() > 0;
                const bool known = row.of == TimeTotal::Of::Step && id < figure.of_step.size() &&
                                   !std::isnan(figure.of_step[id]);
                if (moves && !known && row.of != TimeTotal::Of::Launch)
                    return std::optional<double>();
            }
            if (range.second <= range.first)
                return std::optional(0.0);
            TRY(const auto whole,
                profile.trace_figure(one.id, range.first, range.second - range.first, 1, figure));
            return std::optional(whole.front().sum);
        };
        TRY(use.between_tiles, sum(StepTraffic::Way::BetweenTiles));
        TRY(use.in, sum(StepTraffic::Way::In));
        TRY(use.out, sum(StepTraffic::Way::Out));
        uses.push_back(use);
    }
    return uses;
}

} // namespace tilescope::analyse
