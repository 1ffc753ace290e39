// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "program/exchange_traffic.h"
#include "program/tile_mapping.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace tilescope;
using program::Box;
using program::Shape;
using program::TileMapping;

namespace {

std::int64_t sum(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

ipu::Target small_target(std::int64_t tiles) {
    ipu::TargetOverrides overrides;
    overrides.figures["tiles_per_ipu"] = static_cast<double>(tiles);
    return *ipu::find_target("ipu2", overrides);
}

/// The tile of each element, one by one: what `locate` must agree with.
std::vector<std::int64_t> tile_of_elements(const TileMapping& mapping) {
    std::vector<std::int64_t> result(static_cast<std::size_t>(mapping.elements()), -1);
    const Shape& view = mapping.view();
    for (std::int64_t part = 0; part < mapping.parts(); ++part) {
        const Box box = mapping.box_of_part(part);
        for (std::int64_t e = 0; e < mapping.elements(); ++e) {
            bool inside = true;
            std::int64_t rest = e;
            for (std::size_t d = view.size(); d-- > 0; rest /= view[d])
                inside = inside && rest % view[d] >= box.begin[d] && rest % view[d] < box.end[d];
            if (inside)
                result[static_cast<std::size_t>(e)] = mapping.tile_of_part(part);
        }
    }
    return result;
}

std::vector<TileMapping> mappings() {
    return {TileMapping::linear({4, 6, 5}, 16, 2, 8), TileMapping::linear({120}, 16, 1, 1, 13),
            TileMapping::grid({4, 6, 5}, {2, 3, 5}, 16), TileMapping::grid({4, 6, 5}, {1, 6, 3}, 16, 9),
            TileMapping::grid({24, 5}, {7, 2}, 16), TileMapping::single({4, 6, 5}, 16, 5),
            // Blocks cut in pieces, the last ones smaller; blocks that come round to the first tile again.
            TileMapping({{12, 5, 4, 3, 2, 1}, program::Axis::whole(10)}, 16, 3),
            TileMapping({program::Axis::blocks(4, 2, 8), {30, 4, 2, 4, 3, 1}}, 16)};
}

} // namespace

TEST(TileMapping, LinearKeepsGrainAndMinimum) {
    const TileMapping mapping = TileMapping::linear({100}, 1472, 4, 32);
    EXPECT_EQ(mapping.parts(), 4); // 32 + 32 + 32 + 4
    const auto elements = mapping.elements_per_tile();
    EXPECT_EQ(elements[0], 32);
    EXPECT_EQ(elements[3], 4);
    EXPECT_EQ(sum(elements), 100);
}

TEST(TileMapping, LocatesEveryElementOfAnyBoxOnItsTile) {
    const Shape shape{4, 6, 5};
    const std::vector<Box> boxes = {{{0, 0, 0}, {4, 6, 5}},
                                    {{1, 2, 0}, {3, 5, 5}},
                                    {{0, 0, 2}, {4, 6, 3}},
                                    {{2, 5, 4}, {3, 6, 5}},
                                    {{0, 3, 1}, {2, 3, 4}}};
    for (const TileMapping& mapping : mappings()) {
        const auto tiles = tile_of_elements(mapping);
        for (const Box& box : boxes) {
            std::map<std::int64_t, std::int64_t> expected;
            for (std::int64_t i = box.begin[0]; i < box.end[0]; ++i)
                for (std::int64_t j = box.begin[1]; j < box.end[1]; ++j)
                    for (std::int64_t k = box.begin[2]; k < box.end[2]; ++k)
                        ++expected[tiles[static_cast<std::size_t>((i * 6 + j) * 5 + k)]];
            std::map<std::int64_t, std::int64_t> found;
            std::vector<program::TilePart> parts;
            mapping.locate(shape, box, parts);
            for (const program::TilePart& part : parts)
                found[part.tile] += part.elements;
            EXPECT_EQ(found, expected);
        }
    }
}

TEST(TileMapping, APartLiesWhereTheWholeDoes) {
    const Shape shape{12, 10};
    for (const TileMapping& mapping :
         {TileMapping::grid(shape, {2, 3}, 64, 60), TileMapping::grid(shape, {5, 10}, 16),
          // Blocks cut in pieces, and a part of a part.
          TileMapping({{12, 5, 4, 3, 2, 1}, program::Axis::whole(10)}, 16, 3),
          *TileMapping({{17, 5, 4, 4, 2, 1}, program::Axis::whole(10)}, 32).part({17, 10}, 0, 3, 15)}) {
        const auto tiles = tile_of_elements(mapping);
        for (std::int64_t begin = 0; begin < 12; ++begin)
            for (std::int64_t end = begin + 1; end <= 12; ++end) {
                const auto part = mapping.part(shape, 0, begin, end);
                ASSERT_TRUE(part.has_value());
                const auto of_part = tile_of_elements(*part);
                EXPECT_EQ(of_part,
                          std::vector<std::int64_t>(tiles.begin() + begin * 10, tiles.begin() + end * 10))
                    << begin << " to " << end;
                EXPECT_EQ(sum(part->elements_per_tile()), (end - begin) * 10);
            }
    }
    EXPECT_FALSE(TileMapping({{12, 2, 1, 3, 2, 0}, program::Axis::whole(10)}, 16).part(shape, 0, 1, 9))
        << "the fourth block lies on the first tile again";
}

// A vector of 1,024 halves over 64 tiles has 16 on each: four replicas have a grain of 4 each and nothing is
// padded. Over 1,024 tiles each has a whole grain of the one element: 16 times as much. 30 floats make shares
// of 8.
TEST(TileMapping, AShareHasAPartOfEachTilesElementsInWholeGrains) {
    const auto linear = TileMapping::grid({1024}, {16}, 1024);
    EXPECT_EQ(sum(linear.shared(4, 4).elements_per_tile()), 1024 / 4);
    const auto thin = TileMapping::grid({1024}, {1}, 1024);
    EXPECT_EQ(sum(thin.shared(4, 4).elements_per_tile()), 16 * 1024 / 4);
    EXPECT_EQ(sum(TileMapping::single({30}, 4, 0).shared(4, 2).elements_per_tile()), 8);
    EXPECT_EQ(linear.shared(4, 4).shared(1, 1), linear) << "the whole again";
}

TEST(Exchange, SendsWhatItReceivesAndNothingThatIsInPlace) {
    const ipu::Target target = small_target(16);
    const Shape shape{4, 6, 5};
    for (const TileMapping& from : mappings())
        for (const TileMapping& to : mappings()) {
            const auto exchange =
                program::exchange_between(target, from, to.view(), 4, program::needs_of(to));
            const auto a = tile_of_elements(from);
            const auto b = tile_of_elements(to);
            std::int64_t moved = 0;
            for (std::size_t e = 0; e < a.size(); ++e)
                moved += a[e] == b[e] ? 0 : 4;
            EXPECT_EQ(exchange.has_value(), moved > 0);
            if (!exchange)
                continue;
            EXPECT_EQ(sum(exchange->sent), moved);
            EXPECT_EQ(sum(exchange->received), moved);
        }
}

// What was asked before is not worked out again; each difference in what moves is another question.
TEST(Exchange, ABookAnswersAsIfItWereWorkedOut) {
    const ipu::Target target = small_target(16);
    program::Program program;
    program::ExchangeBook book(program, target);
    for (int round = 0; round < 2; ++round)
        for (const TileMapping& from : mappings())
            for (const TileMapping& to : mappings())
                for (const std::int64_t bytes : {2, 4})
                    for (const std::ptrdiff_t left_out : {0, 1, 2}) { // tiles that need nothing
                        auto needs = program::needs_of(to);
                        needs.erase(needs.begin(), needs.begin() + std::min<std::ptrdiff_t>(
                                                                       left_out, std::ssize(needs) - 1));
                        const auto worked_out =
                            program::exchange_between(target, from, to.view(), bytes, needs);
                        const auto answer = book.between(from, to.view(), bytes, needs);
                        ASSERT_EQ(answer.has_value(), worked_out.has_value());
                        if (!answer)
                            continue;
                        EXPECT_EQ(answer->cycles, worked_out->cycles);
                        EXPECT_EQ(answer->sent, worked_out->sent);
                        EXPECT_EQ(answer->received, worked_out->received);
                        EXPECT_EQ(answer->instructions, worked_out->instructions);
                        ASSERT_TRUE(answer->moves.has_value());
                        EXPECT_EQ(answer->moves->first_tile, from.first_tile());
                        EXPECT_EQ(answer->moves->element_bytes, bytes);
                    }
}

TEST(Exchange, MulticastCostsTheSenderOnce) {
    // Tile 0 holds 400 bytes that all of 16 tiles need: 15 receive them, the sender puts them on the wire
    // once.
    const ipu::Target target = small_target(16);
    std::vector<program::TileNeed> needs;
    for (std::int64_t tile = 0; tile < 16; ++tile)
        needs.push_back({tile, {{0}, {100}}});
    const auto exchange =
        program::exchange_between(target, TileMapping::single({100}, 16, 0), {100}, 4, needs);
    ASSERT_TRUE(exchange.has_value());
    EXPECT_EQ(sum(exchange->sent), 15 * 400);
    EXPECT_EQ(exchange->cycles, target.exchange_setup_cycles + 400 / 4);
}

// 400 bytes of tile 0. Both tiles of a pair take 8 of them a cycle, a single tile 4; where one does, so do
// all of its receivers. Half of them on tile 1 as well: the pair shares its buses, and sends as long.
TEST(Exchange, BothTilesOfAPairReceiveTheSameAtTwiceTheRate) {
    const ipu::Target target = small_target(16);
    const auto cycles = [&](const TileMapping& from, const std::vector<std::int64_t>& tiles) {
        std::vector<program::TileNeed> needs;
        needs.reserve(tiles.size());
        for (const std::int64_t tile : tiles)
            needs.push_back({tile, {{0}, {100}}});
        return program::exchange_between(target, from, {100}, 4, needs)->cycles -
               target.exchange_setup_cycles;
    };
    const TileMapping on_one = TileMapping::single({100}, 16, 0);
    EXPECT_EQ(cycles(on_one, {2, 3}), 50);
    EXPECT_EQ(cycles(on_one, {2, 3, 8, 9}), 50);
    EXPECT_EQ(cycles(on_one, {2, 3, 8}), 100);
    EXPECT_EQ(cycles(on_one, {2}), 100);
    const TileMapping on_pair = TileMapping::linear({100}, 2, 1, 50);
    const TileMapping halves({on_pair.axes()}, 16);
    EXPECT_EQ(cycles(halves, {2, 3}), 50);
    EXPECT_EQ(cycles(halves, {2}), 100);
    // Each of the pair sends its half to the other, 50 words at a word a cycle, and to the tiles 2 and 3.
    EXPECT_EQ(cycles(halves, {0, 1, 2, 3}), 50 + 50);
}

// Of 300 elements of tile 0 the tiles 2, 4 and 6 need 100 each that overlap by half: 200 words are sent once
// in one go, 64 words and more, to two tiles or to one; box by box it would be 300. Each listens once.
TEST(Exchange, WhatBoxesShareIsSentOnce) {
    const ipu::Target target = small_target(16);
    const std::vector<program::TileNeed> needs{{2, {{0}, {100}}}, {4, {{50}, {150}}}, {6, {{100}, {200}}}};
    const auto exchange =
        program::exchange_between(target, TileMapping::single({300}, 16, 0), {300}, 4, needs);
    EXPECT_EQ(exchange->cycles, target.exchange_setup_cycles + 200);
    EXPECT_EQ(exchange->sent[0], 3 * 400);
    for (const std::size_t tile : {2, 4, 6}) {
        EXPECT_EQ(exchange->received[tile], 400);
        EXPECT_EQ(exchange->instructions[tile], program::receive_instructions);
    }
    EXPECT_EQ(exchange->instructions[0], program::send_instructions(800));
}

// The tiles 2 and 3 of a pair need 60 elements of tile 0 that overlap by 40: these come at twice the rate,
// the other 20 of each at a word a cycle, after one another from the same sender.
TEST(Exchange, WhatAPairSharesComesAtTwiceTheRate) {
    const ipu::Target target = small_target(16);
    const auto exchange = program::exchange_between(target, TileMapping::single({80}, 16, 0), {80}, 4,
                                                    {{2, {{0}, {60}}}, {3, {{20}, {80}}}});
    EXPECT_EQ(exchange->cycles, target.exchange_setup_cycles + 40 / 2 + 20 + 20);
}

// Nine tiles need squares of 4 x 4 elements of tile 0, each with those around it: 4 of 25, 4 of 30 and one of
// 36. Each element is sent once, those of corners to four tiles.
TEST(Exchange, CornersOfTwoDimensionsAreSentOnce) {
    const ipu::Target target = small_target(32);
    std::vector<program::TileNeed> needs;
    const auto around = [](std::int64_t i) {
        return std::pair(std::max<std::int64_t>(0, 4 * i - 1), std::min<std::int64_t>(12, 4 * i + 5));
    };
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 3; ++j) // on tiles whose pairs need nothing
            needs.push_back({2 * (3 * i + j) + 9,
                             {{around(i).first, around(j).first}, {around(i).second, around(j).second}}});
    const auto exchange =
        program::exchange_between(target, TileMapping::single({12, 12}, 32, 0), {12, 12}, 4000, needs);
    EXPECT_EQ(exchange->cycles, target.exchange_setup_cycles + 144 * 1000);
    EXPECT_EQ(exchange->sent[0], 256 * 4000);
}

