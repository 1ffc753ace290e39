// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/exchange_traffic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tilescope::program {
namespace {

using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>; ///< source tile, elements

/// What comes from one tile is one message.
void merge_by_source(Pieces& pieces) {
    std::sort(pieces.begin(), pieces.end());
    Pieces merged;
    for (const auto& [tile, elements] : pieces) {
        if (merged.empty() || merged.back().first != tile)
            merged.emplace_back(tile, 0);
        merged.back().second += elements;
    }
    pieces = std::move(merged);
}

} // namespace

std::optional<Exchange> exchange_between(const ipu::Target& target, const TileMapping& from,
                                         const Shape& shape, std::int64_t element_bytes,
                                         const std::vector<TileNeed>& needs) {
    const auto tiles = static_cast<std::size_t>(target.tiles_per_ipu);
    std::vector<std::int64_t> sent(tiles, 0);
    std::vector<std::int64_t> sent_once(tiles, 0);
    std::vector<std::int64_t> received(tiles, 0);
    std::vector<std::int32_t> instructions(tiles, 0);

    // Boxes that several tiles need are located once and multicast.
    std::map<std::pair<Shape, Shape>, std::vector<std::int64_t>> receivers;
    for (const TileNeed& need : needs)
        if (need.box.elements() > 0)
            receivers[{need.box.begin, need.box.end}].push_back(need.tile);

    bool pairs_share = true; // whether every box goes to whole tile pairs
    Pieces pieces;
    for (const auto& [box, to] : receivers) {
        pieces.clear();
        from.locate(shape, {box.first, box.second},
                    [&](std::int64_t tile, std::int64_t elements) { pieces.emplace_back(tile, elements); });
        merge_by_source(pieces);
        for (const std::int64_t receiver : to)
            pairs_share = pairs_share && std::find(to.begin(), to.end(), receiver ^ 1) != to.end();
        for (const auto& [source, elements] : pieces) {
            const std::int64_t bytes = elements * element_bytes;
            std::int32_t copies = 0;
            for (const std::int64_t receiver : to)
                if (receiver != source) {
                    received[static_cast<std::size_t>(receiver)] += bytes;
                    instructions[static_cast<std::size_t>(receiver)] += receive_instructions;
                    ++copies;
                }
            sent[static_cast<std::size_t>(source)] += copies * bytes;
            sent_once[static_cast<std::size_t>(source)] += copies > 0 ? bytes : 0;
            if (copies > 0)
                instructions[static_cast<std::size_t>(source)] += send_instructions(bytes);
        }
    }

    const std::int64_t most_received = *std::max_element(received.begin(), received.end());
    if (most_received == 0)
        return std::nullopt;
    const std::int64_t most_sent = *std::max_element(sent_once.begin(), sent_once.end());
    const std::int64_t rate = target.exchange_bytes_per_cycle;
    Exchange exchange;
    exchange.kind = ExchangeKind::Internal;
    exchange.sent = std::move(sent);
    exchange.received = std::move(received);
    exchange.instructions = std::move(instructions);
    exchange.cycles =
        target.exchange_setup_cycles +
        std::max(ceil_div(most_received, pairs_share ? 2 * rate : rate), ceil_div(most_sent, rate));
    return exchange;
}

Exchange host_exchange(const ipu::Target& target, const TileMapping& mapping, std::int64_t element_bytes,
                       bool to_device) {
    const std::vector<std::int64_t> elements = mapping.elements_per_tile();
    Exchange exchange;
    exchange.kind = ExchangeKind::Host;
    std::vector<std::int64_t> bytes(elements.size());
    std::transform(elements.begin(), elements.end(), bytes.begin(),
                   [&](std::int64_t n) { return n * element_bytes; });
    (to_device ? exchange.received : exchange.sent) = std::move(bytes);
    (to_device ? exchange.sent : exchange.received).assign(elements.size(), 0);
    exchange.cycles = target.exchange_setup_cycles +
                      static_cast<std::int64_t>(
                          std::ceil(static_cast<double>(exchange.bytes()) / target.host_bytes_per_cycle));
    return exchange;
}

namespace {

/// Each tile sends its share of the tensor, `times` over `parts` of it, to the same tile of another IPU.
Exchange between_ipus(const TileMapping& mapping, std::int64_t element_bytes, std::int64_t times,
                      std::int64_t parts) {
    Exchange exchange;
    exchange.kind = ExchangeKind::InterIpu;
    exchange.sent = mapping.elements_per_tile();
    for (std::int64_t& bytes : exchange.sent)
        bytes = ceil_div(bytes * element_bytes * times, parts);
    exchange.received = exchange.sent;
    return exchange;
}

} // namespace

Exchange inter_ipu_copy(const TileMapping& mapping, std::int64_t element_bytes) {
    return between_ipus(mapping, element_bytes, 1, 1);
}

Exchange ring_phase(const TileMapping& mapping, std::int64_t element_bytes, std::int64_t replicas) {
    return between_ipus(mapping, element_bytes, replicas - 1, replicas);
}

} // namespace tilescope::program
