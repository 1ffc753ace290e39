// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/exchange_traffic.h"

#include "base/hash.h"
#include "mapping/exchange_fabric.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tilescope::program {
namespace {

bool fabric_is_known(const ipu::Target& target) {
    return target.tiles_per_ipu == mapping::known_chip_tiles;
}

/// What passes between a tile and the fabric, in bytes: one word a cycle, or two at a time for both tiles of
/// a pair of receivers, over the buses of both tiles of the sender's pair; and the instructions for it.
struct Traffic {
    explicit Traffic(std::size_t tiles)
        : sent(tiles, 0), sent_wide(tiles, 0), received(tiles, 0), received_wide(tiles, 0),
          instructions(tiles, 0) {}
    std::vector<std::int64_t> sent, sent_wide; ///< each message once
    std::vector<std::int64_t> received, received_wide;
    std::vector<std::int32_t> instructions;
};

/// Of the tile that is busiest: with words, or with instructions, of which each takes a cycle.
std::int64_t busiest_cycles(const ipu::Target& target, const Traffic& traffic) {
    const std::int64_t rate = target.exchange_bytes_per_cycle;
    std::int64_t most = 0;
    for (std::size_t t = 0; t < traffic.sent.size(); ++t) {
        const std::size_t other = (t ^ 1U) < traffic.sent.size() ? t ^ 1U : t;
        const std::int64_t wide = traffic.sent_wide[t] + (other == t ? 0 : traffic.sent_wide[other]);
        const std::int64_t sending =
            ceil_div(wide + 2 * std::max(traffic.sent[t], traffic.sent[other]), 2 * rate);
        const std::int64_t receiving = ceil_div(traffic.received_wide[t] + 2 * traffic.received[t], 2 * rate);
        most = std::max({most, sending, receiving, std::int64_t{traffic.instructions[t]}});
    }
    return most;
}

/// What one tile sends to all that need it, but for itself.
struct Message {
    std::int64_t sender = 0;
    std::int64_t bytes = 0;
    std::vector<std::int64_t> others; ///< receivers that are not of the sender's pair
    bool to_pair = false;             ///< the other tile of its pair needs it, too
    bool in_pairs = false;            ///< both tiles of each pair of `others` need it
};

/// What one tile sends at one rate, one message after another. A tile that hears two in turn goes on
/// receiving, and so they are sent in one go: its instructions are those of one message.
class Stream {
  public:
    Stream(std::vector<std::int32_t>& instructions, std::size_t tiles)
        : instructions_(instructions), heard_(tiles, 0) {}
    void add(std::int64_t bytes, const std::vector<std::int64_t>& receivers) {
        bool goes_on = false;
        for (const std::int64_t receiver : receivers) {
            const auto r = static_cast<std::size_t>(receiver);
            if (heard_[r] == number_)
                goes_on = true;
            else
                instructions_[r] += receive_instructions;
        }
        instructions_sent_ -= goes_on ? send_instructions(bytes_) : 0;
        bytes_ = goes_on ? bytes_ + bytes : bytes;
        instructions_sent_ += send_instructions(bytes_);
        ++number_;
        for (const std::int64_t receiver : receivers)
            heard_[static_cast<std::size_t>(receiver)] = number_;
    }
    /// Of `sender`, what was added; what comes now is another stream.
    void end(std::int64_t sender) {
        instructions_[static_cast<std::size_t>(sender)] += std::exchange(instructions_sent_, 0);
        ++number_;
    }

  private:
    std::vector<std::int32_t>& instructions_;
    std::vector<std::int64_t> heard_; ///< by tile, the number of the last message; 0: none
    std::int64_t number_ = 1;         ///< of the last message
    std::int64_t bytes_ = 0;          ///< of those that go in one go
    std::int32_t instructions_sent_ = 0;
};

/// A way of sending the messages of an exchange. One that goes to a single tile, too, goes to all at that
/// rate; or, `apart`, to the sender's own pair by itself.
class Sending {
  public:
    Sending(std::size_t tiles, bool apart)
        : traffic_(tiles), apart_(apart), wide_(traffic_.instructions, tiles),
          single_(traffic_.instructions, tiles) {}
    Sending(const Sending&) = delete;
    Sending& operator=(const Sending&) = delete;

