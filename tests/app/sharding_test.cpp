// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

class Sharding : public CommandTest {
  protected:
    const std::string sample = TILESCOPE_SOURCE_DIR "/samples/tutorial_sharding.json";
    void record() { printed({"profile", sample, "-o", "sharded.tilescope", "--progress", "none"}); }
    std::string query(const std::string& sql) {
        return printed({"query", "sharded.tilescope", sql, "--format", "csv"});
    }
};

// The tutorial prints [4. 14.].
TEST_F(Sharding, FourShardsGiveTheTutorialsSums) {
    record();
    const auto report = document({"report", "sharded.tilescope", "--format", "json"});
    EXPECT_EQ(report["result"]["outputs"]["out"], nlohmann::ordered_json::array({4, 14}));
    EXPECT_EQ(report["ipus"].size(), 4U);
}

TEST_F(Sharding, AttachesToMultiIpu24WhileIpu0IsInUse) {
    record();
    EXPECT_TRUE(holds(query("SELECT message FROM log"), "attached to 4 IPUs with Poplar device ID: 24"));
    EXPECT_EQ(query("SELECT group_concat(device_id, ' ') FROM ipu"),
              "\"group_concat(device_id, ' ')\"\n5 7 4 6\n");
}

TEST_F(Sharding, CopiesBetweenIpusCarryTheBytesOfTheCutTensors) {
    record();
    // pa, pb, pc to another shard each, and the three sums to the last: two floats each.
    EXPECT_EQ(query("SELECT count(*) AS n, min(bytes) AS least, max(bytes) AS most FROM exchange WHERE "
                    "kind = 'inter_ipu'"),
              "n,least,most\n6,8,8\n");
}

TEST_F(Sharding, EachIpuHasItsOwnLaneAndMemory) {
    record();
    EXPECT_EQ(query("SELECT count(DISTINCT ipu) AS n FROM trace"), "n\n4\n");
    EXPECT_EQ(query("SELECT count(DISTINCT ipu) AS n FROM variable"), "n\n4\n");
    // What one IPU does, the others wait for or run beside: together each has the whole engine run.
    EXPECT_EQ(
        query("SELECT count(*) AS n FROM execution_ipu i JOIN execution e ON e.id = i.execution_id WHERE "
              "compute + exchange + sync + inter_ipu + host + waiting = e.cycles"),
        "n\n4\n");
}

class ShardedModel : public CommandTest {
  protected:
    /// The Keras CNN for a few steps, `shards` as the workload writes them.
    std::string record(const std::string& name, const std::string& ipus, const std::string& shards) {
        return printed({"profile",    TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json",
                        "--epochs",   "1",
                        "--set",      "data.train.samples=512",
                        "--set",      "data.evaluate.samples=64",
                        "--set",      "compile.steps_per_execution=4",
                        "--set",      "system=pod4",
                        "--set",      "ipu_config.auto_select_ipus=" + ipus,
                        "--set",      "model.shards=" + shards,
                        "-o",         name,
                        "--progress", "none"});
    }
    nlohmann::ordered_json report(const std::string& name) {
        return document({"report", name, "--format", "json"});
    }
};

TEST_F(ShardedModel, GivesTheLossesOfTheModelOnOneIpu) {
    record("one.tilescope", "1", "{}");
    record("two.tilescope", "2", R"({"conv2d_1": 1})");
    EXPECT_EQ(report("one.tilescope")["result"], report("two.tilescope")["result"]);
    // Only the activation that is cut goes over, and its gradient back, and the labels.
    EXPECT_EQ(printed({"query", "two.tilescope",
                       "SELECT count(*) AS n, max(bytes) AS most FROM exchange WHERE kind = 'inter_ipu'",
                       "--format", "csv"}),
              "n,most\n2," + std::to_string(64 * 13 * 13 * 32 * 4) + "\n");
}

TEST_F(ShardedModel, FillsMoreIpusWithReplicas) {
    record("four.tilescope", "4", R"({"conv2d_1": 1})");
    EXPECT_EQ(printed({"query", "four.tilescope", "SELECT replica, shard FROM ipu", "--format", "csv"}),
              "replica,shard\n0,0\n0,1\n1,0\n1,1\n");
}

TEST_F(ShardedModel, LayersAndNumbersThatDoNotFitAreRefused) {
    const Arguments base{"profile", TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json", "--estimate", "-o",
                         "no.tilescope"};
    Arguments unknown = base;
    unknown.insert(unknown.end(), {"--set", R"(model.shards={"conv2d_11": 1})", "--set",
                                   "ipu_config.auto_select_ipus=2", "--set", "system=pod4"});
    expect_failure(run(unknown), 3, {"conv2d_11", "conv2d_1"});
    Arguments few = base;
    few.insert(few.end(), {"--set", R"(model.shards={"conv2d_1": 2})", "--set",
                           "ipu_config.auto_select_ipus=2", "--set", "system=pod4"});
    expect_failure(run(few), 3, {"4 IPUs", "2 are asked for"});
    EXPECT_TRUE(files().empty());
}

TEST_F(Sharding, AShardBeyondTheDeviceIsRefused) {
    expect_failure(run({"profile", sample, "-o", "few.tilescope", "--set", "ipu_config.auto_select_ipus=2"}),
                   3, {"node o3", "shard 2", "2 IPU", "0 to 1"});
    expect_failure(run({"profile", sample, "-o", "odd.tilescope", "--set", "ipu_config.auto_select_ipus=3"}),
                   3, {"3 IPUs", "use 2 or 4"});
    EXPECT_TRUE(files().empty());
}

} // namespace
} // namespace tilescope::tests
