// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/exchange_traffic.h"
#include "base/share.h"
#include "base/try.h"
#include "mapping/axis_numbers.h"
#include "mapping/exchange_fabric.h"
#include "mapping/message_schedule.h"
#include "profile/tile_array.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace tilescope::analyse {
namespace {

using nlohmann::json;

/// The numbers of a JSON array; nullopt where it is none of numbers.
std::optional<std::vector<std::int64_t>> numbers_of(const json& array) {
    const auto number = [](const json& n) { return n.is_number_integer(); };
    if (!array.is_array() || !std::all_of(array.begin(), array.end(), number))
        return std::nullopt;
    return array.get<std::vector<std::int64_t>>();
}

constexpr std::int64_t most_elements = std::int64_t{1} << 40U; ///< of a tensor on an IPU, and more

/// The elements of a tensor; nullopt where that is no shape of one, in a damaged file.
std::optional<std::int64_t> elements_of(const mapping::Shape& shape) {
    std::int64_t product = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 1 || extent > most_elements / product)
            return std::nullopt;
        product *= extent;
    }
    return product;
}

/// Where the tensor lies; nullopt where the file does not say so in numbers that make sense. It is on the
/// tiles that compute, or on the `io_tiles` behind them.
std::optional<mapping::TileMapping> source_of(const profile::ExchangeMovesRecord& moves, std::int64_t tiles,
                                              std::int64_t io_tiles) {
    const json text = json::parse(moves.axes, nullptr, false);
    if (!text.is_array() || moves.first_tile < 0 || moves.first_tile >= tiles)
        return std::nullopt;
    std::vector<mapping::Axis> axes;
    mapping::Shape extents;
    for (const json& entry : text) {
        const auto numbers = numbers_of(entry);
        const auto axis = numbers ? mapping::axis_of(*numbers) : std::nullopt;
        if (!axis)
            return std::nullopt;
        axes.push_back(*axis);
        extents.push_back(axis->extent);
    }
    if (!elements_of(extents))
        return std::nullopt;
    const std::int64_t compute_tiles = tiles - std::clamp<std::int64_t>(io_tiles, 0, tiles - 1);
    return mapping::TileMapping(std::move(axes), moves.first_tile < compute_tiles ? compute_tiles : tiles,
                                moves.first_tile);
}

/// The messages of an exchange. Error: the file is damaged.
Result<std::vector<mapping::TileMessage>> messages(const profile::Profile& profile,
                                                   const profile::ExchangeMovesRecord& record,
                                                   std::int64_t tiles,
                                                   mapping::Messages which = mapping::Messages::OfBoxes) {
    const auto damaged = [&] {
        return bad_input("the moves of exchange " + std::to_string(record.exchange_id) + " are damaged",
                         profile.path(), "profile the workload again");
    };
    TRY(const auto needs_record, profile.tile_needs(record.needs_id));
    TRY(const auto programs, profile.device_programs());
    const auto from = source_of(record, tiles, programs.empty() ? 0 : programs.front().io_tiles);
    if (!needs_record || !from)
        return damaged();
    const auto shape = numbers_of(json::parse(needs_record->shape, nullptr, false));
    auto differences = profile::unpack_tile_values(needs_record->data);
    if (!shape || !differences || elements_of(*shape) != from->elements())
        return damaged();
    const auto needs = mapping::needs_of({*shape, std::move(*differences)}, record.first_need_tile, tiles);
    if (!needs)
        return damaged();
    return mapping::messages_of(*from, *shape, record.element_bytes, *needs, which);
}

/// Adds the bytes of so many runs to [from * tiles + to].
void add(const std::vector<mapping::TileMessage>& messages, std::int64_t tiles, std::int64_t runs,
         std::vector<std::int64_t>& matrix) {
    for (const mapping::TileMessage& message : messages)
        for (const std::int64_t receiver : message.receivers)
            matrix[static_cast<std::size_t>(message.sender * tiles + receiver)] += message.bytes * runs;
}

/// With the way of the words; nullopt on a chip whose tiles' places are not known.
std::optional<std::int64_t> scheduled(const std::vector<mapping::TileMessage>& messages, std::int64_t tiles,
                                      const profile::TargetRecord& target) {
    if (tiles != mapping::known_chip_tiles || !target.exchange_bytes_per_cycle)
        return std::nullopt;
    mapping::ExchangePaths ways;
    for (const mapping::TileMessage& message : messages)
        for (const std::int64_t receiver : message.receivers)
            ways.add(message.sender, receiver);
    return ways.cycles() + mapping::scheduled_cycles(messages, tiles, *target.exchange_bytes_per_cycle);
}

} // namespace

