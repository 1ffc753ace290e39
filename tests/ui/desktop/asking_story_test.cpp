// SPDX-License-Identifier: GPL-3.0-or-later
/// What one asks in SQL, and a run that is set up in the form.
#include "build_paths.h"
#include "tests/ui/desktop/story.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using tilescope::tests::contents;
using tilescope::tests::Story;

TEST_F(Story, TheFiveLargestVariablesAsAChartThatIsSaved) {
    record("run", "keras_mnist_faster", "--estimate");
    std::vector<std::pair<std::int64_t, std::string>> variables;
    for (const auto& variable : answer("run", "SELECT bytes, name FROM variable"))
        variables.emplace_back(std::stoll(variable[0]), variable[1]);
    std::sort(variables.rbegin(), variables.rend());

    start({"run"});
    press({"g", "q"});
    ASSERT_TRUE(shows("run", "Query"));
    ASSERT_TRUE(reads("Which tiles of the first IPU are fullest?", "list item"));
    tool("type --delay 10 'SELECT name, bytes FROM variable ORDER BY bytes DESC LIMIT 5'");
    press({"Escape", "ctrl+Return"});
    EXPECT_TRUE(reads("5 rows", "label")) << seen();
    click(variables[0].second, "cell");
    const Rows rows = allCopied([](const Rows& now) { return headed(now, "name") && now.size() == 6; });
    ASSERT_EQ(rows.size(), 6U);
    for (std::size_t i = 0; i < 5; ++i) {
        std::string bytes = rows[i + 1][1];
        std::erase(bytes, ',');
        EXPECT_EQ(bytes, std::to_string(variables[i].first));
    }

    press({"ctrl+Next"}); // the same as a chart
    EXPECT_TRUE(reads("bars", "combo box")) << seen();
    click("Answer as bars");
    press({"Home", "Return"}); // to the largest
    ASSERT_TRUE(shows("run", "Memory")) << title();
    EXPECT_TRUE(reads("variable " + variables[0].second, "push button")) << "what is selected\n" << seen();

    press({"alt+Left"});
    ASSERT_TRUE(shows("run", "Query")) << title();
    click("Save…", "push button");
    ASSERT_TRUE(reads("Save the query")) << seen();
    tool("type --delay 20 'The five largest'");
    press({"Return"});
    EXPECT_TRUE(reads("The five largest", "list item")) << seen();
    press({"ctrl+1"});
    ASSERT_TRUE(shows("run", "Summary")) << title();
    press({"ctrl+q"});
    EXPECT_EQ(window_->ended(), 0) << contents(folder_ / "log");

    start({"run"}); // the next time
    click("Query", "check box");
    click("The five largest", "list item");
    EXPECT_TRUE(reads("ORDER BY bytes DESC LIMIT 5", "text")) << seen();
    press({"Return"});
    EXPECT_TRUE(reads("5 rows", "label")) << seen();
}

TEST_F(Story, WhatASampleWouldTakeWithHalfTheBatch) {
    start({});
    press({"ctrl+r"});
    ASSERT_TRUE(reads("Start a run", "label")) << seen();
    tool("type --delay 20 mnist_faster"); // a part of its name
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    press({"Down", "Return"}); // what is offered
    EXPECT_TRUE(reads(TILESCOPE_SOURCE_DIR "/samples/keras_mnist_faster.json", "text")) << seen();
    click("Estimate only: time it without computing values", "check box");
    click("Batch", "spin box");
    press({"ctrl+a"});
    tool("type 32");
    press({"Tab"});
    EXPECT_TRUE(reads("--estimate", "label")) << "the command line\n" << seen();
    EXPECT_TRUE(reads("fit.batch_size=32", "label")) << seen();
    press({"ctrl+Return"});
    ASSERT_TRUE(shows("keras_mnist_faster", "Live")) << title();
    EXPECT_TRUE(reads("estimate: no values are computed", "label")) << seen();
    EXPECT_TRUE(reads("complete", "label")) << seen();
    const Rows run = answer("keras_mnist_faster", "SELECT status, estimate, batch_size FROM run");
    ASSERT_EQ(run.size(), 1U);
    EXPECT_EQ(run[0], (std::vector<std::string>{"complete", "1", "32"}));
    press({"ctrl+1"});
    ASSERT_TRUE(shows("keras_mnist_faster", "Summary")) << title();
    EXPECT_TRUE(reads("batch 32", "label")) << seen();
}
