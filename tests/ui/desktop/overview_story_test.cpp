// SPDX-License-Identifier: GPL-3.0-or-later
/// What limits a run, what to change first, and which of several runs is best.
#include "tests/ui/desktop/story.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iomanip>
#include <sstream>

using tilescope::tests::Story;

namespace {

std::string percent(double share) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << 100 * share << " %";
    return text.str();
}

} // namespace

TEST_F(Story, WhatLimitsTheModelAndWhichTileIsFullest) {
    record("run", "keras_mnist_faster", "--estimate");
    // One IPU that never waits: the time of an engine run is that of its phases.
    const Rows phases = answer("run", "SELECT host, compute, exchange, sync FROM execution_ipu LIMIT 1");
    ASSERT_EQ(phases.size(), 1U);
    double all = 0;
    for (const std::string& cycles : phases[0])
        all += std::stod(cycles);
    const auto share = [&](std::size_t phase) { return percent(std::stod(phases[0][phase]) / all); };
    const Rows fullest =
        answer("run", "SELECT tile FROM tile_values('memory', 0, 0, 'total_with_gaps') ORDER BY value DESC");
    const Rows exchanging = answer(
        "run", "SELECT o.name FROM operation o JOIN program p ON p.operation_id = o.id "
               "WHERE p.liveness_step >= 0 GROUP BY o.id ORDER BY sum(p.exchange_cycles) DESC LIMIT 1");

    start({"run"});
    EXPECT_TRUE(reads("Limited by the host, " + share(0) + " of the time; computing is " + share(1), "label"))
        << seen();
    const auto exchange = find("exchange", "link");
    ASSERT_TRUE(exchange);
    EXPECT_NE(exchange->words.find(share(2)), std::string::npos) << exchange->words;

    click("Fullest tile", "frame"); // with the pointer
    ASSERT_TRUE(shows("run", "Memory")) << title();
    EXPECT_TRUE(reads("IPU 0 tile " + fullest[0][0] + " is the fullest of the run", "label")) << seen();
    EXPECT_TRUE(reads("Live on IPU 0 tile " + fullest[0][0] + " at its peak step", "label")) << seen();
    press({"alt+Left"});
    ASSERT_TRUE(shows("run", "Summary")) << title();
    click("exchange", "link"); // who exchanges most
    ASSERT_TRUE(shows("run", "Operations")) << title();
    const Rows operations =
        allCopied([&](const Rows& now) { return headed(now, "Operation") && now[1][0] == exchanging[0][0]; });
    ASSERT_TRUE(headed(operations, "Operation"));
    EXPECT_EQ(operations[1][0], exchanging[0][0]);
}

TEST_F(Story, WhatToChangeFirstAndWhereItIs) {
    record("run", "keras_mnist_faster", "--estimate");
    // Roles of steps that only bring operands to where they are used, or lay them out anew there.
    const Rows by_operation =
        answer("run", "SELECT o.name, sum((p.role IN ('bring', 'rearrange')) * "
                      "(p.sync_cycles + p.exchange_cycles + p.compute_cycles)) AS arranging "
                      "FROM operation o JOIN program p ON p.operation_id = o.id WHERE p.liveness_step >= 0 "
                      "GROUP BY o.id ORDER BY arranging DESC LIMIT 1");
    ASSERT_EQ(by_operation.size(), 1U);
    const std::string operation = by_operation[0][0];

    start({"run"});
    click("Insights", "check box");
    ASSERT_TRUE(shows("run", "Insights")) << title();
    EXPECT_TRUE(selects("Much of the time goes to the host")) << seen();
    press({"Down"}); // what costs most after it
    EXPECT_TRUE(selects("Much of the time goes to arranging operands")) << seen();
    EXPECT_TRUE(selects(operation)) << "where\n" << seen();
    press({"Return"}); // to the place
    ASSERT_TRUE(shows("run", "Operations")) << title();
    EXPECT_TRUE(selects(operation)) << seen();
    press({"alt+Left"});
    ASSERT_TRUE(shows("run", "Insights")) << title();
    press({"h"}); // it is known, and not to be seen again
    EXPECT_TRUE(reads("1 hidden", "label")) << seen();
    press({"ctrl+z"});
    EXPECT_TRUE(selects(operation)) << "back again\n" << seen();
}

TEST_F(Story, WhichBatchIsQuickest) {
    for (const char* batch : {"16", "32", "64"})
        record(std::string("batch") + batch, "keras_mnist_faster",
               std::string("--estimate --batch ") + batch);
    const auto throughput = [&](const std::string& name) { // samples per second
        const Rows run = answer(name, "SELECT r.batch_size * e.steps * t.clock_hz / e.cycles FROM run r, "
                                      "target t, execution e WHERE e.kind = 'train' LIMIT 1");
        return std::llround(std::stod(run.at(0).at(0)));
    };
    ASSERT_GT(throughput("batch64"), throughput("batch32"));
    ASSERT_GT(throughput("batch32"), throughput("batch16"));

    start({"batch16"});
    press({"g", "r"});
    ASSERT_TRUE(shows("batch16", "Runs")) << title();
    EXPECT_TRUE(reads("3 runs", "label")) << seen();
    click("Samples/s", "column header"); // the quickest first
    click("batch64.tilescope", "cell");
    const Rows runs = allCopied([](const Rows& now) { return headed(now, "Workload") && now.size() == 4; });
    ASSERT_EQ(runs.size(), 4U);
    for (const auto& [row, name] : {std::pair(1U, "batch64"), {2U, "batch32"}, {3U, "batch16"}}) {
        EXPECT_EQ(runs[row][1], std::string(name) + ".tilescope");
        EXPECT_EQ(std::llround(std::stod(runs[row][6])), throughput(name)) << "as spreadsheets take it";
    }
    press({"Home", "Return"}); // opens it
    EXPECT_TRUE(comes_true([&] { return title().starts_with("batch64 – "); })) << title();
}
