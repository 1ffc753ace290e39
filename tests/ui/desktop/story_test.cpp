// SPDX-License-Identifier: GPL-3.0-or-later
/// What people come for, done in the real program by keys alone; what they would read is compared with the
/// file.
#include "analyse/liveness.h"
#include "analyse/tile_memory.h"
#include "build_paths.h"
#include "tests/ui/desktop/story.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace tilescope;
using tests::Story;

TEST_F(Story, TheFullestTileOfSixteenIpusAndTheVariableThatFillsItAtItsPeak) {
    record("bert", "bert_large_pod16", "--estimate");
    const auto bert = file("bert");
    std::int64_t most = 0, ipu = -1, tile = -1;
    const auto ipus = *bert->ipus();
    for (const profile::IpuRecord& each : ipus) {
        const auto bytes = *bert->tile_values("memory", 0, each.id, "total_with_gaps");
        for (std::size_t t = 0; t < bytes.size(); ++t)
            if (bytes[t] > most) {
                most = bytes[t];
                ipu = each.id;
                tile = static_cast<std::int64_t>(t);
            }
    }
    const auto held = *bert->variables_on_tiles(ipu, {tile});
    const std::int64_t peak = analyse::live_peak(held).step;
    std::int64_t live = 0, largest_bytes = 0;
    std::string largest;
    for (const profile::VariableOnTiles& each : held)
        if (each.variable.always_live || (each.variable.live_from <= peak && peak <= each.variable.live_to)) {
            ++live;
            if (each.bytes > largest_bytes) {
                largest_bytes = each.bytes;
                largest = each.variable.name;
            }
        }

    start({"bert"});
    press({"ctrl+3"});
    ASSERT_TRUE(shows("bert", "Memory"));
    ASSERT_GT(copied([](const Rows& now) { return now.size() > 1; }).size(), 1U) << "the chart is there";
    press({"x"});
    ASSERT_TRUE(reads("tile ", "push button")) << "it is selected\n" << seen();
    press({"F6", "F6"});
    const Rows rows =
        allCopied([&](const Rows& now) { return headed(now, "Variable") && now[1][0] == largest; });
    ASSERT_TRUE(headed(rows, "Variable"));
    EXPECT_EQ(rows[0][1], "On these tiles (bytes)");
    EXPECT_EQ(rows[1][0], largest);

    press({"g", "l"}); // its life, on the same tile
    ASSERT_TRUE(shows("bert", "Liveness"));
    ASSERT_TRUE(reads("is the peak step of", "label")) << seen();
    press({"F6"});
    const Rows alive = allCopied([&](const Rows& now) {
        return headed(now, "Variable") && static_cast<std::int64_t>(now.size()) == live + 1;
    });
    EXPECT_EQ(static_cast<std::int64_t>(alive.size()), live + 1) << seen();
}

TEST_F(Story, TheSlowestOperationItsPlanAndWhy) {
    record("run", "keras_mnist_faster", "--estimate");
    start({"run"});
    press({"ctrl+7"});
    ASSERT_TRUE(shows("run", "Operations"));
    const Rows operations = allCopied([&](const Rows& now) { return headed(now, "Operation"); });
    ASSERT_TRUE(headed(operations, "Operation"));
    const auto run = file("run");
    const auto all = *run->operations();
    press({"Home", "Return", "F6"});
    const Rows plans = allCopied([&](const Rows& now) { return headed(now, "Plan"); });
    ASSERT_TRUE(headed(plans, "Plan"));
    std::set<std::string> shown, recorded; // cycles by rank
    for (std::size_t i = 1; i < plans.size(); ++i) {
        std::string cycles = plans[i][2];
        std::erase(cycles, ',');
        shown.insert(plans[i][1] + " " + cycles);
    }
    const auto slowest =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == operations[1][0]; });
    ASSERT_NE(slowest, all.end()) << operations[1][0];
    const std::vector<profile::PlanRecord> candidates = *run->plans(slowest->id);
    for (const profile::PlanRecord& plan : candidates)
        recorded.insert(std::to_string(plan.rank) + " " + std::to_string(plan.cycles));
    EXPECT_TRUE(std::includes(recorded.begin(), recorded.end(), shown.begin(), shown.end()));
    EXPECT_GE(shown.size(), 2U) << "the chosen plan and what it is better than";
    ASSERT_GE(plans[0].size(), 6U);
    EXPECT_EQ(plans[0][5], "Against the chosen") << "why";
    EXPECT_NE(plans[2][5].find("slower"), std::string::npos) << plans[2][5];
}