    void add(const Message& message) {
        const bool wide = !message.others.empty() && message.in_pairs && (apart_ || !message.to_pair);
        if (wide)
            send(message, message.others, traffic_.sent_wide, traffic_.received_wide, wide_);
        if (wide && !message.to_pair)
            return;
        to_single_.clear();
        if (!wide)
            to_single_ = message.others;
        if (message.to_pair)
            to_single_.push_back(message.sender ^ 1);
        send(message, to_single_, traffic_.sent, traffic_.received, single_);
    }
    /// What a tile sends after that is none of its stream before.
    void end(std::int64_t sender) {
        wide_.end(sender);
        single_.end(sender);
    }
    std::int64_t cycles(const ipu::Target& target) const { return busiest_cycles(target, traffic_); }
    const std::vector<std::int32_t>& instructions() const { return traffic_.instructions; }

  private:
    static void send(const Message& message, const std::vector<std::int64_t>& receivers,
                     std::vector<std::int64_t>& sent, std::vector<std::int64_t>& received, Stream& stream) {
        sent[static_cast<std::size_t>(message.sender)] += message.bytes;
        for (const std::int64_t receiver : receivers)
            received[static_cast<std::size_t>(receiver)] += message.bytes;
        stream.add(message.bytes, receivers);
    }

    Traffic traffic_;
    bool apart_;
    Stream wide_, single_;
    std::vector<std::int64_t> to_single_;
};

/// Makes the messages of what some tiles need.
class Messages {
  public:
    Messages(std::size_t tiles, std::int64_t element_bytes)
        : needs_(tiles, false), element_bytes_(element_bytes) {}

    /// Visits the message of each sender.
    template<class Visit>
    void of(const mapping::BoxMoves& moves, const Visit& visit) {
        for (const std::int64_t receiver : moves.receivers)
            needs_[static_cast<std::size_t>(receiver)] = true;
        for (const TilePart& part : moves.parts) {
            Message message{part.tile, part.elements * element_bytes_, {}, false, true};
            for (const std::int64_t receiver : moves.receivers) {
                if (receiver == part.tile)
                    continue;
                const auto other = static_cast<std::size_t>(receiver ^ 1);
                if (static_cast<std::int64_t>(other) == part.tile) {
                    message.to_pair = true;
                } else {
                    message.others.push_back(receiver);
                    message.in_pairs = message.in_pairs && other < needs_.size() && needs_[other];
                }
            }
            if (message.to_pair || !message.others.empty())
                visit(std::move(message));
        }
        for (const std::int64_t receiver : moves.receivers)
            needs_[static_cast<std::size_t>(receiver)] = false;
    }

    std::size_t tiles() const { return needs_.size(); }

  private:
    std::vector<bool> needs_; ///< by tile
    std::int64_t element_bytes_;
};

/// How an exchange is sent: the fastest of the ways, of those as fast one with the least code.
class FastestSending {
  public:
    explicit FastestSending(const ipu::Target& target) : target_(target) {}
    void consider(const Sending& sending) {
        const auto code =
            std::accumulate(sending.instructions().begin(), sending.instructions().end(), std::int64_t{0});
        const std::pair cost(sending.cycles(target_), code);
        if (instructions_.empty() || cost < cost_) {
            cost_ = cost;
            instructions_ = sending.instructions();
        }
    }
    std::int64_t cycles() const { return cost_.first; }
    std::vector<std::int32_t> take_instructions() { return std::move(instructions_); }

