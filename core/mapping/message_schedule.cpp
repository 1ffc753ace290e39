// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/message_schedule.h"

#include "mapping/exchange_fabric.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilescope::mapping {
namespace {

std::size_t index(std::int64_t tile) {
    return static_cast<std::size_t>(tile);
}

std::int64_t duration(const TileMessage& message, std::int64_t bytes_per_cycle) {
    return std::max({ceil_div(message.bytes, bytes_per_cycle), std::int64_t{send_instructions(message.bytes)},
                     std::int64_t{receive_instructions}});
}

/// Each message as soon as its tiles are done with those before it.
std::int64_t in_order(const std::vector<TileMessage>& messages, const std::vector<std::int64_t>& durations,
                      const std::vector<std::size_t>& order, std::int64_t tiles) {
    std::vector<std::int64_t> sends_from(index(tiles), 0), receives_from(index(tiles), 0); // when it is free
    std::int64_t end = 0;
    for (const std::size_t i : order) {
        const TileMessage& message = messages[i];
        std::int64_t start = sends_from[index(message.sender)];
        for (const std::int64_t receiver : message.receivers)
            start = std::max(start, receives_from[index(receiver)]);
        const std::int64_t done = start + durations[i];
        sends_from[index(message.sender)] = done;
        for (const std::int64_t receiver : message.receivers)
            receives_from[index(receiver)] = done;
        end = std::max(end, done);
    }
    return end;
}

} // namespace

std::vector<TileMessage> messages_of(const TileMapping& from, const Shape& shape, std::int64_t element_bytes,
                                     const std::vector<TileNeed>& needs, Messages which) {
    std::vector<TileMessage> messages;
    const auto visit = which == Messages::OfBoxes ? for_each_box : for_each_piece;
    visit(from, shape, needs, [&](const BoxMoves& moves) {
        for (const TilePart& part : moves.parts) {
            TileMessage message{part.tile, part.elements * element_bytes, {}};
            std::copy_if(moves.receivers.begin(), moves.receivers.end(),
                         std::back_inserter(message.receivers),
                         [&](std::int64_t receiver) { return receiver != part.tile; });
            if (!message.receivers.empty())
                messages.push_back(std::move(message));
        }
    });
    return messages;
}

std::int64_t scheduled_cycles(const std::vector<TileMessage>& messages, std::int64_t tiles,
                              std::int64_t bytes_per_cycle) {
    std::vector<std::int64_t> durations(messages.size());
    std::vector<std::int64_t> sends(index(tiles), 0), receives(index(tiles), 0), issues(index(tiles), 0);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const TileMessage& message = messages[i];
        durations[i] = duration(message, bytes_per_cycle);
        sends[index(message.sender)] += durations[i];
        issues[index(message.sender)] += send_instructions(message.bytes);
        for (const std::int64_t receiver : message.receivers) {
            receives[index(receiver)] += durations[i];
            issues[index(receiver)] += receive_instructions;
        }
    }
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto scheduled = [&](const std::vector<std::int64_t>& first) { // by falling figures
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return first[a] > first[b]; });
        return in_order(messages, durations, order, tiles);
    };
    std::vector<std::int64_t> turn(messages.size()), busiest(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const TileMessage& message = messages[i];
        turn[i] = -(tiles + message.receivers.front() - message.sender) % tiles;
        busiest[i] = sends[index(message.sender)];
        for (const std::int64_t receiver : message.receivers)
            busiest[i] = std::max(busiest[i], receives[index(receiver)]);
    }
    const std::int64_t most_issued = tiles == 0 ? 0 : *std::max_element(issues.begin(), issues.end());
    const std::int64_t in_turns = scheduled(turn);
    return std::max(most_issued, std::min(in_turns, scheduled(busiest)));
}

} // namespace tilescope::mapping