TEST_F(Story, WhatIsLiveAtThePeak) {
    record("run", "keras_mnist_faster", "--estimate");
    const auto live = *analyse::read_liveness(*file("run"), 0);
    std::multiset<std::string> names;
    for (const std::size_t i : live.live_at(live.points[static_cast<std::size_t>(live.peak())].step))
        names.insert(live.variables[i].name);
    start({"run"});
    press({"ctrl+4"});
    ASSERT_TRUE(shows("run", "Liveness"));
    ASSERT_TRUE(reads("is the peak step of", "label")) << seen();
    press({"p", "F6"});
    const Rows rows =
        allCopied([&](const Rows& now) { return headed(now, "Variable") && now.size() == names.size() + 1; });
    std::multiset<std::string> shown;
    for (std::size_t i = 1; i < rows.size(); ++i)
        shown.insert(rows[i][0]);
    EXPECT_EQ(shown, names);
}

TEST_F(Story, AMicroBatchIsFollowedFromPipelineIntoTrace) {
    record("run", "keras_mnist_pipelined", "--estimate --epochs 1");
    start({"run"});
    press({"ctrl+9"});
    ASSERT_TRUE(shows("run", "Pipeline"));
    ASSERT_TRUE(headed(copied([&](const Rows& now) { return headed(now, "lanes of"); }), "lanes of"));
    press({"Right", "Right", "Down", "Return"}); // micro-batch 1 in the second stage
    ASSERT_TRUE(shows("run", "Trace"));
    const auto pass_of = [](const Rows& rows, const std::string& ipu) {
        return std::any_of(rows.begin(), rows.end(), [&](const std::vector<std::string>& row) {
            return row.size() > 2 && row[0].find(ipu) != std::string::npos && row[1] == "Micro-batch" &&
                   row[2] == "1 F";
        });
    };
    const Rows rows = copied([&](const Rows& now) { return pass_of(now, "IPU 1"); });
    EXPECT_TRUE(pass_of(rows, "IPU 1"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1000)); // what follows at once is one place
    press({"bracketright"});                                      // its next pass
    press({"alt+Left", "alt+Left"});                              // and back to where it was chosen
    EXPECT_TRUE(shows("run", "Pipeline")) << title();
}

TEST_F(Story, ARunIsStartedWatchedAndCancelled) {
    std::string workload = tests::contents(TILESCOPE_SOURCE_DIR "/samples/mnist_tf2.json");
    const std::string four = "\"epochs\": 4";
    ASSERT_NE(workload.find(four), std::string::npos);
    workload.replace(workload.find(four), four.size(), "\"epochs\": 4000");
    const std::string model = "\"models/";
    ASSERT_NE(workload.find(model), std::string::npos);
    workload.replace(workload.find(model), model.size(), "\"" TILESCOPE_SOURCE_DIR "/samples/models/");
    std::ofstream(folder_ / "long.json") << workload;
    start({});
    const std::string workload_path = folder_ / "long.json";
    ASSERT_TRUE(comes_true([&] { // the form, with the focus where the workload is named
        press({"ctrl+r", "ctrl+a"});
        tool("type --delay 10 " + workload_path);
        press({"ctrl+a", "ctrl+c"});
        return clipboard() == workload_path;
    }));
    press({"ctrl+Return"});
    ASSERT_TRUE(shows("long", "Live")) << title();
    const std::string path = folder_ / "long.tilescope";
    ASSERT_TRUE(comes_true([&] { // its losses can be watched
        const auto growing = profile::Profile::open(path);
        return growing && (*growing)->run()->status == profile::RunStatus::Running &&
               !(*growing)->metrics()->empty();
    }));
    press({"ctrl+period"});
    ASSERT_TRUE(reads("Stop the run that writes long.tilescope?", "label")) << seen();
    press({"Return"});
    EXPECT_TRUE(comes_true([&] {
        const auto ended = profile::Profile::open(path);
        return ended && (*ended)->run()->status == profile::RunStatus::Cancelled;
    }));
    EXPECT_FALSE(file("long")->metrics()->empty()) << "what was recorded is there";
}

TEST_F(Story, WhyOneRunIsSlowerThanTheOther) {
    record("base", "keras_mnist_faster", "--estimate");
    record("other", "keras_mnist_faster", "--estimate --batch 16");
    start({"base", "other"});
    press({"alt+Home"});
    ASSERT_TRUE(comes_true([&] { return title() == "Tilescope"; })) << title();
    press({"Home", "space", "Down", "space", "Return"});
    ASSERT_TRUE(comes_true([&] { return title().find("– Compare –") != std::string::npos; })) << title();
    const Rows causes = allCopied([&](const Rows& now) { return headed(now, "Cause"); });
    ASSERT_TRUE(headed(causes, "Cause"));
    const std::vector<std::string>& first = causes[1];
    ASSERT_GE(first.size(), 5U);
    EXPECT_EQ(first[0], "conv2d_1") << "the layer with the most work";
    EXPECT_NE(first[4].find("was [64, 11, 11, 64]"), std::string::npos) << "the batch: " << first[4];
    const std::string compare = title();
    press({"Home", "Return"}); // to the place
    EXPECT_TRUE(comes_true([&] { return title() != compare; }));
    press({"alt+Left"});
    EXPECT_TRUE(comes_true([&] { return title() == compare; })) << title();
}
