// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/moves.h"

#include <cstdint>
#include <vector>

namespace tilescope::mapping {

/// What a tile sends to all that need it, at once.
struct TileMessage {
    std::int64_t sender = 0;
    std::int64_t bytes = 0;
    std::vector<std::int64_t> receivers; ///< other tiles than the sender
};

/// What the tiles of an exchange send one by one.
enum class Messages {
    OfBoxes, ///< of each box that is needed what lies on one tile
    OfPieces ///< of each of the pieces into which boxes cut each other; none where no two overlap
};
std::vector<TileMessage> messages_of(const TileMapping& from, const Shape& shape, std::int64_t element_bytes,
                                     const std::vector<TileNeed>& needs, Messages which = Messages::OfBoxes);

/// Cycles in which all messages are through, in a schedule that was made for them: one message at a time from
/// each tile, and to each tile, a message to all of its receivers at once, at `bytes_per_cycle`, and no
/// sooner than its instructions are issued. No exchange of these messages need take longer, beside the way of
/// the words; what a pair of tiles receives at twice the rate is not made use of. The shorter of two
/// schedules: the messages in turns in which no two go to one tile (each sender begins with the tile behind
/// it), and those of the busiest tiles first.
std::int64_t scheduled_cycles(const std::vector<TileMessage>& messages, std::int64_t tiles,
                              std::int64_t bytes_per_cycle);

} // namespace tilescope::mapping
