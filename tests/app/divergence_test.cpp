// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

/// Training whose losses are no numbers any more.
class Divergence : public CommandTest {
  protected:
    Outcome train(const Arguments& more) const {
        return run(training_command("run.tilescope", 1, "none", more));
    }
};

TEST_F(Divergence, IsSaidWhereItBeginsAndKeepsTheRunFromEveryBudget) {
    const Outcome outcome = train({"--set", "compile.optimizer.learning_rate=1e30"});
    expect_failure(outcome, 1,
                   {"mnist-tf2: training diverged: loss is not a number from step", "of epoch 1",
                    "compile.optimizer.learning_rate"},
                   {"built-in synthetic digits", "training diverged: loss is not a number from step"});
    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report.at("run").at("status"), "diverged");
    EXPECT_EQ(report.at("timing").at("steps"), 20) << "the run goes on: its cycles hold";
    const auto history = document({"history", "run.tilescope", "--format", "json"}).at("runs").at(0);
    EXPECT_TRUE(history.at("value").is_null()) << history.dump();
    EXPECT_EQ(history.at("absent"), "the run is diverged");
    std::string codes;
    for (const auto& insight : report.at("insights"))
        codes += insight.at("code").get<std::string>() + " ";
    EXPECT_TRUE(holds(codes, "training_diverged")) << codes;
    const std::string log =
        printed({"query", "run.tilescope", "SELECT message FROM log WHERE level = 'warning'"});
    EXPECT_TRUE(holds(log, "training diverged")) << log;
    write("budget.json", R"({"limits": [{"metric": "timing.steps", "max": 100}]})");
    const Outcome checked = run({"check", "run.tilescope", "--budget", "budget.json"});
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_TRUE(holds(checked.out, "run.status is diverged, not complete")) << checked.out;
}

TEST_F(Divergence, IsNotSaidOfTrainingThatHolds) {
    const Outcome outcome = train({});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_FALSE(holds(outcome.err, "diverged")) << outcome.err;
}

// A script prints what it prints, and ends as it ends: its profile says it.
TEST_F(RunScript, TrainingThatDivergesIsSaidOnceAndInItsProfile) {
    write("budget.json", R"({"limits": [{"metric": "timing.steps", "max": 100}]})");
    for (const std::string step : {"keras", "metric", "tensor"}) {
        const Outcome outcome = run({"run", "--overwrite", "-o", "run.tilescope", own("diverging.py"), step});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "[[False, False]]\n");
        const std::string loss = step == "tensor" ? "made_loss" : "loss";
        const std::string told = "training diverged: " + loss + " is not a number from step 2 of epoch 1 on";
        const std::string line = "tilescope: warning: " + told + "\n";
        EXPECT_TRUE(holds(outcome.err, line)) << outcome.err;
        EXPECT_EQ(outcome.err.find("diverged"), outcome.err.rfind("diverged")) << outcome.err;
        const auto report = document({"report", "run.tilescope", "--format", "json"});
        EXPECT_EQ(report.at("run").at("status"), "diverged");
        EXPECT_EQ(report.at("insights").at(0).at("code"), "training_diverged");
        EXPECT_TRUE(holds(report.at("insights").at(0).at("detail").get<std::string>(), told));
        const Outcome checked = run({"check", "run.tilescope", "--budget", "budget.json"});
        EXPECT_EQ(checked.exit_code, 1);
        EXPECT_TRUE(holds(checked.out, "run.status is diverged, not complete")) << checked.out;
    }
    const auto ended = [&](const std::string& how, int code) {
        const Outcome outcome =
            run({"run", "--overwrite", "-o", "run.tilescope", own("diverging.py"), "keras", how});
        EXPECT_EQ(outcome.exit_code, code) << outcome.err;
        EXPECT_EQ(holds(outcome.err, "training diverged"), how == "fails") << outcome.err;
        return document({"report", "run.tilescope", "--format", "json"}).at("run").at("status");
    };
    EXPECT_EQ(ended("holds", 0), "complete");
    EXPECT_EQ(ended("fails", 7), "failed");
}

} // namespace
} // namespace tilescope::tests
