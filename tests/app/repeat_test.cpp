// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

class Repeated : public CommandTest {
  protected:
    /// Loss and accuracy of every execution and epoch, digit by digit.
    std::string figures(const std::string& file) const {
        return printed({"query", file, "SELECT * FROM metric", "--format", "csv"}) +
               printed({"query", file, "SELECT * FROM epoch_metric", "--format", "csv"});
    }
};

TEST_F(Repeated, TheSameSeedGivesIdenticalLosses) {
    const std::string first = figures(record_training("first", {"--seed", "7"}));
    const std::string second = figures(record_training("second", {"--seed", "7"}));
    const std::string other = figures(record_training("other", {"--seed", "8"}));
    EXPECT_TRUE(holds(first, "loss")) << first;
    EXPECT_EQ(first, second);
    EXPECT_NE(first, other);
}

TEST_F(Repeated, ReplacingAProfileLeavesOnlyTheNewOne) {
    record_training("run", {"--seed", "7"});
    const std::string file = record_tutorial("run");
    EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
    const auto report = document({"report", file, "--format", "json"});
    EXPECT_EQ(report.at("run").at("workload"), "tutorial-basic");
    EXPECT_TRUE(report.at("result").at("epochs").empty());
}

// Cycles do not depend on values: an estimate has those of the run, without computing one.
TEST_F(Repeated, AnEstimateHasTheCyclesAndMemoryOfTheRun) {
    const auto run = document({"report", record_training("run"), "--format", "json"});
    const auto estimate =
        document({"report", record_training("estimate", {"--estimate"}), "--format", "json"});
    EXPECT_EQ(estimate.at("run").at("estimate"), true);
    EXPECT_EQ(run.at("run").at("estimate"), false);
    EXPECT_TRUE(estimate.at("result").at("epochs").empty()) << "nothing is computed";
    EXPECT_EQ(estimate.at("timing").at("steps"), run.at("timing").at("steps"));
    EXPECT_EQ(estimate.at("timing").at("cycles_total"), run.at("timing").at("cycles_total"));
    EXPECT_EQ(estimate.at("timing").at("by_phase"), run.at("timing").at("by_phase"));
    EXPECT_EQ(estimate.at("memory"), run.at("memory"));
}

TEST_F(Repeated, EveryStepOfEveryEngineRunIsTraced) {
    // 8 executions of 5 steps train.
    const auto run = record_training("traced", {});
    const auto traced =
        document({"query", run,
                  "SELECT count(DISTINCT t.execution_id * 1000 + t.step) AS n FROM trace t JOIN "
                  "execution e ON e.id = t.execution_id WHERE e.kind = 'train'",
                  "--format", "json"});
    EXPECT_EQ(traced.at(0).at("n"), 40);
}

TEST_F(Repeated, ABareModelIsRunWithDefaults) {
    const std::string model = TILESCOPE_SOURCE_DIR "/samples/models/mlp_128.json";
    printed({"profile", model, "--batch", "16", "-o", "bare.tilescope", "--progress", "none"});
    const auto report = document({"report", "bare.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("workload"), "mlp_128");
    EXPECT_EQ(report.at("timing").at("steps"), 1);
    // Throughput is batch over step time.
    const double step_us = report.at("timing").at("step_us");
    EXPECT_NEAR(report.at("timing").at("samples_per_s").get<double>(), 16e6 / step_us, 1e-6 * 16e6 / step_us);
}

} // namespace
} // namespace tilescope::tests
