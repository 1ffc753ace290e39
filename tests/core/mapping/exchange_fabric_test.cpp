// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/exchange_fabric.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace tilescope::mapping {
namespace {

std::int64_t point_to_point(std::int64_t from, std::int64_t to) {
    ExchangePaths paths;
    paths.add(from, to);
    return paths.cycles();
}

TEST(ExchangeFabric, PathsAreThoseOfTheVendorsAssembler) {
    // osmarks/ipu-stack, crates/ipu-target/src/exchange.rs, point_to_point_matches_cpp_oracle_vectors: the
    // sender of a message waits 111 - path cycles, the low bits of its delay instruction.
    EXPECT_EQ(path_cycles(0, 1286), 111 - 0x86);
    EXPECT_EQ(path_cycles(736, 100), 111 - 0x3e);
    EXPECT_EQ(path_cycles(1286, 1471), 111 - 0x7d);
    EXPECT_EQ(path_cycles(32, 0), 111 - 0x6c);
    // multicast_matches_cpp_oracle_vectors: a sender that waits 0x16 + 1 cycles is heard at tile 274 at once.
    EXPECT_EQ(0x16 + 1 + path_cycles(0, 274), 0);
}

TEST(ExchangeFabric, SpreadOfPathsOverTheChip) {
    // The same source's notes: from -78 to 112 cycles.
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (std::int64_t from = 0; from < known_chip_tiles; ++from)
        for (std::int64_t to = 0; to < known_chip_tiles; ++to) {
            least = std::min(least, path_cycles(from, to));
            most = std::max(most, path_cycles(from, to));
        }
    EXPECT_EQ(least, -78);
    EXPECT_EQ(most, 112);
}

TEST(ExchangeFabric, AnExchangeTakesItsLongestWay) {
    // Path -23 to a tile of row 0: the sender waits 23 cycles, the switch is at 0, the row ends 58 later.
    EXPECT_EQ(point_to_point(0, 1286), 58);
    // Path 49 to tile 100: pair 50, block 2, row 4, so 8 more.
    EXPECT_EQ(point_to_point(736, 100), 49 + 8 + 58);
    ExchangePaths both;
    both.add(0, 1286);
    both.add(736, 100);
    EXPECT_EQ(both.cycles(), 23 + 49 + 8 + 58); // all wait for the earliest
    EXPECT_EQ(ExchangePaths().cycles(), 0);
}

TEST(ExchangeFabric, ABoundIsThatOfAnySenderToAnyReceiver) {
    ExchangePaths bound;
    std::int64_t earliest = 0;
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const std::int64_t from : {3, 700, 1470})
        bound.add_sender(from);
    for (const std::int64_t to : {0, 46, 913}) {
        bound.add_receiver(to);
        for (const std::int64_t from : {3, 700, 1470}) {
            earliest = std::min(earliest, path_cycles(from, to));
            latest = std::max(latest, path_cycles(from, to) + 2 * (physical_tile(to) / 64));
        }
    }
    EXPECT_EQ(bound.cycles(), -earliest + latest + 58);
    ExchangePaths silent;
    silent.add_sender(5);
    EXPECT_EQ(silent.cycles(), 0);
}

} // namespace
} // namespace tilescope::mapping
