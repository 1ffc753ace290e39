// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/whole_turns.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

/// Program steps of 10 cycles each, one after another.
std::vector<profile::TraceSlice> steps(std::int64_t count) {
    std::vector<profile::TraceSlice> slices;
    for (std::int64_t i = 0; i < count; ++i) {
        profile::TraceSlice& slice = slices.emplace_back();
        slice.start_cycle = 10 * i;
        slice.end_cycle = slice.start_cycle + 10;
        slice.merged = 1;
        slice.cycles.compute = 10;
    }
    return slices;
}

std::vector<Stretch> spans(const std::vector<profile::TraceSlice>& slices) {
    std::vector<Stretch> result;
    for (const profile::TraceSlice& slice : slices) {
        result.emplace_back(slice.start_cycle, slice.end_cycle);
        EXPECT_EQ(slice.cycles.compute, slice.end_cycle - slice.start_cycle);
        EXPECT_EQ(slice.merged * 10, slice.end_cycle - slice.start_cycle);
    }
    return result;
}

TEST(WholeTurns, AStretchIsOneSliceAndWhatLiesBesideIsNoFinerThanThePicture) {
    const auto seen = joined(steps(8), {{20, 40}}, 30);
    EXPECT_EQ(spans(seen), (std::vector<Stretch>{{0, 20}, {20, 40}, {40, 60}, {60, 80}}));
}

TEST(WholeTurns, WhatIsNotTracedAndWhatLiesBehindAGapStaysApart) {
    auto apart = steps(6);
    apart.erase(apart.begin() + 2); // [20, 30)
    apart.back().traced = false;
    EXPECT_EQ(spans(joined(apart, {}, 1000)), (std::vector<Stretch>{{0, 20}, {30, 50}, {50, 60}}));
}

} // namespace
} // namespace tilescope::ui
