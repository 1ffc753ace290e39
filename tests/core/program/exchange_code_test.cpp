// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/exchange_traffic.h"

#include <gtest/gtest.h>

namespace tilescope::program {

// 400 bytes on four tiles, 100 on each; two others want 250 of them, which lie on three tiles, or four where
// they begin within one: four messages of two instructions each. Each of the four sends two of the eight.
TEST(ExchangeCode, RunsComeFromTheTilesThatHaveRoomForThem) {
    Exchange exchange;
    exchange.sent = {100, 100, 100, 100, 0, 0, 0};
    exchange.received = {0, 0, 0, 0, 250, 250, 0};
    EXPECT_EQ(instructions_of_runs(exchange, 400, 1), (std::vector<std::int32_t>{2, 2, 2, 2, 8, 8, 0}));
    // To both at once: half as many are sent.
    EXPECT_EQ(instructions_of_runs(exchange, 400, 2), (std::vector<std::int32_t>{1, 1, 1, 1, 8, 8, 0}));
}

// A run of 1,000 words is sent by two instructions: one for the first 64, one for the others; 16 words of it
// by one. From one tile comes one message.
TEST(ExchangeCode, LongMessagesTakeTwoInstructionsToSend) {
    Exchange exchange;
    exchange.sent = {4000, 0};
    exchange.received = {0, 4000};
    EXPECT_EQ(instructions_of_runs(exchange, 4000, 1), (std::vector<std::int32_t>{2, 2}));
    exchange.received = {0, 64};
    EXPECT_EQ(instructions_of_runs(exchange, 4000, 1), (std::vector<std::int32_t>{1, 2}));
}

} // namespace tilescope::program
