// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/exchange_traffic.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// How long each tile is busy with one run of an exchange, and how long it waits for the one with most.
struct TileExchange {
    std::vector<std::int64_t> cycles; ///< by tile
    std::vector<std::int64_t> waits;
    std::int64_t slowest = -1; ///< the first of several
    double mean_wait = 0;      ///< of all other tiles, those without bytes included
};
/// By tile, the bytes that it sends or receives in an exchange, whichever are more: they set its time.
std::vector<std::int64_t> busy_bytes(std::vector<std::int64_t> sent,
                                     const std::vector<std::int64_t>& received);
/// A tile takes the time of what it sends or receives, whichever is more, beside the tile with most.
/// nullopt: the tiles of one IPU do not set the pace (host, streaming memory), or nothing is moved.
std::optional<TileExchange> tile_exchange(const ExchangeTraffic& traffic);

} // namespace tilescope::analyse
