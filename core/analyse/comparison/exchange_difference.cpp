// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/exchange_difference.h"

#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tilescope::analyse {

Result<ExchangeSide> ExchangeSide::read(const profile::Profile& file, std::int64_t ipu) {
    ExchangeSide side;
    TRY(side.list, exchange_list(file, ipu));
    TRY(side.parts, Parts::read(file));
    TRY(side.steps, named_steps(file));
    return side;
}

ExchangeDifferences exchange_differences(const ExchangeSide& base, const ExchangeSide& now,
                                         const HandMatches& by_hand, std::optional<Basis> wanted) {
    ExchangeDifferences result;
    result.basis = common_basis(&base.list.loops, now.list.loops, wanted);
    result.base_periods = base.list.loops.count(result.basis);
    result.now_periods = now.list.loops.count(result.basis);
    const auto cycles = [&](const ExchangeSide& side, const ExchangeRow& row) {
        return row.cycles_per(side.list.loops, result.basis);
    };
    const auto bytes = [&](const ExchangeSide& side, const ExchangeRow& row) {
        return row.bytes_per(side.list.loops, result.basis);
    };
    std::map<std::int64_t, const ExchangeRow*> there;
    for (const ExchangeRow& row : base.list.rows)
        there[row.exchange.id] = &row;
    const auto steps = match_steps(base.steps, now.steps, match(base.parts, now.parts, by_hand));
    std::set<std::int64_t> taken;
    for (const ExchangeRow& row : now.list.rows) {
        ExchangePair pair;
        pair.now = row;
        pair.now_cycles = cycles(now, row);
        pair.now_bytes = bytes(now, row);
        const auto step = steps.find(row.program);
        const auto id =
            step == steps.end() ? base.list.of_program.end() : base.list.of_program.find(step->second);
        if (id != base.list.of_program.end() && taken.insert(id->second).second) {
            pair.base = *there.at(id->second);
            pair.base_cycles = cycles(base, *pair.base);
            pair.base_bytes = bytes(base, *pair.base);
        }
        result.pairs.push_back(std::move(pair));
    }
    for (const ExchangeRow& row : base.list.rows)
        if (!taken.contains(row.exchange.id)) {
            ExchangePair pair;
            pair.base = row;
            pair.base_cycles = cycles(base, row);
            pair.base_bytes = bytes(base, row);
            result.pairs.push_back(std::move(pair));
        }
    std::stable_sort(result.pairs.begin(), result.pairs.end(), [](const auto& a, const auto& b) {
        return std::pair(std::abs(a.cycles()), std::abs(a.bytes())) >
               std::pair(std::abs(b.cycles()), std::abs(b.bytes()));
    });
    return result;
}

ExchangeChanges exchange_changes(const ExchangeDifferences& differences,
                                 std::optional<profile::ExchangeKind> kind) {
    ExchangeChanges changes;
    for (const ExchangePair& pair : differences.pairs) {
        if (kind && pair.kind() != *kind)
            continue;
        (pair.changed() ? changes.changed : changes.unchanged).push_back(&pair);
        changes.cycles += pair.cycles();
    }
    return changes;
}

namespace {

bool moves_nothing(const SummedTraffic& traffic) {
    const auto none = [](const std::vector<std::int64_t>& by_tile) {
        return std::all_of(by_tile.begin(), by_tile.end(), [](std::int64_t bytes) { return bytes == 0; });
    };
    return none(traffic.sent) && none(traffic.received);
}

/// The same on a chip with more tiles.
void widen(SummedTraffic& traffic, std::size_t tiles) {
    TileMoves& moves = traffic.moves;
    const auto before = static_cast<std::size_t>(std::max<std::int64_t>(0, moves.tiles));
    if (moves_nothing(traffic)) {
        moves.known = TileMoves::Known::Exactly;
        moves.bytes.assign(tiles * tiles, 0);
    } else if (!moves.bytes.empty() && before < tiles) {
        std::vector<std::int64_t> wide(tiles * tiles, 0);
        for (std::size_t from = 0; from < before; ++from)
            for (std::size_t to = 0; to < before; ++to)
                wide[from * tiles + to] = moves.bytes[from * before + to];
        moves.bytes = std::move(wide);
    }
    moves.tiles = static_cast<std::int64_t>(tiles);
    traffic.sent.resize(tiles, 0);
    traffic.received.resize(tiles, 0);
}

std::vector<std::int64_t> less(std::vector<std::int64_t> now, const std::vector<std::int64_t>& base) {
    for (std::size_t i = 0; i < now.size(); ++i)
        now[i] -= base[i];
    return now;
}

} // namespace

TrafficDifference traffic_difference(SummedTraffic base, SummedTraffic now) {
    const std::size_t tiles = std::max(base.sent.size(), now.sent.size());
    widen(base, tiles);
    widen(now, tiles);
    TrafficDifference difference;
    difference.sent = less(now.sent, base.sent);
    difference.received = less(now.received, base.received);
    difference.moves.tiles = static_cast<std::int64_t>(tiles);
    difference.moves.known = now.moves.known;
    if (now.moves.known == TileMoves::Known::Exactly)
        difference.moves.known = base.moves.known;
    if (difference.moves.known == TileMoves::Known::Exactly)
        difference.moves.bytes = less(now.moves.bytes, base.moves.bytes);
    difference.base = std::move(base);
    difference.now = std::move(now);
    return difference;
}

MostChanged most_changed(const std::vector<std::int64_t>& by_tile) {
    MostChanged most;
    for (std::size_t tile = 0; tile < by_tile.size(); ++tile) {
        const std::int64_t bytes = by_tile[tile];
        most.more += bytes > 0 ? 1 : 0;
        most.fewer += bytes < 0 ? 1 : 0;
        if (std::abs(bytes) > std::abs(most.bytes)) {
            most.tile = static_cast<std::int64_t>(tile);
            most.bytes = bytes;
        }
    }
    return most;
}

} // namespace tilescope::analyse
