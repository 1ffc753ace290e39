// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/exchange_traffic.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::program {
std::optional<Exchange> exchange_between(const ipu::Target& target, const TileMapping& from,
                                         const Shape& shape, std::int64_t element_bytes,
                                         const std::vector<TileNeed>& needs) {
    const auto tiles = static_cast<std::size_t>(target.tiles_per_ipu);
    std::vector<std::int64_t> sent(tiles, 0);
    std::vector<std::int64_t> sent_once(tiles, 0);
    std::vector<std::int64_t> received(tiles, 0);
    std::vector<std::int32_t> instructions(tiles, 0);

    bool pairs_share = true; // whether every box goes to whole tile pairs
    std::vector<bool> needs_box(tiles, false);
    mapping::for_each_box(from, shape, needs, [&](const mapping::BoxMoves& box) {
        for (const std::int64_t receiver : box.receivers)
            needs_box[static_cast<std::size_t>(receiver)] = true;
        for (const std::int64_t receiver : box.receivers)
            pairs_share = pairs_share && (receiver ^ 1) < target.tiles_per_ipu &&
                          needs_box[static_cast<std::size_t>(receiver ^ 1)];
        for (const std::int64_t receiver : box.receivers)
            needs_box[static_cast<std::size_t>(receiver)] = false;
        for (const TilePart& part : box.parts) { // what comes from one tile is one message
            const std::int64_t bytes = part.elements * element_bytes;
            std::int32_t copies = 0;
            for (const std::int64_t receiver : box.receivers)
                if (receiver != part.tile) {
                    received[static_cast<std::size_t>(receiver)] += bytes;
                    instructions[static_cast<std::size_t>(receiver)] += receive_instructions;
                    ++copies;
                }
            sent[static_cast<std::size_t>(part.tile)] += copies * bytes;
            sent_once[static_cast<std::size_t>(part.tile)] += copies > 0 ? bytes : 0;
            if (copies > 0)
                instructions[static_cast<std::size_t>(part.tile)] += send_instructions(bytes);
        }
    });

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

namespace {

/// Between the tiles of `mapping` and what lies outside the IPUs.
Exchange outside_exchange(ExchangeKind kind, const ipu::Target& target, const TileMapping& mapping,
                          std::int64_t element_bytes, bool to_device, double bytes_per_cycle) {
    const std::vector<std::int64_t> elements = mapping.elements_per_tile();
    Exchange exchange;
    exchange.kind = kind;
    std::vector<std::int64_t> bytes(elements.size());
    std::transform(elements.begin(), elements.end(), bytes.begin(),
                   [&](std::int64_t n) { return n * element_bytes; });
    (to_device ? exchange.received : exchange.sent) = std::move(bytes);
    (to_device ? exchange.sent : exchange.received).assign(elements.size(), 0);
    exchange.cycles =
        target.exchange_setup_cycles +
        static_cast<std::int64_t>(std::ceil(static_cast<double>(exchange.bytes()) / bytes_per_cycle));
    return exchange;
}

} // namespace

Exchange host_exchange(const ipu::Target& target, const TileMapping& mapping, std::int64_t element_bytes,
                       bool to_device) {
    return outside_exchange(ExchangeKind::Host, target, mapping, element_bytes, to_device,
                            target.host_bytes_per_cycle);
}

Exchange streaming_exchange(const ipu::Target& target, const TileMapping& mapping, std::int64_t element_bytes,
                            bool load, std::int64_t sharers) {
    return outside_exchange(ExchangeKind::Streaming, target, mapping, element_bytes, load,
                            target.streaming_bytes_per_cycle / static_cast<double>(sharers));
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

Exchange ring_exchange(RingPhase phase, const TileMapping& mapping, std::int64_t element_bytes,
                       std::int64_t replicas) {
    Exchange exchange = between_ipus(mapping, element_bytes, replicas - 1, replicas);
    exchange.ring_phase = phase;
    return exchange;
}

} // namespace tilescope::program
