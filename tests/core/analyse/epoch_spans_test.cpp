// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/epoch_spans.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using profile::ExecutionGroupRecord;
using profile::ExecutionKind;

ExecutionGroupRecord group(std::int64_t count, ExecutionKind kind, std::int64_t epoch, std::int64_t per_epoch,
                           std::int64_t start, std::int64_t wall_us) {
    ExecutionGroupRecord g;
    g.count = count;
    g.kind = kind;
    g.epoch = epoch;
    g.executions_per_epoch = per_epoch;
    g.steps = 8;
    g.start_cycle = start;
    g.period_cycles = g.cycles = 100;
    g.wall_us = wall_us;
    return g;
}

constexpr Range everything{0, 1'000'000};

} // namespace

TEST(EpochSpans, AreOfOneEpochOrEvaluationEach) {
    // Epochs of two alike and a last engine run, each with an evaluation behind it.
    const std::vector groups{
        group(2, ExecutionKind::Train, 0, 0, 0, 3000), group(1, ExecutionKind::Train, 0, 0, 200, 1000),
        group(1, ExecutionKind::Evaluate, 0, 0, 300, 500), group(3, ExecutionKind::Train, 1, 0, 400, 6000)};
    const auto spans = epoch_spans(groups, everything, 1);
    ASSERT_EQ(spans.size(), 3U);
    EXPECT_EQ(spans[0].cycles, (Range{0, 300}));
    EXPECT_EQ(spans[0].executions, 3);
    EXPECT_EQ(spans[0].steps, 24);
    EXPECT_EQ(spans[0].wall_us, 4000);
    EXPECT_FALSE(spans[0].mean);
    EXPECT_EQ(spans[1].kind, ExecutionKind::Evaluate);
    EXPECT_EQ(spans[2].epoch, 1);
    EXPECT_EQ(spans[2].wall_us, 6000);
    EXPECT_EQ(epoch_spans(groups, {350, 500}, 1).size(), 2U);
}

TEST(EpochSpans, OfEpochsThatAreKnownTogetherTheMeanIsTold) {
    const std::vector groups{group(20, ExecutionKind::Train, 0, 4, 1000, 10'000)};
    const auto spans = epoch_spans(groups, everything, 1);
    ASSERT_EQ(spans.size(), 5U);
    EXPECT_EQ(spans[3].epoch, 3);
    EXPECT_EQ(spans[3].cycles, (Range{2200, 2600}));
    EXPECT_EQ(spans[3].wall_us, 2000);
    EXPECT_TRUE(spans[3].mean);
    const auto seen = epoch_spans(groups, {1900, 2300}, 1);
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].epoch, 2);
    const auto together = epoch_spans(groups, everything, 500);
    ASSERT_EQ(together.size(), 1U);
    EXPECT_EQ(together[0].epochs, 5);
    EXPECT_EQ(together[0].wall_us, 10'000);
    EXPECT_FALSE(together[0].mean);
}

TEST(EpochSpans, WhatIsNotRecordedIsAbsent) {
    const auto spans = epoch_spans({group(2, ExecutionKind::Train, 0, 0, 0, 0)}, everything, 1);
    ASSERT_EQ(spans.size(), 1U);
    EXPECT_FALSE(spans[0].wall_us);
}

} // namespace tilescope::analyse
