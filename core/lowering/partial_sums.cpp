// SPDX-License-Identifier: GPL-3.0-or-later
#include "partial_sums.h"

#include "base/units.h"
#include "ipu/conv_plan.h"
#include "program/exchange_traffic.h"

#include <algorithm>

namespace tilescope::lowering {

Range PartialSums::share(std::size_t tile) const {
    const auto position = static_cast<std::int64_t>(tile) / apart % group;
    return ipu::reduction_share(held[tile], grain, group, position);
}

std::size_t PartialSums::first_of_group(std::size_t tile) const {
    const auto t = static_cast<std::int64_t>(tile);
    return static_cast<std::size_t>(t / (group * apart) * (group * apart) + t % apart);
}

/// Whether all tiles of each group hold as many partials as the first.
bool PartialSums::alike() const {
    for (std::size_t t = 0; t < held.size(); ++t) {
        const std::size_t first = first_of_group(t);
        const std::size_t last = first + static_cast<std::size_t>((group - 1) * apart);
        if (held[t] != held[first] || (held[t] > 0 && last >= held.size()))
            return false;
    }
    return true;
}

/// The partials as a tensor of [groups of neighbours, tile of the group, neighbour, partial], each row of
/// which lies on the tile whose number it is.
program::Moves PartialSums::moves(LoweringContext& context, std::int64_t element_bytes) const {
    const auto tiles = static_cast<std::int64_t>(held.size());
    const program::Shape shape{ceil_div(tiles, group * apart), group, apart,
                               *std::max_element(held.begin(), held.end())};
    const program::TileMapping from({program::Axis::blocks(shape[0], 1, group * apart),
                                     program::Axis::blocks(group, 1, apart),
                                     program::Axis::blocks(apart, 1, 1), program::Axis::whole(shape[3])},
                                    tiles);
    std::vector<program::TileNeed> needs;
    for (std::int64_t t = 0; t < tiles; ++t) {
        const Range part = share(static_cast<std::size_t>(t));
        const std::int64_t among = t / (group * apart);
        if (!part.empty())
            needs.push_back(
                {t, {{among, 0, t % apart, part.begin}, {among + 1, group, t % apart + 1, part.end}}});
    }
    return context.moves(from, shape, element_bytes, needs);
}

program::Exchange PartialSums::traffic(std::int64_t element_bytes) const {
    program::Exchange exchange;
    const auto others = static_cast<std::int32_t>(std::max<std::int64_t>(group - 1, 1));
    for (std::size_t t = 0; t < held.size(); ++t) {
        const std::int64_t made = share(t).length();
        const std::int64_t received = made * (group - 1) * element_bytes;
        const std::int64_t sent = std::max<std::int64_t>(held[t] - made, 0) * element_bytes;
        exchange.received.push_back(received);
        exchange.sent.push_back(sent);
        exchange.instructions.push_back(
            (received > 0 ? program::receive_instructions * others : 0) +
            (sent > 0 ? others * program::send_instructions(ceil_div(sent, others)) : 0));
    }
    return exchange;
}

program::Exchange PartialSums::exchange(LoweringContext& context, std::int64_t element_bytes) const {
    program::Exchange exchange = traffic(element_bytes);
    if (whole_groups && alike())
        exchange.moves = moves(context, element_bytes);
    return exchange;
}

} // namespace tilescope::lowering
