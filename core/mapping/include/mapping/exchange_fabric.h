// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/units.h"

#include <array>
#include <cstdint>
#include <limits>

/// Where the tiles of a chip of 1,472 lie, and how long a word travels between two of them. Restated from
/// osmarks/ipu-stack, crates/ipu-target/src/topology.rs and exchange.rs, an independent tool chain for the
/// C600 whose rows its tests hold against the vendor's; that Mk2 and Bow have the same fabric is inferred.
namespace tilescope::mapping {

inline constexpr std::int64_t known_chip_tiles = 1472;
inline constexpr std::int64_t known_chip_rows = 23;
inline constexpr std::int64_t known_chip_columns = 16; ///< of four tiles in each row

/// Exchange code of one message. The receiver has no instruction to receive: it changes its source and its
/// address. The sender's first instruction sends up to 64 words, each further one 4,096 more. Source:
/// osmarks/ipu-stack, docs/EXCHANGE_INSTRUCTION_REFERENCE.md.
inline constexpr std::int32_t receive_instructions = 2;
constexpr std::int32_t send_instructions(std::int64_t bytes) {
    constexpr std::int64_t first = 64;
    const std::int64_t words = ceil_div(bytes, 4);
    return words <= first ? 1 : 1 + static_cast<std::int32_t>(ceil_div(words - first, 4096));
}

/// The chip's own number of a tile: 64 row + 4 column of four tiles + place within the four. Tile t is of
/// pair p = t / 2, block b = p / 23; it lies in row p % 23, counted from the other end where b is odd, in
/// column b / 2 at place b % 2 + 2 (t % 2).
std::int64_t physical_tile(std::int64_t tile);

/// Cycles from a sender to the switch of a receiver, up to a constant that is the same for all.
std::int64_t path_cycles(std::int64_t from, std::int64_t to);

/// How long an exchange takes beside its words, by the ways that they go. The clock of an exchange begins at
/// 0 for all tiles; the first sender waits until no word would reach a switch before that. From the switch to
/// the end of the receiver's part it is 58 cycles and 2 for each row.
class ExchangePaths {
  public:
    void add(std::int64_t from, std::int64_t to);
    /// Any of those that send may send to any of those that receive.
    void add_sender(std::int64_t tile);
    void add_receiver(std::int64_t tile);
    /// 0 where nothing goes anywhere. With senders and receivers a bound: that of the longest way and of the
    /// longest wait.
    std::int64_t cycles() const;

  private:
    struct Rows {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        std::int64_t most = -1;
        void add(std::int64_t row);
        bool any() const { return most >= 0; }
    };
    /// Tiles of one place in a row.
    using ByPlace = std::array<Rows, 64>;
    std::int64_t earliest_ = std::numeric_limits<std::int64_t>::max(); ///< path_cycles
    std::int64_t latest_ = std::numeric_limits<std::int64_t>::min();   ///< and 2 for each row of the receiver
    ByPlace senders_{}, receivers_{};
};

} // namespace tilescope::mapping
