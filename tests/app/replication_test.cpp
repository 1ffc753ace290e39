// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

class Replication : public CommandTest {
  protected:
    void record(const std::string& name, const std::string& sample, const Arguments& more = {}) {
        Arguments arguments{"profile",    TILESCOPE_SOURCE_DIR "/samples/" + sample + ".json",
                            "--estimate", "--epochs",
                            "1",          "-o",
                            name,         "--progress",
                            "none"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        printed(arguments);
    }
    double step_us(const std::string& name) {
        return document({"report", name, "--format", "json"})["timing"]["step_us"].get<double>();
    }
};

// Published: 134.5 us a batch on two IPUs beside 223 us on one, 1.66 times as fast.
TEST_F(Replication, TwoReplicasAreNearlyTwiceAsFast) {
    record("one.tilescope", "keras_mnist_faster");
    record("two.tilescope", "keras_mnist_replicated");
    const double faster = step_us("one.tilescope") / step_us("two.tilescope");
    EXPECT_GE(faster, 1.4);
    EXPECT_LE(faster, 1.95);
}

TEST_F(Replication, EachReplicaHasItsIpuWithTheSameMemoryAndItsAllReduces) {
    record("two.tilescope", "keras_mnist_replicated");
    const auto query = [&](const std::string& sql) {
        return printed({"query", "two.tilescope", sql, "--format", "csv"});
    };
    EXPECT_EQ(query("SELECT id, replica FROM ipu"), "id,replica\n0,0\n1,1\n");
    EXPECT_EQ(
        query(
            "SELECT count(*) AS n FROM (SELECT ipu, sum(bytes) AS b FROM variable GROUP BY ipu) GROUP BY b"),
        "n\n2\n");
    const auto timing = document({"report", "two.tilescope", "--format", "json"})["timing"];
    EXPECT_DOUBLE_EQ(timing["samples_per_s_per_ipu"].get<double>() * 2,
                     timing["samples_per_s"].get<double>());
    EXPECT_TRUE(holds(printed({"report", "two.tilescope"}), "\n  of an IPU "));
    // One for each of the six weights and biases.
    EXPECT_EQ(query("SELECT count(*) AS n FROM operation WHERE kind = 'all_reduce'"), "n\n6\n");
}

TEST_F(Replication, AccumulatedGradientsUpdateTheWeightsOnce) {
    record("eight.tilescope", "keras_mnist_replicated",
           {"--set", "compile.gradient_accumulation_steps_per_replica=4"});
    const auto query = [&](const std::string& sql) {
        return printed({"query", "eight.tilescope", sql, "--format", "csv"});
    };
    // 936 batches in an engine run, four for each update of each of two replicas.
    EXPECT_EQ(query("SELECT name, repeats FROM program WHERE kind = 'repeat'"),
              "name,repeats\nsteps,117\nmicro-batches,4\n");
    EXPECT_EQ(query("SELECT count(*) AS n FROM operation WHERE kind = 'accumulate'"), "n\n6\n");
    // An accumulator lives through the whole step, on each replica.
    EXPECT_EQ(query("SELECT count(*) AS n FROM variable WHERE name LIKE '%/accumulator' AND always_live = 1"),
              "n\n12\n");
    expect_failure(run({"profile", TILESCOPE_SOURCE_DIR "/samples/keras_mnist_replicated.json", "--estimate",
                        "--set", "compile.gradient_accumulation_steps_per_replica=5", "-o", "odd.tilescope"}),
                   3, {"936", "2 replicas", "5 accumulated batches", "930"});
}

TEST_F(Replication, StepsThatTheReplicasCannotShareAreRefused) {
    expect_failure(run({"profile", TILESCOPE_SOURCE_DIR "/samples/keras_mnist_replicated.json", "--estimate",
                        "--set", "compile.steps_per_execution=117", "-o", "odd.tilescope"}),
                   3, {"steps_per_execution", "117", "2 replicas", "116"});
    EXPECT_TRUE(files().empty());
}

} // namespace
} // namespace tilescope::tests
