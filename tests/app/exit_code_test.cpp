// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/stand_in.h"

#include <csignal>

namespace tilescope::tests {
namespace {

/// Every exit code that commands.md lists, by what leads to it.
class ExitCodes : public CommandTest {
  protected:
    Outcome profile(const Arguments& more) const {
        Arguments arguments{"profile",    sample("mnist_tf2"),
                            "-o",         "run.tilescope",
                            "--progress", "none",
                            "--set",      "fit.steps_per_epoch=20",
                            "--set",      "compile.steps_per_execution=20",
                            "--epochs",   "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
};

TEST_F(ExitCodes, ZeroIsDone) {
    EXPECT_EQ(run({"--version"}).exit_code, 0);
    EXPECT_EQ(profile({"--estimate"}).exit_code, 0);
    EXPECT_EQ(run({"report", "run.tilescope"}).exit_code, 0);
}

TEST_F(ExitCodes, OneIsALimitOrAnExpectationThatIsNotMet) {
    EXPECT_EQ(profile({"--estimate"}).exit_code, 0);
    write("budget.json", R"({"limits": [{"metric": "timing.step_us", "max": 0}]})");
    EXPECT_EQ(run({"check", "run.tilescope", "--budget", "budget.json"}).exit_code, 1);
    EXPECT_EQ(run({"compare", "run.tilescope", record_tutorial(), "--fail-on", "any"}).exit_code, 1);
    const std::string models = TILESCOPE_SOURCE_DIR "/samples/models/";
    EXPECT_EQ(run({"infer", models + "cnn.onnx", "--inputs", models + "cnn_data", "--expect",
                   models + "cnn_data", "--rtol", "0", "--atol", "0"})
                  .exit_code,
              1);
    EXPECT_EQ(profile({"--set", "compile.optimizer.learning_rate=1e30"}).exit_code, 1) << "training diverged";
}

TEST_F(ExitCodes, TwoIsWrongUsage) {
    expect_failure(run({"reprot"}), 2, {"report"});
    expect_failure(run({"report"}), 2, {"FILE"});
}

TEST_F(ExitCodes, ThreeIsBadInput) {
    expect_failure(run({"report", "none.tilescope"}), 3, {"none.tilescope"});
    expect_failure(run({"profile", write("bad.json", "{"), "-o", "run.tilescope"}), 3, {"bad.json"});
}

TEST_F(ExitCodes, FourIsOutOfMemory) {
    EXPECT_EQ(profile({"--estimate", "--no-remedies", "--set", "ipu_config.ipu_model.tiles_per_ipu=1",
                       "--set", "ipu_config.ipu_model.bytes_per_tile=65536"})
                  .exit_code,
              4);
    EXPECT_EQ(document({"report", "run.tilescope", "--format", "json"}).at("run").at("status"),
              "out_of_memory");
    // Compared, it is no result to go by, whatever else is asked.
    const std::string complete = record_tutorial();
    for (const auto& [base, now] : {std::pair{complete, std::string("run.tilescope")},
                                    std::pair{std::string("run.tilescope"), complete}}) {
        const Outcome compared = run({"compare", base, now});
        EXPECT_EQ(compared.exit_code, 1);
        EXPECT_TRUE(holds(compared.out, "Figures")) << compared.out;
        EXPECT_TRUE(holds(compared.err, "run.tilescope: run is out of memory")) << compared.err;
    }
}

TEST_F(ExitCodes, FiveIsAnythingElse) {
    Program program({"profile", sample("mnist_tf2"), "-o", "run.tilescope", "--progress", "plain", "--epochs",
                     "1000000", "--set", "fit.steps_per_epoch=20", "--set", "compile.steps_per_execution=20"},
                    {folder.path().string(), {}, {}, {}});
    ASSERT_TRUE(program.says("Epoch 2/")) << program.wait().err;
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit_code, 5) << "cancelled";
    const Surroundings full{folder.path().string(), {}, "/dev/full", {}};
    EXPECT_EQ(tilescope({"report", "run.tilescope"}, full).exit_code, 5) << "a full disk";
}

} // namespace
} // namespace tilescope::tests
