// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/range_difference.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

TimeTotal row(TimeTotal::Of of, std::int64_t id, std::int64_t compute, std::int64_t runs) {
    TimeTotal total;
    total.of = of;
    total.id = id;
    total.cycles.compute = compute;
    total.runs = runs;
    return total;
}

using Of = TimeTotal::Of;

} // namespace

TEST(RangeDifference, RowsOfTheSameThingStandBesideEachOtherLargestChangeFirst) {
    RangeTotals base;
    base.phases.compute = 1000;
    base.phases.waiting = 40;
    base.operations = {row(Of::Step, 5, 600, 3), row(Of::Step, 6, 300, 3), row(Of::Step, 7, 100, 1),
                       row(Of::Waiting, -1, 40, 0)};
    RangeTotals now;
    now.phases.compute = 1260;
    now.operations = {row(Of::Step, 1, 710, 4), row(Of::Step, 2, 300, 3), row(Of::Step, 3, 250, 2)};
    // 1 is 5 of the base, 2 is 6; 3 is new, 7 was removed; 4 is 8, and neither runs in its range.
    Matching matching;
    matching.operations = {{1, 5}, {2, 6}, {4, 8}};
    const RangeDifference d = range_difference(base, now, matching, {});

    ASSERT_EQ(d.operations.changed.size(), 4U);
    const TotalDifference& added = d.operations.changed[0]; // 250
    EXPECT_EQ(added.id, 3);
    EXPECT_EQ(added.base_id, -1);
    EXPECT_FALSE(added.cycles.base.has_value());
    EXPECT_EQ(added.cycles.now, 250);
    EXPECT_EQ(added.runs.now, 2);
    const TotalDifference& grown = d.operations.changed[1]; // 110
    EXPECT_EQ(grown.id, 1);
    EXPECT_EQ(grown.base_id, 5);
    EXPECT_EQ(grown.cycles.change(), 110);
    EXPECT_EQ(grown.runs.base, 3);
    EXPECT_EQ(grown.runs.now, 4);
    const TotalDifference& removed = d.operations.changed[2];
    EXPECT_EQ(removed.id, -1);
    EXPECT_EQ(removed.base_id, 7);
    EXPECT_EQ(removed.cycles.base, 100);
    EXPECT_FALSE(removed.cycles.now.has_value());
    const TotalDifference& waiting = d.operations.changed[3];
    EXPECT_EQ(waiting.of, Of::Waiting);
    EXPECT_EQ(waiting.cycles.change(), -40) << "there is none now, which is known";

    EXPECT_EQ(d.operations.unchanged, 1);
    EXPECT_EQ(d.operations.unchanged_cycles.base, 300);
    EXPECT_EQ(d.operations.unchanged_cycles.now, 300);
    EXPECT_EQ(d.kinds[0].change(), 260);
    EXPECT_EQ(d.base_phases.total(), 1040);
    EXPECT_EQ(d.now_phases.total(), 1260);
    EXPECT_EQ(added.cycles.by(), 250) << "all of what is new";
    EXPECT_EQ(removed.cycles.by(), -100);
    EXPECT_EQ(d.kinds[5].base, 40);
    EXPECT_EQ(d.kinds[5].now, 0);
    EXPECT_EQ(d.cycles.change(), 220);
}

TEST(RangeDifference, WhatIsInBothButOutsideARangeTakesNoCyclesThere) {
    RangeTotals base, now;
    base.layers = {row(Of::Step, 2, 80, 1)};
    now.programs = {row(Of::Step, 9, 50, 1)};
    Matching matching;
    matching.layers = {{4, 2}};
    const RangeDifference d = range_difference(base, now, matching, {{9, 3}});
    ASSERT_EQ(d.layers.changed.size(), 1U);
    EXPECT_EQ(d.layers.changed[0].id, 4);
    EXPECT_EQ(d.layers.changed[0].cycles.now, 0);
    ASSERT_EQ(d.programs.changed.size(), 1U);
    EXPECT_EQ(d.programs.changed[0].base_id, 3);
    EXPECT_EQ(d.programs.changed[0].cycles.base, 0);
}

TEST(RangeDifference, OfARunWithItselfIsNothing) {
    RangeTotals totals;
    totals.phases.compute = 30;
    totals.operations = {row(Of::Step, 0, 20, 1), row(Of::NoOperation, -1, 10, 1)};
    Matching matching;
    matching.operations = {{0, 0}};
    const RangeDifference d = range_difference(totals, totals, matching, {});
    EXPECT_TRUE(d.operations.changed.empty());
    EXPECT_EQ(d.operations.unchanged, 2);
    EXPECT_EQ(d.cycles.change(), 0);
}

TEST(MatchSteps, GoByProgramOperationKindAndNameAndThenByOrder) {
    using profile::StepKind;
    const std::vector<NamedStep> base{{1, "training", StepKind::Execute, 5, "/Multiply"},
                                      {2, "training", StepKind::Execute, 5, "/Multiply"},
                                      {3, "training", StepKind::Exchange, 5, "/Multiply"},
                                      {4, "training", StepKind::StreamCopy, -1, "infeed"},
                                      {5, "evaluation", StepKind::StreamCopy, -1, "infeed"}};
    const std::vector<NamedStep> now{{10, "training", StepKind::Exchange, 1, "/Multiply"},
                                     {11, "training", StepKind::Execute, 1, "/Multiply"},
                                     {12, "training", StepKind::Execute, 1, "/Multiply"},
                                     {13, "training", StepKind::Execute, 1, "/Multiply"},
                                     {14, "training", StepKind::Execute, 2, "/Multiply"},
                                     {15, "evaluation", StepKind::StreamCopy, -1, "infeed"}};
    Matching matching;
    matching.operations = {{1, 5}}; // 2 was added
    EXPECT_EQ(match_steps(base, now, matching),
              (std::map<std::int64_t, std::int64_t>{{10, 3}, {11, 1}, {12, 2}, {15, 5}}));
}

} // namespace tilescope::analyse
