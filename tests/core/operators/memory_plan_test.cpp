// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/memory_plan.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tilescope::operators;

namespace {

using Blocks = std::vector<MemoryBlock>;

} // namespace

// By hand. As they come, C would find a gap of 64 below and go on top of B, up to 256.
TEST(MemoryPlan, TheLargestBlockIsPlacedFirst) {
    const Blocks blocks = {{64, 0, 1}, {64, 1, 2}, {128, 2, 3}}; // A, B, C
    const MemoryPlan plan = plan_memory(blocks);
    EXPECT_EQ(plan.offsets, (std::vector<std::int64_t>{0, 128, 0}));
    EXPECT_EQ(plan.bytes, 192);
    EXPECT_EQ(most_needed_at_once(blocks), 192); // A and B 128, B and C 192
}

// By hand. The five largest lie on each other; where the second and fourth were are gaps of 448 and 320.
TEST(MemoryPlan, ABlockGoesIntoTheSmallestGapThatHoldsIt) {
    const Blocks blocks = {{512, 0, 2}, {448, 0, 0}, {384, 0, 2}, {320, 0, 0},
                           {256, 0, 2}, {128, 1, 1}, {64, 0, 2}};
    const MemoryPlan plan = plan_memory(blocks);
    const std::int64_t b = 512;
    const std::int64_t c = b + 448;
    const std::int64_t d = c + 384;
    const std::int64_t e = d + 320;
    const std::int64_t end = e + 256;
    EXPECT_EQ(plan.offsets, (std::vector<std::int64_t>{0, b, c, d, e, d, end}));
    EXPECT_EQ(plan.bytes, end + 64);
    EXPECT_EQ(most_needed_at_once(blocks), end + 64);
}

TEST(MemoryPlan, BlocksTakeWholePiecesOf64Bytes) {
    const Blocks blocks = {{65, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    const MemoryPlan plan = plan_memory(blocks);
    EXPECT_EQ(plan.offsets, (std::vector<std::int64_t>{0, 128, 192}));
    EXPECT_EQ(plan.bytes, 256);
    EXPECT_EQ(most_needed_at_once(blocks), 256);
    EXPECT_EQ(plan_memory({}).bytes, 0);
    EXPECT_EQ(most_needed_at_once({}), 0);
}

TEST(MemoryPlan, BlocksThatAreNeededTogetherLieApart) {
    std::mt19937 random(7);
    const auto up_to = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n)(random);
    };
    for (int round = 0; round < 200; ++round) {
        Blocks blocks(1 + up_to(60));
        std::int64_t all = 0;
        for (MemoryBlock& block : blocks) {
            block = {static_cast<std::int64_t>(up_to(up_to(3) == 0 ? 100'000 : 500)), up_to(30), 0};
            block.last = block.first + up_to(up_to(3) == 0 ? 30 : 3);
            all += (block.bytes + 127) / 64 * 64;
        }
        const MemoryPlan plan = plan_memory(blocks);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            EXPECT_EQ(plan.offsets[i] % 64, 0);
            EXPECT_GE(plan.offsets[i], 0);
            EXPECT_LE(plan.offsets[i] + blocks[i].bytes, plan.bytes);
            for (std::size_t j = 0; j < i; ++j) {
                const bool together = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
                const bool apart = plan.offsets[i] + blocks[i].bytes <= plan.offsets[j] ||
                                   plan.offsets[j] + blocks[j].bytes <= plan.offsets[i];
                EXPECT_TRUE(!together || apart) << "round " << round << ", blocks " << j << " and " << i;
            }
        }
        EXPECT_GE(plan.bytes, most_needed_at_once(blocks));
        EXPECT_LE(plan.bytes, all);
    }
}
