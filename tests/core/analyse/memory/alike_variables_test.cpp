// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/alike_variables.h"

#include <gtest/gtest.h>
#include <string>

namespace tilescope::analyse {
namespace {

profile::VariableRecord variable(std::int64_t id, const std::string& name, std::int64_t from) {
    profile::VariableRecord one;
    one.id = id;
    one.name = name;
    one.category = MemoryCategory::Variables;
    one.bytes = 100 * (id + 1);
    one.always_live = from < 0;
    one.live_from = one.live_to = from;
    return one;
}

/// On two tiles: weights of three layers, and a temporary that is gone at the peak, step 5.
TileVariables variables() {
    TileVariables of;
    of.rows = {{variable(0, "temporary", 2), 50},
               {variable(1, "layer_0/kernel", -1), 30},
               {variable(2, "layer_1/kernel", 5), 40},
               {variable(3, "layer_2/kernel", -1), 20}};
    of.peak = {5, 90};
    of.columns = {3, 7};
    of.by_column = {{0, {50, 0}}, {1, {10, 20}}, {2, {40, 0}}, {3, {5, 15}}};
    profile::VariableRecord moments = variable(4, "moments", -1);
    moments.streaming_bytes = 800;
    of.streaming = {moments};
    return of;
}

} // namespace

TEST(AlikeVariables, AreAddedUpInOneRow) {
    const TileVariables of = variables();
    const VariableList list = list_variables(of, false, true);
    ASSERT_EQ(list.rows.size(), 2U);
    const AlikeVariables& kernels = list.rows[0];
    EXPECT_EQ(kernels.variables.size(), 3U);
    EXPECT_EQ(kernels.bytes, 30 + 40 + 20);
    EXPECT_EQ(kernels.on_all_tiles, 200 + 300 + 400);
    EXPECT_EQ(kernels.by_column, (std::vector<std::int64_t>{10 + 40 + 5, 20 + 0 + 15}));
    EXPECT_EQ(kernels.largest->name, "layer_1/kernel");
    EXPECT_EQ(list.rows[1].largest->name, "moments") << "behind them what is on no tile";
    EXPECT_EQ(list.rows[1].streaming, 800);
    EXPECT_EQ(list.bytes, 90);
    EXPECT_EQ(list.streaming, 800);
}

TEST(AlikeVariables, OrEachIsARowOfItsOwn) {
    const TileVariables of = variables();
    const VariableList live = list_variables(of, false, false);
    ASSERT_EQ(live.rows.size(), 4U);
    EXPECT_EQ(live.rows[0].largest->name, "layer_0/kernel") << "in their order";
    const VariableList ever = list_variables(of, true, false);
    ASSERT_EQ(ever.rows.size(), 5U);
    EXPECT_EQ(ever.rows[0].largest->name, "temporary");
    EXPECT_EQ(ever.bytes, 140);
    EXPECT_EQ(ever.rows[0].by_column, (std::vector<std::int64_t>{50, 0}));
}

} // namespace tilescope::analyse