  private:
    const ipu::Target& target_;
    std::pair<std::int64_t, std::int64_t> cost_{0, 0}; ///< cycles, instructions
    std::vector<std::int32_t> instructions_;
};

/// Where boxes overlap, what they share may go to all tiles that need any of them at once.
void consider_pieces(Messages& messages, const TileMapping& from, const Shape& shape,
                     const std::vector<TileNeed>& needs, FastestSending& fastest) {
    std::vector<std::vector<Message>> by_sender(static_cast<std::size_t>(from.tiles()));
    bool any = false;
    mapping::for_each_piece(from, shape, needs, [&](const mapping::BoxMoves& piece) {
        messages.of(piece, [&](Message message) {
            any = true;
            by_sender[static_cast<std::size_t>(message.sender)].push_back(std::move(message));
        });
    });
    if (!any)
        return; // no two overlap
    for (const bool apart : {false, true}) {
        Sending sending(messages.tiles(), apart);
        for (std::size_t t = 0; t < by_sender.size(); ++t) {
            for (const Message& message : by_sender[t])
                sending.add(message);
            sending.end(static_cast<std::int64_t>(t));
        }
        fastest.consider(sending);
    }
}

} // namespace

std::optional<Exchange> exchange_between(const ipu::Target& target, const TileMapping& from,
                                         const Shape& shape, std::int64_t element_bytes,
                                         const std::vector<TileNeed>& needs) {
    const auto tiles = static_cast<std::size_t>(target.tiles_per_ipu);
    std::vector<std::int64_t> sent(tiles, 0);
    std::vector<std::int64_t> received(tiles, 0);
    const bool known = fabric_is_known(target);
    mapping::ExchangePaths paths;
    Messages messages(tiles, element_bytes);
    Sending together(tiles, false);
    Sending apart(tiles, true);
    mapping::for_each_box(from, shape, needs, [&](const mapping::BoxMoves& box) {
        messages.of(box, [&](const Message& message) { // each is a stream of its own
            const auto move = [&](std::int64_t receiver) {
                sent[static_cast<std::size_t>(message.sender)] += message.bytes;
                received[static_cast<std::size_t>(receiver)] += message.bytes;
                if (known)
                    paths.add(message.sender, receiver);
            };
            std::for_each(message.others.begin(), message.others.end(), move);
            if (message.to_pair)
                move(message.sender ^ 1);
            for (Sending* sending : {&together, &apart}) {
                sending->add(message);
                sending->end(message.sender);
            }
        });
    });
    if (std::all_of(received.begin(), received.end(), [](std::int64_t bytes) { return bytes == 0; }))
        return std::nullopt;
    FastestSending fastest(target);
    fastest.consider(together);
    fastest.consider(apart);
    consider_pieces(messages, from, shape, needs, fastest);

    Exchange exchange;
    exchange.kind = ExchangeKind::Internal;
    exchange.cycles = (known ? paths.cycles() : target.exchange_setup_cycles) + fastest.cycles();
    exchange.sent = std::move(sent);
    exchange.received = std::move(received);
    exchange.instructions = fastest.take_instructions();
    return exchange;
}

std::optional<Exchange> ExchangeBook::between(const TileMapping& from, const Shape& shape,
                                              std::int64_t element_bytes,
                                              const std::vector<TileNeed>& needs) {
    const std::int32_t list = needs_.add(shape, needs, target_.tiles_per_ipu);
    const std::int64_t first_need_tile = needs.empty() ? 0 : needs.front().tile;
    std::uint64_t hash = mixed(mixed(mixed(0, list), first_need_tile), from.first_tile());
    for (const mapping::Axis& axis : from.axes())
        hash = mixed(mixed(mixed(hash, axis.extent), axis.block), axis.stride);
    for (auto [at, end] = known_.equal_range(hash); at != end; ++at) {
        const Known& known = at->second;
        if (known.needs == list && known.first_need_tile == first_need_tile &&
            known.element_bytes == element_bytes && known.from == from)
            return known.exchange;
    }
    auto exchange = exchange_between(target_, from, shape, element_bytes, needs);
    if (exchange)
        exchange->moves = program_.moves_of(from, shape, element_bytes, needs);
    known_.emplace(hash, Known{from, element_bytes, list, first_need_tile, exchange});
    return exchange;
}

