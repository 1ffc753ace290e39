// SPDX-License-Identifier: GPL-3.0-or-later
/// How a model hangs together, what its steps take, what is live in them, and what it took to compile them.
#include "tests/ui/desktop/story.h"

#include <algorithm>
#include <gtest/gtest.h>

using tilescope::tests::Story;

namespace {

const std::string cycles_of_step = "(p.sync_cycles + p.exchange_cycles + p.compute_cycles) * p.runs";

} // namespace

TEST_F(Story, WhatTheDearestOperationReadsAndWhereItIsInTheGraph) {
    record("run", "keras_mnist_faster", "--estimate");
    const Rows dearest = answer( // of those that read what two others make
        "run",
        "SELECT o.id, o.name FROM operation o JOIN program p ON p.operation_id = o.id "
        "WHERE p.liveness_step >= 0 AND (SELECT count(*) FROM operation_input i JOIN operation_output m "
        "ON m.tensor_id = i.tensor_id WHERE i.operation_id = o.id) = 2 GROUP BY o.id ORDER BY sum(" +
            cycles_of_step + ") DESC LIMIT 1");
    ASSERT_EQ(dearest.size(), 1U);
    const std::string operation = dearest[0][1];
    const Rows made_by = answer(
        "run",
        "SELECT maker.name FROM operation_input i JOIN operation_output m ON m.tensor_id = i.tensor_id "
        "JOIN operation maker ON maker.id = m.operation_id WHERE i.operation_id = " +
            dearest[0][0] + " ORDER BY i.position");
    ASSERT_EQ(made_by.size(), 2U) << "what it multiplies";

    start({"run"});
    press({"ctrl+5"});
    ASSERT_TRUE(shows("run", "Graph"));
    ASSERT_TRUE(reads("input_1", "tree item")) << "the graph is drawn\n" << seen();
    press({"slash"});
    tool("type --delay 20 " + operation.substr(operation.rfind('/') + 1));
    EXPECT_TRUE(reads("1 of", "label")) << seen();
    press({"Return"});
    EXPECT_TRUE(selects(operation)) << seen();
    for (const auto& maker : made_by)
        EXPECT_TRUE(reads(maker[0], "label")) << "among its inputs\n" << seen();
    press({"Up"}); // against an arrow, to what makes an input
    EXPECT_TRUE(selects(made_by[0][0]) || selects(made_by[1][0])) << seen();
    press({"0"});                  // all of it
    click(operation, "tree item"); // and back by the pointer
    EXPECT_TRUE(selects(operation)) << seen();
    press({"g", "o"});
    ASSERT_TRUE(shows("run", "Operations")) << title();
    EXPECT_TRUE(selects(operation)) << seen();
}

TEST_F(Story, WhichStepsTakeLongestAndWhenTheDearestOperationRuns) {
    record("run", "keras_mnist_faster", "--estimate");
    // Operations, and steps that belong to none, as those with the host: what takes most of an engine run
    // first.
    const Rows longest =
        answer("run", "SELECT coalesce(o.name, p.name) AS step, printf('%,d', sum(" + cycles_of_step +
                          ") / max(p.runs)) FROM program p LEFT JOIN operation o "
                          "ON o.id = p.operation_id WHERE p.liveness_step >= 0 GROUP BY step ORDER BY sum(" +
                          cycles_of_step + ") DESC, min(p.id) LIMIT 4");
    ASSERT_EQ(longest.size(), 4U);
    const auto dearest = std::find_if(longest.begin(), longest.end(), [](const auto& step) {
        return step[0].find("conv2d") != std::string::npos;
    });
    ASSERT_NE(dearest, longest.end()) << "of the four, one is an operation";

    start({"run"});
    press({"ctrl+6"});
    ASSERT_TRUE(shows("run", "Program"));
    press({"shift+f"}); // beside each other
    click("In all", "column header");
    const Rows flat = copied([&](const Rows& now) { return now.size() > 4 && now[1][0] == longest[0][0]; });
    ASSERT_GT(flat.size(), 4U);
    for (std::size_t i = 0; i < longest.size(); ++i)
        EXPECT_EQ(flat[i + 1][0], longest[i][0]);

    click((*dearest)[0], "tree item");
    EXPECT_TRUE(selects((*dearest)[0])) << seen();
    press({"g", "t"}); // when
    ASSERT_TRUE(shows("run", "Trace")) << title();
    EXPECT_TRUE(reads((*dearest)[0] + " IPU", "label")) << "in the details\n" << seen();
    EXPECT_TRUE(reads((*dearest)[1], "cell")) << "its time in the totals of what is in view\n" << seen();
}

TEST_F(Story, WhatIsLiveInTheStepUnderThePointer) {
    record("run", "keras_mnist_faster", "--estimate");
    const auto live_at = [&](const std::string& step) {
        return answer("run",
                      "SELECT count(*) FROM variable WHERE bytes > 0 AND (always_live OR (live_from <= " +
                          step + " AND " + step + " <= live_to))")
            .at(0)
            .at(0);
    };
    const Rows steps =
        answer("run", "SELECT liveness_step, name FROM program WHERE liveness_step IN (17, 18) "
                      "ORDER BY liveness_step");
    ASSERT_EQ(steps.size(), 2U);

    start({"run"});
    press({"ctrl+4"});
    ASSERT_TRUE(shows("run", "Liveness"));
    click("step 17, " + steps[0][1], "list item");
    EXPECT_TRUE(reads("Live at step 17: " + live_at("17"), "page tab")) << seen();
    press({"period"}); // the next one
    EXPECT_TRUE(reads("Live at step 18: " + live_at("18"), "page tab")) << seen();
    press({"Return"}); // what it is
    ASSERT_TRUE(shows("run", "Program")) << title();
    EXPECT_TRUE(selects(steps[1][1].substr(steps[1][1].rfind('/') + 1))) << seen();
}

TEST_F(Story, WhichPassTookLongestWhatItChangedAndForWhichLayer) {
    record("run", "keras_mnist_faster", "--estimate");
    const Rows pass = answer("run", "SELECT id, name, detail FROM compile_event WHERE parent_id = 0 "
                                    "ORDER BY duration_us DESC LIMIT 1");
    ASSERT_EQ(pass.size(), 1U);
    const Rows layer = answer("run", "SELECT name FROM compile_event WHERE parent_id = " + pass[0][0] +
                                         " AND name LIKE 'layer %' ORDER BY duration_us DESC LIMIT 1");
    ASSERT_EQ(layer.size(), 1U);

    start({"run"});
    press({"g", "c"});
    ASSERT_TRUE(shows("run", "Compile"));
    EXPECT_TRUE(reads("of it in “" + pass[0][1] + "”", "label")) << seen();
    click(pass[0][1], "tree item"); // in the chart
    EXPECT_TRUE(selects(pass[0][2])) << "what it changed, in the table\n" << seen();
    click(layer[0][0], "tree item");
    EXPECT_TRUE(selects(layer[0][0])) << seen();
    press({"Return"});
    ASSERT_TRUE(shows("run", "Graph")) << title();
    EXPECT_TRUE(selects(layer[0][0].substr(std::string("layer ").size()))) << seen();
}
