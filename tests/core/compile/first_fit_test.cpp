// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "compile/first_fit.h"

#include <algorithm>
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

TEST(FirstFit, EndsWithinAFewHundredBlocksOfACancel) {
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i < 5000; ++i)
        intervals.push_back({i, 8, 0, 1, 8});
    CancelToken cancel;
    cancel.cancel_at_poll(2);
    first_fit(intervals, 0, &cancel);
    const auto placed =
        std::count_if(intervals.begin(), intervals.end(), [](const Interval& i) { return i.address > 0; });
    EXPECT_GT(placed, 0);
    EXPECT_LE(placed, 500);
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

/// The rule word for word: each in its turn at the first address that no one placed before it is in the way
/// of.
std::int32_t one_by_one(std::vector<Interval>& intervals) {
    std::vector<Interval*> turns;
    turns.reserve(intervals.size());
    for (Interval& interval : intervals)
        turns.push_back(&interval);
    std::stable_sort(turns.begin(), turns.end(), [](const Interval* a, const Interval* b) {
        return std::pair(a->base, a->bytes) > std::pair(b->base, b->bytes);
    });
    std::int32_t top = 0;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        Interval& interval = *turns[i];
        interval.address = interval.base;
        for (std::size_t j = 0; j < i; ++j)
            if (overlap(interval, *turns[j])) {
                interval.address = turns[j]->address + turns[j]->bytes;
                j = static_cast<std::size_t>(-1); // from the first again
            }
        top = std::max(top, interval.address + interval.bytes);
    }
    return top;
}

// Layers of a chain: what each makes lives until the way back, its gradient until the end, and the rest for a
// few steps.
TEST(FirstFit, PlacesThousandsAsOneByOne) {
    const RandomStream random(2, 0);
    constexpr std::int32_t layers = 400;
    std::vector<Interval> intervals;
    const auto add = [&](std::int32_t from, std::int32_t to) {
        const std::size_t i = intervals.size();
        const auto bytes = static_cast<std::int32_t>(8 + random.bits(2 * i) % 4 * 8);
        intervals.push_back({i, bytes, from, to, random.bits(2 * i + 1) % 9 == 0 ? 4096 : 64});
    };
    for (std::int32_t layer = 0; layer < layers; ++layer) {
        add(3 * layer, 6 * layers - 3 * layer);
        add(3 * layer + 1, 3 * layer + 2);
        add(6 * layers - 3 * layer, 6 * layers - 3 * layer + 2);
        add(6 * layers - 3 * layer, 6 * layers + layer);
        add(6 * layers - 3 * layer + 1, 6 * layers - 3 * layer + 1);
    }
    std::vector<Interval> expected = intervals;
    EXPECT_EQ(first_fit(intervals, 0), one_by_one(expected));
    for (std::size_t i = 0; i < intervals.size(); ++i)
        ASSERT_EQ(intervals[i].address, expected[i].address) << i;
}

} // namespace
} // namespace tilescope::compile
