// SPDX-License-Identifier: GPL-3.0-or-later
/// Which IPU does what, what goes between them, and which tile the others wait for.
#include "tests/ui/desktop/story.h"

#include <gtest/gtest.h>

using tilescope::tests::Story;

/// o1 = pa + pb on IPU 0, o2 = pa + pc on IPU 1, o3 = pb + pc on IPU 2, their sum on IPU 3. A feed goes to
/// the first IPU that needs it and from there to the others; each is two floats. So what is copied is pa from
/// 0 to 1, pb from 0 to 2, pc from 1 to 2, and the three sums to 3: six times 8 bytes.
TEST_F(Story, WhatIsOnIpu2AndWhatGoesThere) {
    record("run", "tutorial_sharding", "");
    start({"run"});
    press({"g", "h"});
    ASSERT_TRUE(shows("run", "Sharding"));
    EXPECT_TRUE(reads("48 B  per step")) << seen();
    for (const char* link : {"IPU 0 to IPU 1", "IPU 0 to IPU 2", "IPU 1 to IPU 2", "IPU 0 to IPU 3",
                             "IPU 1 to IPU 3", "IPU 2 to IPU 3"}) {
        const auto arrow = find(link, "list item");
        ASSERT_TRUE(arrow) << link << " in\n" << seen();
        EXPECT_EQ(arrow->words, "copy, 8 B");
    }
    EXPECT_TRUE(reads("Links 6", "page tab"));

    click("IPU 2: Shard 2", "tree item");
    EXPECT_TRUE(reads("Operations of IPU 2", "page tab")) << seen();
    press({"ctrl+Prior", "F6"});
    const Rows operations = allCopied([](const Rows& now) { return headed(now, "Operation"); });
    ASSERT_EQ(operations.size(), 2U) << "its head, and what it runs";
    EXPECT_EQ(operations[0][0], "Operation");
    EXPECT_EQ(operations[1][0], "o3");

    click("IPU 1 to IPU 2", "list item");
    EXPECT_TRUE(reads("IPU 1 to IPU 2 Kind copy", "label")) << seen();
    press({"Return"}); // what goes over it
    ASSERT_TRUE(shows("run", "Exchange"));
    EXPECT_TRUE(reads("o3/copy(pc): 8 B over links", "label")) << seen();
    EXPECT_TRUE(reads("Tile 0 of IPU 2 receives the most, 8 B", "label")) << seen();
    press({"alt+Left"});
    EXPECT_TRUE(shows("run", "Sharding")) << title();
}

TEST_F(Story, WhichTileTheDearestExchangeWithinTheIpuWaitsFor) {
    record("run", "keras_mnist_faster", "--estimate");
    const Rows dearest =
        answer("run", "SELECT e.id, e.name FROM exchange e JOIN program p ON p.exchange_id = e.id "
                      "WHERE e.kind = 'internal' ORDER BY e.cycles * p.runs DESC LIMIT 1");
    ASSERT_EQ(dearest.size(), 1U);
    const Rows most = answer("run", "SELECT tile FROM tile_values('exchange', " + dearest[0][0] +
                                        ", 0, 'received') ORDER BY value DESC, tile LIMIT 1");
    ASSERT_EQ(most.size(), 1U);
    const std::string tile = most[0][0];

    start({"run"});
    press({"g", "x"});
    ASSERT_TRUE(shows("run", "Exchange"));
    click("all kinds", "combo box");
    click("within the IPU", "list item");
    EXPECT_TRUE(selects(dearest[0][1])) << seen();
    EXPECT_TRUE(reads("Tile " + tile + " of IPU 0 receives the most", "label")) << seen();
    EXPECT_TRUE(reads("wait", "label")) << seen();
    click(dearest[0][1], "cell");
    press({"x"}); // to that tile
    EXPECT_TRUE(reads("tile " + tile, "push button")) << "what is selected\n" << seen();
    press({"g", "m"});
    ASSERT_TRUE(shows("run", "Memory"));
    EXPECT_TRUE(reads("tile " + tile, "label")) << seen();
}

TEST_F(Story, WhichStageSetsThePaceAndWhenAMicroBatchRuns) {
    record("run", "keras_mnist_pipelined", "--estimate --epochs 1");
    // Cycles of an update that each stage waits, and of the slots in which it does.
    const Rows waits =
        answer("run", "SELECT stage, sum(end_cycle - start_cycle) AS cycles FROM pipeline_slot "
                      "WHERE activity = 'waiting' GROUP BY stage ORDER BY cycles DESC");
    ASSERT_EQ(waits.size(), 1U) << "one stage of the two sets the pace";
    const std::string other = waits[0][0] == "0" ? "1" : "0";

    start({"run"});
    click("Pipeline", "check box");
    ASSERT_TRUE(shows("run", "Pipeline"));
    EXPECT_TRUE(reads("Stage " + other + " sets each slot", "label")) << seen();
    click("micro-batch 3, backward", "list item");
    EXPECT_TRUE(selects("micro-batch 3, backward")) << seen();
    press({"Return"});
    ASSERT_TRUE(shows("run", "Trace")) << title();
    EXPECT_TRUE(selects("3 B")) << seen();
    press({"alt+Left"});
    EXPECT_TRUE(shows("run", "Pipeline")) << title();
    EXPECT_TRUE(selects("micro-batch 3, backward")) << "at the same place\n" << seen();
}
