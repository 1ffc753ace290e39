// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/exchange_traffic.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace tilescope::program {
namespace {

/// A sum for each tile, of which few are not 0.
class TileSums {
  public:
    explicit TileSums(std::size_t tiles) : sums_(tiles, 0) {}
    void add(std::int64_t tile, std::int64_t n) {
        std::int64_t& sum = sums_[static_cast<std::size_t>(tile)];
        if (sum == 0 && n != 0)
            tiles_.push_back(tile);
        sum += n;
    }
    const std::vector<std::int64_t>& tiles() const { return tiles_; } ///< whose sum is not 0
    std::int64_t operator[](std::int64_t tile) const { return sums_[static_cast<std::size_t>(tile)]; }
    void clear() {
        for (const std::int64_t tile : tiles_)
            sums_[static_cast<std::size_t>(tile)] = 0;
        tiles_.clear();
    }

  private:
    std::vector<std::int64_t> sums_, tiles_;
};

/// The needs that are not empty, those of the same box after one another.
std::vector<const TileNeed*> by_box(const std::vector<TileNeed>& needs) {
    struct Keyed {
        std::uint64_t key; ///< of the box
        const TileNeed* need;
    };
    std::vector<Keyed> keyed;
    keyed.reserve(needs.size());
    for (const TileNeed& need : needs) {
        if (need.box.elements() <= 0)
            continue;
        std::uint64_t key = 0;
        for (const Shape* corner : {&need.box.begin, &need.box.end})
            for (const std::int64_t at : *corner)
                key = (key ^ static_cast<std::uint64_t>(at)) * 0x9E3779B97F4A7C15U + (key >> 32);
        keyed.push_back({key, &need});
    }
    std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
        if (a.key != b.key)
            return a.key < b.key;
        return std::tie(a.need->box.begin, a.need->box.end, a.need) <
               std::tie(b.need->box.begin, b.need->box.end, b.need);
    });
    std::vector<const TileNeed*> result(keyed.size());
    std::transform(keyed.begin(), keyed.end(), result.begin(), [](const Keyed& k) { return k.need; });
    return result;
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

    bool pairs_share = true; // whether every box goes to whole tile pairs
    std::vector<TilePart> parts;
    TileSums pieces(tiles); // of a box, by the tile that holds them: what comes from one tile is one message
    TileSums receivers(tiles); // of a box
    const std::vector<const TileNeed*> ordered = by_box(needs);
    for (std::size_t begin = 0, end = 0; begin < ordered.size(); begin = end) {
        // A box that several tiles need is located once and multicast.
        const Box& box = ordered[begin]->box;
        receivers.clear();
        for (end = begin; end < ordered.size() && ordered[end]->box == box; ++end)
            receivers.add(ordered[end]->tile, 1);
        parts.clear();
        pieces.clear();
        from.locate(shape, box, parts);
        for (const TilePart& part : parts)
            pieces.add(part.tile, part.elements);
        for (const std::int64_t receiver : receivers.tiles())
            pairs_share = pairs_share && (receiver ^ 1) < target.tiles_per_ipu && receivers[receiver ^ 1] > 0;
        for (const std::int64_t source : pieces.tiles()) {
            const std::int64_t bytes = pieces[source] * element_bytes;
            std::int32_t copies = 0;
            for (std::size_t n = begin; n < end; ++n)
                if (const std::int64_t receiver = ordered[n]->tile; receiver != source) {
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
