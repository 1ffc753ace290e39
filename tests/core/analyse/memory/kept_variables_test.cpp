// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/kept_variables.h"

#include <gtest/gtest.h>

using namespace tilescope;

namespace {

/// Steps 0 to 4; 100 bytes are always live, and beside them 10, 50, 90, 20 and 40. The peak is step 2 with
/// 190.
analyse::Liveness five_steps() {
    analyse::Liveness live;
    for (const std::int64_t bytes : {10, 50, 90, 20, 40})
        live.points.push_back({static_cast<std::int64_t>(live.points.size()), 100, bytes, 0, -1});
    return live;
}

profile::VariableRecord held(const char* name, std::int64_t bytes, std::int64_t from, std::int64_t to) {
    profile::VariableRecord variable;
    variable.name = name;
    variable.category = MemoryCategory::Variables;
    variable.tensor_id = 1;
    variable.bytes = bytes;
    variable.always_live = true;
    variable.live_from = from;
    variable.live_to = to;
    return variable;
}

} // namespace

// Without what they do not need, the steps hold
//   0: 110 - 40 (state) - 6 (table) = 64      1: 150 - 40 - 6 = 104       2: 190 - 40 - 6 = 144
//   3: 120 - 30 (weights) - 6 = 84            4: 140 - 30 = 110
// with `code`, which stays where it is, and `activation`, which is not always live.
TEST(KeptVariables, WhatFreeingThemSavesAtThePeakAndWhatThePeakIsThen) {
    analyse::Liveness live = five_steps();
    live.variables = {held("state", 40, 3, 4),    held("weights", 30, 0, 2), held("code", 20, 1, 1),
                      held("all along", 8, 0, 4), held("table", 6, 4, 4),    held("activation", 50, 1, 1)};
    live.variables[2].category = MemoryCategory::VertexCode;
    live.variables[5].always_live = false;
    const auto kept = analyse::kept_variables(live);
    ASSERT_TRUE(kept);
    ASSERT_EQ(kept->variables.size(), 3U);
    const auto is = [&](std::size_t i, std::size_t index, std::int64_t saved) {
        EXPECT_EQ(kept->variables[i].index, index);
        EXPECT_EQ(kept->variables[i].saved, saved) << live.variables[index].name;
    };
    is(0, 0, 40);
    is(1, 4, 6);
    is(2, 1, 0); // the peak needs it
    EXPECT_EQ(kept->variables[2].needed, std::pair(std::int64_t{0}, std::int64_t{2}));
    EXPECT_EQ(kept->saved, 46);
    EXPECT_EQ(kept->peak, 2);
    EXPECT_EQ(kept->peak_bytes, 144);
    EXPECT_EQ(kept->of(3), nullptr);
    EXPECT_EQ(kept->of(1), &kept->variables[2]);
}

// Of 190 and 140 bytes the first loses 60: another step is the peak.
TEST(KeptVariables, AnotherStepMayBeThePeakThen) {
    analyse::Liveness live = five_steps();
    live.variables = {held("state", 60, 4, 4)};
    const auto kept = analyse::kept_variables(live);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->peak, 4);
    EXPECT_EQ(kept->peak_bytes, 140);
}

TEST(KeptVariables, WhatNoStepNeedsIsSavedWhole) {
    analyse::Liveness live = five_steps();
    live.variables = {held("weights", 30, 0, 4), held("unread", 5, -1, -1)};
    const auto kept = analyse::kept_variables(live);
    ASSERT_TRUE(kept);
    ASSERT_EQ(kept->variables.size(), 1U);
    EXPECT_FALSE(kept->variables.front().needed);
    EXPECT_EQ(kept->peak_bytes, 185);
}

TEST(KeptVariables, AFileThatDoesNotSayWhenTheyAreNeededHasNone) {
    analyse::Liveness live = five_steps();
    live.variables = {held("weights", 30, -1, -1)};
    EXPECT_FALSE(analyse::kept_variables(live));
    live.variables.clear(); // nothing may be kept
    const auto kept = analyse::kept_variables(live);
    ASSERT_TRUE(kept);
    EXPECT_TRUE(kept->variables.empty());
    EXPECT_EQ(kept->peak_bytes, 190);
}

// A stash holds activations of several micro-batches from one turn of the loop to another.
TEST(KeptVariables, AStashIsNeededThroughout) {
    analyse::Liveness live = five_steps();
    live.variables = {held("weights", 30, 0, 4), held("stash of 9", 20, 1, 2)};
    live.variables[1].stash_depth = 9;
    const auto kept = analyse::kept_variables(live);
    ASSERT_TRUE(kept);
    EXPECT_TRUE(kept->variables.empty());
}