Result<TileMoves> tile_moves(const profile::Profile& profile, const ExchangeTraffic& traffic) {
    TileMoves moves;
    moves.tiles = static_cast<std::int64_t>(traffic.sent.size());
    switch (traffic.exchange.kind) {
    case profile::ExchangeKind::Host:
    case profile::ExchangeKind::Streaming:
        moves.known = TileMoves::Known::Outside;
        return moves;
    case profile::ExchangeKind::InterIpu:
        moves.known = TileMoves::Known::Exactly;
        moves.bytes.assign(traffic.sent.size() * traffic.sent.size(), 0);
        for (std::size_t t = 0; t < traffic.sent.size(); ++t)
            moves.bytes[t * traffic.sent.size() + t] = traffic.sent[t];
        return moves;
    case profile::ExchangeKind::Internal:
        break;
    }
    TRY(const auto record, profile.exchange_moves(traffic.exchange.id));
    if (record) {
        moves.bytes.assign(static_cast<std::size_t>(moves.tiles * moves.tiles), 0);
        TRY(const auto target, profile.target());
        TRY(const auto all, messages(profile, *record, moves.tiles));
        add(all, moves.tiles, 1, moves.bytes);
        moves.scheduled_cycles = scheduled(all, moves.tiles, target);
        TRY(const auto pieces, messages(profile, *record, moves.tiles, mapping::Messages::OfPieces));
        if (moves.scheduled_cycles && !pieces.empty())
            moves.scheduled_cycles = std::min(moves.scheduled_cycles, scheduled(pieces, moves.tiles, target));
        moves.known = TileMoves::Known::Exactly;
        return moves;
    }
    TRY(const auto variables, profile.exchange_variables());
    if (!variables.empty())
        moves.known = TileMoves::Known::NotFollowed;
    return moves;
}

namespace {

std::int64_t sender_of(const profile::ExchangeRecord& exchange) {
    return std::max<std::int64_t>(0, exchange.ipu);
}
std::int64_t receiver_of(const profile::ExchangeRecord& exchange) {
    return exchange.peer < 0 ? sender_of(exchange) : exchange.peer;
}

/// Cycles of the exchanges that an IPU takes part in.
std::map<std::int64_t, std::int64_t> cycles_by_ipu(const std::vector<ExchangeRow>& rows) {
    std::map<std::int64_t, std::int64_t> cycles;
    for (const ExchangeRow& row : rows)
        for (const std::int64_t ipu : std::set{sender_of(row.exchange), receiver_of(row.exchange)})
            cycles[ipu] += row.cycles * row.runs;
    return cycles;
}

} // namespace

