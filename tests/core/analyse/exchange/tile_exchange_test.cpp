// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_exchange.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using Numbers = std::vector<std::int64_t>;

ExchangeTraffic traffic(profile::ExchangeKind kind) {
    ExchangeTraffic all;
    all.exchange.kind = kind;
    all.exchange.cycles = 200;
    all.sent = {100, 40, 0, 0};
    all.received = {10, 50, 0, 90};
    return all;
}

TEST(TileExchange, ATileTakesTheLongerOfWhatItSendsAndReceivesAndWaitsForTheSlowest) {
    for (const auto kind : {profile::ExchangeKind::Internal, profile::ExchangeKind::InterIpu}) {
        const auto found = tile_exchange(traffic(kind));
        ASSERT_TRUE(found);
        EXPECT_EQ(found->slowest, 0);
        EXPECT_EQ(found->cycles, (Numbers{200, 100, 0, 180}));
        EXPECT_EQ(found->waits, (Numbers{0, 100, 200, 20}));
        EXPECT_DOUBLE_EQ(found->mean_wait, 320.0 / 3);
    }
}

TEST(TileExchange, IsNotKnownWhereTilesDoNotSetThePace) {
    EXPECT_FALSE(tile_exchange(traffic(profile::ExchangeKind::Host)));
    ExchangeTraffic none = traffic(profile::ExchangeKind::Internal);
    none.sent = none.received = {0, 0};
    EXPECT_FALSE(tile_exchange(none));
    none.sent = none.received = {};
    EXPECT_FALSE(tile_exchange(none));
    ExchangeTraffic untimed = traffic(profile::ExchangeKind::Internal);
    untimed.exchange.cycles = 0;
    EXPECT_FALSE(tile_exchange(untimed));
}

} // namespace
} // namespace tilescope::analyse