// 100 messages of one word: two instructions each for the receiver.
TEST(Exchange, ShortMessagesAreBoundByTheirCode) {
    const ipu::Target target = small_target(128);
    const auto exchange = program::exchange_between(target, TileMapping::linear({100}, 128, 1, 1), {100}, 4,
                                                    {{127, {{0}, {100}}}});
    EXPECT_EQ(exchange->cycles, target.exchange_setup_cycles + 200);
}

// On the chip whose fabric is known an exchange takes its way: tile 1286 is heard at tile 1471 after -14
// cycles (exchange_fabric_test.cpp), in row 0.
TEST(Exchange, TakesItsWayOnAKnownChip) {
    const ipu::Target target = *ipu::find_target("ipu2");
    const auto exchange = program::exchange_between(
        target, TileMapping::single({100}, target.tiles_per_ipu, 1286), {100}, 4, {{1471, {{0}, {100}}}});
    EXPECT_EQ(exchange->cycles, 58 + 100);
}

// 64 words with the first instruction, 4,096 with each further one.
TEST(Exchange, AMessageIsOneInstructionUpTo64WordsAndTwoUpTo4160) {
    EXPECT_EQ(program::send_instructions(4), 1);
    EXPECT_EQ(program::send_instructions(256), 1);
    EXPECT_EQ(program::send_instructions(260), 2);
    EXPECT_EQ(program::send_instructions(4160 * 4), 2);
    EXPECT_EQ(program::send_instructions(4160 * 4 + 4), 3);
}

TEST(Exchange, HostCopiesTakeTheHostsRate) {
    // Published: a 40.04 MB stream copy takes 2,641,488 cycles on a real Mk2 IPU.
    const ipu::Target target = *ipu::find_target("ipu2");
    const auto mapping = TileMapping::linear({10'010'000}, target.tiles_per_ipu, 2, 32);
    const auto exchange = program::host_exchange(target, mapping, 4, true, 1);
    EXPECT_EQ(exchange.bytes(), 40'040'000);
    EXPECT_NEAR(static_cast<double>(exchange.cycles) / 2'641'488, 1.0, 0.01);
}
