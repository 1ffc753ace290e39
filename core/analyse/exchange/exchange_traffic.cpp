// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/exchange_traffic.h"

#include "base/try.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

namespace tilescope::analyse {
namespace {

double product(std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
}

} // namespace

Result<ExchangeList> exchange_list(const profile::Profile& profile, std::int64_t ipu) {
    TRY(const auto exchanges, profile.exchanges());
    TRY(const auto program, profile.program());
    TRY(const auto ipus, profile.ipus());
    TRY(const auto operations, profile.operations());
    ExchangeList list;
    TRY(list.links, profile.link_traffic());
    TRY(const bool training, described_trains(profile));
    list.loops = loops_of(program, ipus, training);
    std::int64_t shard = ipu;
    for (const auto& record : ipus) {
        list.replicas = std::max(list.replicas, record.replica + 1);
        if (record.id == ipu)
            shard = record.shard;
    }
    std::map<std::int64_t, ExchangeRow> rows;
    for (const auto& exchange : exchanges)
        if (ipu < 0 || exchange.ipu == shard || exchange.ipu < 0 || exchange.peer == shard)
            rows[exchange.id].exchange = exchange;
    std::unordered_map<std::int64_t, const profile::OperationRecord*> operation_of;
    for (const auto& operation : operations)
        operation_of.emplace(operation.id, &operation);
    TRY(const auto target, profile.target());
    list.clock_hz = target.clock_hz;
    for (const auto& step : program)
        if (const auto found = rows.find(step.exchange_id); found != rows.end() && step.exchange_id >= 0) {
            list.of_program[step.id] = step.exchange_id;
            ExchangeRow& row = found->second;
            row.program = row.program < 0 ? step.id : row.program;
            row.runs += step.runs;
            row.cycles = std::max(row.cycles, step.exchange_cycles);
            row.ring = list.replicas;
            if (const auto op = operation_of.find(step.operation_id); op != operation_of.end())
                row.ring = ring_replicas(*op->second, list.replicas);
        }
    for (auto& [id, row] : rows)
        list.rows.push_back(std::move(row));
    std::stable_sort(list.rows.begin(), list.rows.end(), [](const auto& a, const auto& b) {
        return product(a.cycles, a.runs) > product(b.cycles, b.runs);
    });
    return list;
}

MostBytes most_bytes(const std::vector<std::int64_t>& by_tile) {
    MostBytes most;
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < by_tile.size(); ++t) {
        sum += by_tile[t];
        most.tiles += by_tile[t] > 0 ? 1 : 0;
        if (by_tile[t] > most.bytes) {
            most.bytes = by_tile[t];
            most.tile = static_cast<std::int64_t>(t);
        }
    }
    if (!by_tile.empty())
        most.mean = static_cast<double>(sum) / static_cast<double>(by_tile.size());
    return most;
}

Result<ExchangeTraffic> exchange_traffic(const profile::Profile& profile, std::int64_t exchange_id) {
    ExchangeTraffic traffic;
    TRY(const auto target, profile.target());
    TRY(const auto exchanges, profile.exchanges());
    const auto found = std::find_if(exchanges.begin(), exchanges.end(),
                                    [&](const auto& exchange) { return exchange.id == exchange_id; });
    if (found == exchanges.end())
        return traffic;
    traffic.exchange = *found;
    const std::int64_t from = std::max<std::int64_t>(0, found->ipu);
    TRY(traffic.sent, profile.tile_values("exchange", exchange_id, from, "sent"));
    TRY(traffic.received,
        profile.tile_values("exchange", exchange_id, found->peer < 0 ? from : found->peer, "received"));
    traffic.sent.resize(static_cast<std::size_t>(target.tiles_per_ipu), 0);
    traffic.received.resize(static_cast<std::size_t>(target.tiles_per_ipu), 0);
    return traffic;
}

std::int64_t ring_replicas(const profile::OperationRecord& operation, std::int64_t all) {
    return operation.group_replicas > 0 ? operation.group_replicas : all;
}

std::vector<std::int64_t> ring_from(const std::vector<profile::LinkTrafficRecord>& links, std::int64_t ipu,
                                    std::int64_t replicas) {
    std::multimap<std::int64_t, std::int64_t> next; // rings of groups, and of all, may leave from one IPU
    for (const auto& link : links)
        if (link.kind == profile::LinkKind::AllReduce)
            next.emplace(link.ipu, link.peer);
    std::vector<std::int64_t> ring{ipu};
    std::int64_t looked =
        0; // real rings are found nearly straight away, links of a damaged file may hold none
    const std::function<bool()> closes = [&] {
        constexpr std::int64_t most = 100'000;
        if (++looked > most)
            return false;
        const bool whole = static_cast<std::int64_t>(ring.size()) == replicas;
        const auto [from, to] = next.equal_range(ring.back());
        return std::any_of(from, to, [&](const auto& link) {
            const std::int64_t peer = link.second;
            if (whole)
                return peer == ipu;
            if (std::find(ring.begin(), ring.end(), peer) != ring.end())
                return false;
            ring.push_back(peer);
            if (closes())
                return true;
            ring.pop_back();
            return false;
        });
    };
    return replicas > 1 && closes() ? ring : std::vector<std::int64_t>();
}

std::vector<RingRound> ring_rounds(const profile::ExchangeRecord& exchange,
                                   const std::vector<profile::LinkTrafficRecord>& links,
                                   std::int64_t replicas) {
    if (!exchange.ring_phase || replicas < 2)
        return {};
    const std::vector<std::int64_t> ring = ring_from(links, exchange.ipu, replicas);
    if (ring.empty())
        return {};
    const std::int64_t ahead = exchange.ring_phase == RingPhase::AllGather ? 2 : 1;
    std::vector<RingRound> rounds;
    for (std::int64_t k = 1; k < replicas; ++k)
        for (std::int64_t i = 0; i < replicas; ++i)
            rounds.push_back({k, ring[static_cast<std::size_t>(i)],
                              ring[static_cast<std::size_t>((i + 1) % replicas)],
                              (i - k + ahead + 2 * replicas) % replicas, exchange.bytes / (replicas - 1)});
    return rounds;
}

} // namespace tilescope::analyse