std::vector<std::int32_t> instructions_of_runs(const Exchange& exchange, std::int64_t bytes,
                                               std::int64_t receivers) {
    const std::int64_t senders = std::max<std::int64_t>(
        1, std::count_if(exchange.sent.begin(), exchange.sent.end(), [](std::int64_t n) { return n > 0; }));
    const std::int64_t run = ceil_div(bytes, senders); // on each of them
    std::int64_t messages = 0;
    std::int64_t longest = 0;
    std::vector<std::int32_t> instructions(exchange.received.size(), 0);
    for (std::size_t t = 0; t < instructions.size(); ++t)
        if (exchange.received[t] > 0) {
            const std::int64_t count = std::min(senders, ceil_div(exchange.received[t], run) + 1);
            instructions[t] = receive_instructions * static_cast<std::int32_t>(count);
            messages += count;
            longest = std::max(longest, std::min(run, exchange.received[t]));
        }
    const auto each = static_cast<std::int32_t>(ceil_div(messages, receivers * senders));
    for (std::size_t t = 0; t < instructions.size(); ++t)
        if (exchange.sent[t] > 0)
            instructions[t] += each * send_instructions(longest);
    return instructions;
}

std::int64_t exchange_bound(const ipu::Target& target, const Exchange& exchange, std::int64_t receivers,
                            bool in_pairs) {
    mapping::ExchangePaths paths;
    const bool known = fabric_is_known(target);
    Traffic traffic(exchange.sent.size());
    std::vector<std::int64_t>& sent = in_pairs ? traffic.sent_wide : traffic.sent;
    for (std::size_t t = 0; t < exchange.sent.size(); ++t)
        sent[t] = ceil_div(exchange.sent[t], receivers);
    (in_pairs ? traffic.received_wide : traffic.received) = exchange.received;
    traffic.instructions = exchange.instructions;
    for (std::size_t t = 0; known && t < exchange.sent.size(); ++t) {
        if (exchange.sent[t] > 0)
            paths.add_sender(static_cast<std::int64_t>(t));
        if (exchange.received[t] > 0)
            paths.add_receiver(static_cast<std::int64_t>(t));
    }
    return (known ? paths.cycles() : target.exchange_setup_cycles) + busiest_cycles(target, traffic);
}

bool balance(const ipu::Target& target, Exchange& exchange, std::int64_t receivers, bool in_pairs) {
    const auto total = [](const std::vector<std::int64_t>& bytes) {
        return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
    };
    const std::int64_t wanted = total(exchange.received);
    const std::int64_t offered = total(exchange.sent);
    if (wanted == 0 || offered == 0)
        return false;
    // Cumulative rounding keeps the total exact.
    const auto scale = [&](auto& parts, const auto& bytes_of) {
        std::int64_t before = 0;
        std::int64_t given = 0;
        for (auto& part : parts) {
            std::int64_t& bytes = bytes_of(part);
            before += bytes;
            const std::int64_t until =
                before == offered
                    ? wanted
                    : static_cast<std::int64_t>(static_cast<double>(before) / static_cast<double>(offered) *
                                                static_cast<double>(wanted));
            bytes = until - given;
            given = until;
        }
    };
    if (wanted != offered) {
        scale(exchange.sent, [](std::int64_t& bytes) -> std::int64_t& { return bytes; });
        scale(exchange.moved, [](MovedVariable& part) -> std::int64_t& { return part.bytes; });
    }
    if (exchange.instructions.empty()) // who sends to whom is not known: messages of 256 bytes
        for (std::size_t t = 0; t < exchange.sent.size(); ++t)
            exchange.instructions.push_back(
                receive_instructions * static_cast<std::int32_t>(ceil_div(exchange.received[t], 256)) +
                static_cast<std::int32_t>(ceil_div(exchange.sent[t], 256)));
    exchange.cycles = exchange_bound(target, exchange, receivers, in_pairs);
    return true;
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
                       bool to_device, std::int64_t sharers) {
    return outside_exchange(ExchangeKind::Host, target, mapping, element_bytes, to_device,
                            target.host_bytes_per_cycle / static_cast<double>(sharers));
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
