// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "compile/first_fit.h"

#include <gtest/gtest.h>

namespace tilescope::compile {
namespace {

bool live_together(const Interval& a, const Interval& b) {
    return a.from <= b.to && b.from <= a.to;
}

bool overlap(const Interval& a, const Interval& b) {
    return live_together(a, b) && a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

// Worked by hand: the largest at the bottom, beside it what lives with it, on its place what lives later.
TEST(FirstFit, TakesThePlaceOfWhatIsNoLongerLive) {
    std::vector<Interval> intervals{{0, 16, 0, 1, 8}, {1, 40, 0, 2, 8}, {2, 24, 3, 4, 8}, {3, 8, 2, 3, 8}};
    EXPECT_EQ(first_fit(intervals, 0), 64);
    EXPECT_EQ(intervals[1].address, 8);
    EXPECT_EQ(intervals[2].address, 8);
    EXPECT_EQ(intervals[0].address, 48);
    EXPECT_EQ(intervals[3].address, 48);
}

TEST(FirstFit, BeginsAtTheBaseAndReturnsTheTopThatWasThere) {
    std::vector<Interval> intervals{{0, 16, 0, 1, 100}};
    EXPECT_EQ(first_fit(intervals, 200), 200);
    EXPECT_EQ(intervals[0].address, 100);
}

TEST(FirstFit, LeavesNoOverlapAndNoneCouldLieLower) {
    const RandomStream random(1, 0);
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i < 300; ++i) {
        const auto from = static_cast<std::int32_t>(random.bits(4 * i) % 100);
        const auto length = static_cast<std::int32_t>(random.bits(4 * i + 1) % (i % 10 == 0 ? 80 : 5));
        const auto bytes = static_cast<std::int32_t>(8 + random.bits(4 * i + 2) % 20 * 8);
        intervals.push_back({i, bytes, from, from + length, i % 7 == 0 ? 1000 : 40});
    }
    const std::int32_t top = first_fit(intervals, 0);
    std::int32_t highest = 0;
    for (const Interval& interval : intervals) {
        highest = std::max(highest, interval.address + interval.bytes);
        EXPECT_GE(interval.address, interval.base);
        for (const Interval& other : intervals)
            EXPECT_TRUE(&interval == &other || !overlap(interval, other));
        // Those placed before it are what it must not lie on.
        for (std::int32_t lower = interval.base; lower < interval.address; lower += 8) {
            Interval moved = interval;
            moved.address = lower;
            EXPECT_TRUE(std::any_of(intervals.begin(), intervals.end(), [&](const Interval& other) {
                const bool earlier =
                    std::pair(other.base, other.bytes) > std::pair(moved.base, moved.bytes) ||
                    (other.base == moved.base && other.bytes == moved.bytes &&
                     other.variable < moved.variable);
                return earlier && overlap(moved, other);
            }));
        }
    }
    EXPECT_EQ(top, highest);
}

} // namespace
} // namespace tilescope::compile
