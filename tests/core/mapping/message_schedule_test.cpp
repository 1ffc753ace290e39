// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/message_schedule.h"

#include <gtest/gtest.h>

namespace tilescope::mapping {
namespace {

constexpr std::int64_t chip = 8; // tiles
constexpr std::int64_t rate = 4; // bytes a cycle: a word

TEST(MessageSchedule, WhatGoesToOneTileGoesOneAfterTheOther) {
    // Eight words from tile 0 and as many from tile 1, both to the tiles 2 and 3.
    EXPECT_EQ(scheduled_cycles({{0, 32, {2, 3}}, {1, 32, {2, 3}}}, chip, rate), 16);
    EXPECT_EQ(scheduled_cycles({{0, 32, {2}}, {1, 32, {3}}}, chip, rate), 8) << "at once";
    EXPECT_EQ(scheduled_cycles({}, chip, rate), 0);
}

TEST(MessageSchedule, AllTilesSendToAllOthersInTurns) {
    // Four words to each of three others: each tile is busy in each of the 12 cycles.
    std::vector<TileMessage> messages;
    for (std::int64_t from = 0; from < 4; ++from)
        for (std::int64_t to = 0; to < 4; ++to)
            if (from != to)
                messages.push_back({from, 16, {to}});
    EXPECT_EQ(scheduled_cycles(messages, 4, rate), 12);
}

// Each two of three messages have a receiver in common: 12 cycles, while no tile has more than 8 cycles'
// words.
TEST(MessageSchedule, ItIsLongerThanTheBusiestTileWhereMessagesMeet) {
    EXPECT_EQ(scheduled_cycles({{0, 16, {3, 4}}, {1, 16, {4, 5}}, {2, 16, {5, 3}}}, chip, rate), 12);
}

// A word takes a cycle, and its receiver two instructions; tile 1 sends with one and receives twice: 2 x 2
// + 1.
TEST(MessageSchedule, InstructionsTakeACycleEach) {
    EXPECT_EQ(scheduled_cycles({{0, 4, {1}}}, chip, rate), 2);
    EXPECT_EQ(scheduled_cycles({{0, 4, {1}}, {2, 4, {1}}, {1, 4, {3}}}, chip, rate), 5);
}

TEST(MessageSchedule, MessagesAreWhatATileSendsOfABox) {
    // Eight elements of four bytes, two on each of the tiles 1 to 4; tiles 0 and 2 need the first four.
    const TileMapping from({Axis::blocks(8, 2, 1)}, chip, 1);
    const auto messages = messages_of(from, {8}, 4, {{0, {{0}, {4}}}, {2, {{0}, {4}}}});
    ASSERT_EQ(messages.size(), 2U);
    for (const TileMessage& message : messages) {
        EXPECT_EQ(message.bytes, 8);
        EXPECT_EQ(message.receivers,
                  message.sender == 1 ? (std::vector<std::int64_t>{0, 2}) : std::vector<std::int64_t>{0})
            << "tile 2 has its own";
    }
}

// Tile 0 needs elements 0 to 5 and tile 5 those from 2 to 7, of tile 3: it sends 2 to 5 to both at once.
TEST(MessageSchedule, WhatBoxesShareIsAPieceOfItsOwn) {
    const TileMapping from = TileMapping::single({8}, chip, 3);
    const std::vector<TileNeed> needs{{0, {{0}, {6}}}, {5, {{2}, {8}}}};
    const auto pieces = messages_of(from, {8}, 4, needs, Messages::OfPieces);
    std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> found;
    for (const TileMessage& message : pieces)
        found.emplace_back(message.bytes, message.receivers);
    EXPECT_EQ(found, (decltype(found){{8, {0}}, {16, {0, 5}}, {8, {5}}}));
    EXPECT_EQ(scheduled_cycles(messages_of(from, {8}, 4, needs), chip, rate), 12);
    EXPECT_EQ(scheduled_cycles(pieces, chip, rate), 8);
    EXPECT_TRUE(messages_of(from, {8}, 4, {{0, {{0}, {4}}}, {5, {{4}, {8}}}}, Messages::OfPieces).empty());
}

} // namespace
} // namespace tilescope::mapping
