// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

namespace tilescope::tests {
namespace {

class OutOfMemory : public CommandTest {
  protected:
    const std::string workload = TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json";
    const std::string small = "ipu_config.ipu_model.bytes_per_tile=60000";
};

TEST_F(OutOfMemory, EndsWithItsOwnCodeAndAProfileThatHoldsEveryTile) {
    const Outcome outcome =
        run({"profile", workload, "--estimate", "--set", small, "-o", "oom.tilescope", "--progress", "none"});
    EXPECT_EQ(outcome.exit_code, 4);
    for (const char* part : {"60,000", "its largest are", " at step ", "conv2d"})
        EXPECT_TRUE(holds(outcome.err, part)) << outcome.err;
    const auto report = document({"report", "oom.tilescope", "--format", "json"});
    EXPECT_EQ(report["run"]["status"], "out_of_memory");
    EXPECT_GT(report["memory"]["total_bytes"].get<std::int64_t>(), 0);
    EXPECT_FALSE(report["layers"].empty());
    EXPECT_NE(printed({"query", "oom.tilescope", "SELECT count(*) AS tiles FROM oversize_tile"}),
              "tiles\n0\n");
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
    const std::string promise = "fits with ";
    const auto at = outcome.err.find(promise);
    ASSERT_NE(at, std::string::npos) << outcome.err;
    const std::string change = outcome.err.substr(
        at + promise.size(), outcome.err.find(' ', at + promise.size()) - at - promise.size());
    EXPECT_EQ(change, "ipu_config.allow_recompute=true"); // the first that is tried
    EXPECT_EQ(run({"profile", workload, "--estimate", "--set", small, "--set", change, "--set",
                   "fit.steps_per_epoch=1", "-o", "fits.tilescope", "--progress", "none"})
                  .exit_code,
              0);
}

} // namespace
} // namespace tilescope::tests
