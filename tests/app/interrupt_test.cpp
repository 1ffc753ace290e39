// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <csignal>

namespace tilescope::tests {
namespace {

/// Runs that would take hours, ended from outside.
class Interrupted : public CommandTest {
  protected:
    static Arguments endless() { return training_command("run.tilescope", 1'000'000, "plain"); }
    Surroundings here() const { return {folder.path().string(), {}, {}, {}}; }
    nlohmann::ordered_json ask(const std::string& sql) const {
        return document({"query", "run.tilescope", sql, "--format", "json"});
    }
};

class EndedBy : public Interrupted, public testing::WithParamInterface<int> {};

TEST_P(EndedBy, ARunIsCancelledAndItsFileHoldsWhatWasRecorded) {
    Program program(endless(), here());
    ASSERT_TRUE(program.says("Epoch 3/")) << program.wait().err;
    program.signal(GetParam());
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(holds(outcome.err, "tilescope: run.tilescope: cancelled; ")) << outcome.err;
    EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"}) << "one plain file, no log beside it";

    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("status"), "cancelled");
    // Two epochs had ended: 4 executions of 5 steps in each.
    EXPECT_GE(report.at("result").at("epochs").size(), 2U);
    const std::int64_t executions = report.at("timing").at("executions");
    EXPECT_GE(executions, 8);
    EXPECT_EQ(report.at("timing").at("steps").get<std::int64_t>(), 5 * executions);
    const auto losses = ask("SELECT count(*) AS n FROM metric WHERE name = 'loss'");
    EXPECT_EQ(losses.at(0).at("n"), executions) << "a loss for each execution";
    EXPECT_EQ(ask("PRAGMA integrity_check").at(0).at("integrity_check"), "ok");
    EXPECT_EQ(ask("SELECT message FROM log ORDER BY id DESC LIMIT 1").at(0).at("message"),
              "run of mnist-tf2 ended: cancelled");
}

INSTANTIATE_TEST_SUITE_P(CtrlCOrAServiceManager, EndedBy, testing::Values(SIGINT, SIGTERM),
                         [](const auto& named) { return named.param == SIGINT ? "Sigint" : "Sigterm"; });

TEST_F(Interrupted, AKilledRunLeavesAFileThatCanBeRead) {
    Program program(endless(), here());
    ASSERT_TRUE(program.says("Epoch 3/")) << program.wait().err;
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait().exit_code, 128 + SIGKILL);
    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("workload"), "mnist-tf2");
    EXPECT_EQ(ask("PRAGMA integrity_check").at(0).at("integrity_check"), "ok");
}

TEST_F(Interrupted, ARunIsFollowedUntilItIsCancelled) {
    Program run(endless(), here());
    ASSERT_TRUE(run.says("Epoch 2/")) << run.wait().err;
    Program monitor({"monitor", "run.tilescope", "--follow"}, here());
    ASSERT_TRUE(monitor.says("running: train, epoch ")) << monitor.wait().err;
    EXPECT_TRUE(holds(printed({"monitor", "run.tilescope"}), "running: train, epoch "));
    const std::string here_now = std::filesystem::canonical(folder.path()) / "run.tilescope";
    EXPECT_TRUE(holds(printed({"monitor"}), here_now + "\nmnist-tf2  running: train, epoch "))
        << "without its name";
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().exit_code, 5);
    const Outcome followed = monitor.wait();
    EXPECT_EQ(followed.exit_code, 0) << followed.err;
    EXPECT_TRUE(holds(followed.out, "running: train, epoch ")) << followed.out;
    EXPECT_TRUE(holds(followed.out, "\ncancelled: train, epoch ")) << followed.out;
    EXPECT_FALSE(holds(printed({"monitor"}), here_now)) << "it has ended";
}

} // namespace
} // namespace tilescope::tests
