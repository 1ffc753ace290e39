// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/slot_figures.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using profile::PipelineSlotRecord;
using enum PipelineActivity;

/// Of one stage: two forward passes, a gap, a backward pass of half their length, an update.
const std::vector<PipelineSlotRecord> records = {{0, 0, 100, 0, Forward, 0},
                                                 {0, 100, 200, 1, Forward, 1},
                                                 {0, 250, 300, 2, Backward, 0},
                                                 {0, 300, 400, 3, Update, -1}};

std::int64_t slots_of(const SlotFigures& figures, PipelineActivity activity) {
    return figures.slots[static_cast<std::size_t>(activity)];
}

} // namespace

TEST(SlotFigures, AddUpCyclesAndSlotsByActivity) {
    const SlotFigures sum = slot_figures(records);
    EXPECT_EQ(sum.cycles[Forward], 200);
    EXPECT_EQ(sum.cycles[Backward], 50);
    EXPECT_EQ(sum.cycles.total(), 350);
    EXPECT_EQ(slots_of(sum, Forward), 2);
    EXPECT_EQ(slots_of(sum, Recompute), 0);
    EXPECT_EQ(stretch_figures(records).cycles[Idle], 50) << "between the passes";
    EXPECT_EQ(stretch_figures({}).cycles.total(), 0);
}

TEST(SlotFigures, OfPartsOfUpdatesAddUpToThoseOfTheWhole) {
    const SlotFigures update = slot_figures(records);
    std::int64_t forward = 0;
    for (int tenth = 0; tenth < 30; ++tenth)
        forward += slots_of(update.between(tenth / 10.0, (tenth + 1) / 10.0), Forward);
    EXPECT_EQ(forward, 6) << "of three updates";
    EXPECT_EQ(slots_of(update.between(0, 0.2), Forward), 0);
    EXPECT_EQ(slots_of(update.between(0.2, 0.3), Forward), 1) << "round(0.6) - round(0.4)";
    EXPECT_EQ(update.between(0.2, 0.3).cycles[Forward], 200) << "shares of time stay";
}

TEST(SlotFigures, AreLaidOutByTheirSharesOfAStretch) {
    EXPECT_EQ(stretch_figures(records).laid_out(1000, 800), // 400 cycles, twice as long
              (std::vector<ActivityStretch>{
                  {Forward, 1000, 1400, 2}, {Backward, 1400, 1500, 1}, {Update, 1500, 1700, 1}}))
        << "and idle up to 1800";
    EXPECT_EQ(slot_figures({}).laid_out(0, 100), std::vector<ActivityStretch>());
}

TEST(UpdatePieces, HaveTheSharesOfTheTimeOfAllIpus) {
    auto both = records;
    both.push_back({1, 0, 150, 0, Idle, -1}); // the other IPU idles at first
    const auto pieces = update_pieces(both, 400, 2, 4);
    ASSERT_EQ(pieces.size(), 4U);
    const auto share = [&](std::size_t piece, PipelineActivity activity) {
        return pieces[piece].activities[static_cast<std::size_t>(activity)];
    };
    EXPECT_EQ(pieces[1].start, 100);
    EXPECT_EQ(pieces[1].end, 200);
    EXPECT_DOUBLE_EQ(share(0, Forward), 0.5);
    EXPECT_DOUBLE_EQ(share(0, Idle), 0.5);
    EXPECT_DOUBLE_EQ(share(1, Idle), 0.25) << "half of one of two";
    EXPECT_DOUBLE_EQ(share(2, Backward), 0.25);
    EXPECT_DOUBLE_EQ(share(3, Update), 0.5);
    // Two fifths of the backward pass are the host's.
    const auto hosted = update_pieces(both, 400, 2, 4, {{Backward, 250, 270, 1}});
    EXPECT_DOUBLE_EQ(hosted[2].activities[static_cast<std::size_t>(Backward)], 0.25 - 0.1);
    EXPECT_DOUBLE_EQ(hosted[2].host, 0.1);
    EXPECT_DOUBLE_EQ(hosted[1].host, 0);
    EXPECT_EQ(update_pieces(both, 3, 2, 100).size(), 3U) << "no piece is without a cycle";
    EXPECT_TRUE(update_pieces({}, 0, 0, 100).empty());
}

} // namespace tilescope::analyse