Result<SummedTraffic> summed_traffic(const profile::Profile& profile, const std::vector<ExchangeRow>& rows,
                                     std::int64_t periods, std::int64_t ipu) {
    TRY(const auto target, profile.target());
    TRY(const auto parts, profile.exchange_variables());
    const auto tiles = static_cast<std::size_t>(std::max<std::int64_t>(0, target.tiles_per_ipu));
    SummedTraffic sum;
    const auto cycles = cycles_by_ipu(rows);
    const auto busiest = std::max_element(cycles.begin(), cycles.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    sum.ipus = static_cast<std::int64_t>(cycles.size());
    sum.ipu = ipu >= 0 || rows.empty() ? std::max<std::int64_t>(0, ipu)
              : rows.size() == 1       ? sender_of(rows.front().exchange)
                                       : busiest->first;
    const bool all = ipu < 0 && rows.size() == 1;
    sum.sent.assign(tiles, 0);
    sum.received.assign(tiles, 0);
    sum.moves.tiles = target.tiles_per_ipu;
    std::vector<std::int64_t> matrix(tiles * tiles, 0);
    // Layers that are alike move the same between the same tiles: their runs, followed once.
    using Where = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    std::map<Where, std::pair<profile::ExchangeMovesRecord, std::int64_t>> moves;
    bool outside = !rows.empty();
    for (const ExchangeRow& row : rows) {
        const profile::ExchangeRecord& exchange = row.exchange;
        const std::int64_t from = sender_of(exchange);
        const std::int64_t to = receiver_of(exchange);
        if (!all && from != sum.ipu && to != sum.ipu)
            continue;
        std::vector<std::int64_t> sent;
        std::vector<std::int64_t> received;
        if (all || from == sum.ipu) {
            TRY(sent, profile.tile_values("exchange", exchange.id, from, "sent"));
        }
        if (all || to == sum.ipu) {
            TRY(received, profile.tile_values("exchange", exchange.id, to, "received"));
        }
        std::int64_t bytes = 0;
        for (std::size_t t = 0; t < std::min(tiles, sent.size()); ++t) {
            sum.sent[t] += sent[t] * row.runs;
            bytes += sent[t] * row.runs;
        }
        for (std::size_t t = 0; t < std::min(tiles, received.size()); ++t)
            sum.received[t] += received[t] * row.runs;
        sum.bytes += bytes;
        const bool between = exchange.kind == profile::ExchangeKind::InterIpu;
        outside = outside && !between && exchange.kind != profile::ExchangeKind::Internal;
        if (between)
            for (std::size_t t = 0; t < std::min(tiles, sent.size()); ++t)
                matrix[t * tiles + t] += sent[t] * row.runs;
        if (exchange.kind == profile::ExchangeKind::Internal) {
            TRY(const auto record, profile.exchange_moves(exchange.id));
            if (!record)
                continue;
            const Where where{record->axes, record->needs_id, record->first_tile, record->first_need_tile,
                              record->element_bytes};
            moves.try_emplace(where, *record, 0).first->second.second += row.runs;
        } else if (!between) {
            continue;
        }
        sum.followed += bytes;
        sum.moves.known = TileMoves::Known::Exactly;
    }
    for (const auto& [where, alike] : moves) {
        TRY(const auto sent, messages(profile, alike.first, target.tiles_per_ipu));
        add(sent, target.tiles_per_ipu, alike.second, matrix);
    }
    if (sum.moves.known == TileMoves::Known::Exactly)
        sum.moves.bytes = std::move(matrix);
    else if (outside)
        sum.moves.known = TileMoves::Known::Outside;
    else if (!parts.empty())
        sum.moves.known = TileMoves::Known::NotFollowed;
    const auto spread = [periods](std::int64_t& bytes) {
        bytes = std::llround(static_cast<double>(bytes) / static_cast<double>(periods));
    };
    for (auto* by_tile : {&sum.sent, &sum.received, &sum.moves.bytes})
        std::for_each(by_tile->begin(), by_tile->end(), spread);
    spread(sum.bytes);
    spread(sum.followed);
    return sum;
}

std::vector<std::int64_t> moves_of_tiles(const TileMoves& moves, const std::vector<std::int64_t>& tiles,
                                         bool sent) {
    std::vector<std::int64_t> sums(moves.bytes.empty() ? 0 : static_cast<std::size_t>(moves.tiles), 0);
    for (const std::int64_t tile : tiles)
        for (std::int64_t other = 0; other < static_cast<std::int64_t>(sums.size()); ++other)
            if (tile >= 0 && tile < moves.tiles)
                sums[static_cast<std::size_t>(other)] += sent ? moves.at(tile, other) : moves.at(other, tile);
    return sums;
}

Result<MovedVariables> moved_variables(const profile::Profile& profile) {
    MovedVariables moved;
    TRY(moved.parts, profile.exchange_variables());
    for (const auto& part : moved.parts)
        moved.variables[part.variable_id] = {};
    TRY(const auto ipus, profile.ipus());
    for (const auto& ipu : ipus) {
        if (ipu.replica != 0)
            continue; // they have the same ones
        TRY(const auto variables, profile.variables(ipu.id));
        for (const auto& variable : variables)
            if (const auto found = moved.variables.find(variable.id); found != moved.variables.end())
                found->second = variable;
    }
    return moved;
}

std::vector<VariableMoves> variable_moves(const MovedVariables& moved,
                                          const std::vector<const ExchangeRow*>& rows) {
    std::unordered_map<std::int64_t, const ExchangeRow*> listed;
    for (const ExchangeRow* row : rows)
        listed.emplace(row->exchange.id, row);
    struct Sum {
        VariableMoves moves;
        double most_cycles = -1;
    };
    std::unordered_map<std::int64_t, Sum> sums;
    for (const auto& part : moved.parts) {
        const auto found = listed.find(part.exchange_id);
        if (found == listed.end())
            continue;
        const ExchangeRow& row = *found->second;
        Sum& sum = sums[part.variable_id];
        sum.moves.variable = part.variable_id;
        sum.moves.bytes += part.bytes * row.runs;
        ++sum.moves.exchanges;
        const double cycles = static_cast<double>(row.cycles) * static_cast<double>(row.runs);
        if (cycles > sum.most_cycles) {
            sum.most_cycles = cycles;
            sum.moves.dearest = part.exchange_id;
        }
    }
    std::vector<VariableMoves> result;
    result.reserve(sums.size());
    std::int64_t all = 0;
    for (const auto& [id, sum] : sums) {
        result.push_back(sum.moves);
        all += sum.moves.bytes;
    }
    for (VariableMoves& moves : result)
        moves.share = share_of(moves.bytes, all).value_or(0);
    std::sort(result.begin(), result.end(), [](const VariableMoves& a, const VariableMoves& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.variable < b.variable;
    });
    return result;
}

std::optional<double> times_of(double bytes, const profile::VariableRecord& variable) {
    return variable.bytes > 0 ? std::optional(bytes / static_cast<double>(variable.bytes)) : std::nullopt;
}

std::optional<std::int64_t> TileMoves::senders(std::int64_t to) const {
    if (bytes.empty() || to < 0 || to >= tiles)
        return std::nullopt;
    std::int64_t count = 0;
    for (std::int64_t from = 0; from < tiles; ++from)
        count += at(from, to) > 0 ? 1 : 0;
    return count;
}

} // namespace tilescope::analyse
