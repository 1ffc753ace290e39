// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "build_paths.h"
#include "tests/app/command_fixture.h"

#include <cmath>

namespace tilescope::tests {
namespace {

class OutOfMemory : public CommandTest {
  protected:
    const std::string workload = TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json";
    const std::string small = "ipu_config.ipu_model.bytes_per_tile=61000";
};

TEST_F(OutOfMemory, EndsWithItsOwnCodeAndAProfileThatHoldsEveryTile) {
    const Outcome outcome =
        run({"profile", workload, "--estimate", "--set", small, "-o", "oom.tilescope", "--progress", "none"});
    EXPECT_EQ(outcome.exit_code, 4);
    for (const char* part : {"61,000", "its largest are", " at step ", "conv2d"})
        EXPECT_TRUE(holds(outcome.err, part)) << outcome.err;
    const auto report = document({"report", "oom.tilescope", "--format", "json"});
    EXPECT_EQ(report["run"]["status"], "out_of_memory");
    EXPECT_GT(report["memory"]["total_bytes"].get<std::int64_t>(), 0);
    EXPECT_FALSE(report["layers"].empty());
    EXPECT_NE(printed({"query", "oom.tilescope", "SELECT count(*) AS tiles FROM oversize_tile"}),
              "tiles\n0\n");
    // What was tried came after the program that does not fit, and the end of the run after that.
    const auto log =
        document({"query", "oom.tilescope", "SELECT time_ms, level, message FROM log", "--format", "json"});
    ASSERT_GE(log.size(), 3U);
    const auto& tried = log[log.size() - 2];
    EXPECT_TRUE(holds(tried["message"], "available_memory_proportion=0.3")) << tried;
    const std::int64_t compiled_ms =
        std::llround(report["timing"]["compile_s"].get<double>() * 1000); // of the first program
    EXPECT_GE(tried["time_ms"], compiled_ms);
    EXPECT_EQ(log.back()["message"], "run of keras-mnist ended: out of memory");
    EXPECT_EQ(log.back()["level"], "error");
    EXPECT_GE(log.back()["time_ms"], tried["time_ms"]);
}

TEST_F(OutOfMemory, TriesRecomputationBatchesPlansAndShardsAndWhatItSaysHelpsHelps) {
    const Outcome outcome =
        run({"profile", workload, "--estimate", "--set", small, "-o", "oom.tilescope", "--progress", "none"});
    for (const char* part : {"allow_recompute=true (", "fit.batch_size=32 (",
                             "available_memory_proportion=0.3 (", "model.shards=2 on 2 IPUs ("})
        EXPECT_TRUE(holds(outcome.err, part)) << outcome.err;
    // What it says of two shards is so.
    const bool fits = outcome.err.find("model.shards=2") < outcome.err.find("still too much");
    EXPECT_EQ(run({"profile", workload, "--estimate", "--set", small, "--set", "model.shards=2", "--set",
                   "ipu_config.auto_select_ipus=2", "--set", "system=pod4", "--set", "fit.steps_per_epoch=1",
                   "-o", "two.tilescope", "--progress", "none"})
                  .exit_code,
              fits ? 0 : 4);
    // Bytes and time of the first that fits are those of a run with it.
    const std::string promise = "fits with ipu_config.available_memory_proportion=0.3 (";
    const auto at = outcome.err.find(promise);
    ASSERT_NE(at, std::string::npos) << outcome.err;
    printed({"profile", workload, "--estimate", "--set", small, "--set",
             "ipu_config.available_memory_proportion=0.3", "--set", "fit.steps_per_epoch=1", "-o",
             "fits.tilescope", "--progress", "none"});
    const auto report = document({"report", "fits.tilescope", "--format", "json"});
    const std::string said = outcome.err.substr(at + promise.size(), 60);
    const auto bytes = report["memory"]["max_tile_bytes_with_gaps"].get<std::int64_t>();
    const double seconds = report["timing"]["step_us"].get<double>() * 1e-6;
    EXPECT_EQ(said.rfind(count_text(bytes) + " bytes, " + time_text(seconds) + "/step)", 0), 0U) << said;
}

TEST_F(OutOfMemory, TellsWhyBeforeItTriesAndTriesNoMoreThanItIsTo) {
    const Outcome one =
        run({"profile", workload, "--estimate", "--set", small, "-o", "oom.tilescope", "--remedies", "1"});
    const auto why = one.err.find("note: keras-mnist: out of memory");
    const auto trial = one.err.find("Compiling ipu_config.available_memory_proportion=0.3");
    EXPECT_LT(why, trial) << one.err;
    EXPECT_NE(trial, std::string::npos) << one.err;
    EXPECT_FALSE(holds(one.err, "allow_recompute")) << one.err;
    EXPECT_TRUE(holds(one.err, " fits\n")) << one.err;

    expect_failure(run({"profile", workload, "--estimate", "--set", small, "-o", "oom.tilescope",
                        "--no-remedies", "--progress", "none"}),
                   4, {"out of memory", "the profile holds every tile"});
}

TEST_F(OutOfMemory, StreamingMemoryThatIsShortEndsWithTheSameCodeAndWhatHelps) {
    const auto outcome_with = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"profile", workload, "--estimate", "--progress", "none"};
        for (const char* setting :
             {R"(system={"name": "pod4", "streaming_bytes": 200000})", "ipu_config.auto_select_ipus=2",
              "compile.offload_weight_update_variables=true", "compile.steps_per_execution=4",
              "compile.gradient_accumulation_steps_per_replica=2", "fit.steps_per_epoch=4",
              R"(compile.optimizer={"name": "sgd", "momentum": 0.9})"})
            arguments.insert(arguments.end(), {"--set", setting});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    };
    expect_failure(outcome_with({"-o", "short.tilescope"}), 4,
                   {"278,528 of its 200,000 bytes",
                    "fits with compile.replicated_optimizer_state_sharding=true (",
                    "compile.offload_weight_update_variables=false ("});
    const auto report = document({"report", "short.tilescope", "--format", "json"});
    EXPECT_EQ(report["run"]["status"], "out_of_memory");
    EXPECT_EQ(report["memory"]["streaming_bytes"], 278528);
    EXPECT_EQ(report["target"]["streaming_bytes"], 200000);
    EXPECT_EQ(report["insights"][0]["code"], "out_of_memory");
    EXPECT_EQ(
        outcome_with({"-o", "shared.tilescope", "--set", "compile.replicated_optimizer_state_sharding=true"})
            .exit_code,
        0);
}

// With room for every cut, the one that balances cycles is taken; it does not fit into 80,000 bytes a tile.
TEST_F(OutOfMemory, AModelThatTheToolCutsIsCutWhereItFits) {
    const auto pipeline = [&](const std::string& name, const std::string& stages) {
        const std::string bytes = name == "roomy" ? "638976" : "80000";
        const std::string source = TILESCOPE_SOURCE_DIR "/samples/keras_mnist_pipelined.json";
        return run({"profile", source, "--estimate", "--epochs", "1", "-o", name + ".tilescope",
                    "--no-remedies", "--set", "ipu_config.auto_select_ipus=4", "--set",
                    "pipeline.stages=" + stages, "--set", "ipu_config.ipu_model.bytes_per_tile=" + bytes});
    };
    const Outcome roomy = pipeline("roomy", "4");
    ASSERT_EQ(roomy.exit_code, 0) << roomy.err;
    ASSERT_TRUE(holds(roomy.err, "before flatten, dropout, dense\n")) << roomy.err;
    EXPECT_EQ(pipeline("by_hand", R"({"flatten": 1, "dropout": 2, "dense": 3})").exit_code, 4);
    const Outcome narrow = pipeline("narrow", "4");
    EXPECT_EQ(narrow.exit_code, 0) << narrow.err;
    EXPECT_TRUE(holds(narrow.err, "Compiling cut 2\n")) << narrow.err;
}

} // namespace
} // namespace tilescope::tests
