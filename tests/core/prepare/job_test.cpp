// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "prepare/job.h"
#include "profile/recorder.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/temporary_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <set>

namespace tilescope::prepare {
namespace {

using test::registry;

/// A model of the samples over two IPUs of 128 tiles, cut by the tool.
Result<PreparedJob> cut_in_two(const std::string& file, const JobOptions& options,
                               workload::Overrides settings = {}) {
    for (const char* setting : {"system=pod4", "ipu_config.auto_select_ipus=2", "model.shards=2",
                                "ipu_config.ipu_model.tiles_per_ipu=128"})
        settings.emplace_back(setting);
    const auto workload = workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + file, settings);
    if (!workload)
        return Failure(workload.error());
    return prepare_job(*workload, registry(), options, CancelToken());
}

/// Keeps the names of the programs that are compiled.
class Watch : public run::Observer {
  public:
    std::set<std::string> compiled;
    void compiling(const std::string& program, const std::string&, std::size_t, std::size_t) override {
        compiled.insert(program);
    }
};

TEST(Job, ACutThatWasCompiledToBeChosenIsNotCompiledAgain) {
    auto prepared = cut_in_two("keras_mnist.json", {.estimate = true}, {"fit.steps_per_epoch=8"});
    ASSERT_TRUE(prepared) << prepared.error().line();
    run::Job& job = prepared->job;
    ASSERT_TRUE(job.compiled);
    const auto again = compile::compile(*job.train, registry(), run::training_options(job));
    ASSERT_TRUE(again) << again.error().line();
    EXPECT_EQ(job.compiled->program.print(), again->program.print());
    EXPECT_EQ(job.compiled->memory.addresses, again->memory.addresses);

    const tests::TemporaryFolder folder;
    profile::RunRecord record;
    auto recorder = profile::Recorder::create(folder / "cut.tilescope", record);
    ASSERT_TRUE(recorder) << recorder.error().line();
    Watch watch;
    const auto done = run::run_job(std::move(job), registry(), record, **recorder, watch, CancelToken());
    EXPECT_TRUE(done) << done.error().line();
    EXPECT_EQ(watch.compiled, std::set<std::string>{"evaluation"});
    EXPECT_GT(record.compile_s, 0);
    EXPECT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
}

/// What is said of a workload with state in streaming memory; "" where it is taken.
std::string refused(workload::Overrides settings) {
    settings.emplace_back("fit.steps_per_epoch=8");
    settings.insert(settings.begin(), "compile.offload_weight_update_variables=true");
    const auto workload =
        workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/keras_mnist_faster.json", settings);
    if (!workload)
        return workload.error().line();
    const auto prepared = prepare_job(*workload, registry(), {.estimate = true}, CancelToken());
    return prepared ? "" : prepared.error().line();
}

TEST(Job, StateGoesToStreamingMemoryOnlyWhereThereIsSuchMemoryAndAccumulation) {
    const std::string accumulated = "compile.gradient_accumulation_steps_per_replica=4";
    const std::string steps = "compile.steps_per_execution=8";
    EXPECT_EQ(refused({accumulated, steps, "system=pod4"}), "");
    EXPECT_NE(refused({accumulated, steps, "system=server16"}).find("has none"), std::string::npos);
    EXPECT_EQ(refused({accumulated, steps, "system=server16", "device=cpu"}), "") << "it has no effect there";
    EXPECT_NE(refused({steps, "system=pod4"}).find("there is neither"), std::string::npos);
    const std::string sharded = "compile.replicated_optimizer_state_sharding=true";
    EXPECT_EQ(refused({accumulated, steps, "system=pod4", sharded}), "");
    EXPECT_NE(refused({accumulated, steps, sharded, "compile.offload_weight_update_variables=false"})
                  .find("must be offloaded"),
              std::string::npos);
    const std::string shared_weights = "compile.replicated_weight_sharding=true";
    EXPECT_EQ(refused({accumulated, steps, "system=pod4", "compile.offload_weights=true", shared_weights}),
              "");
    EXPECT_NE(refused({accumulated, steps, "system=pod4", shared_weights})
                  .find("replicated_weight_sharding: weights must be offloaded to be sharded over replicas"),
              std::string::npos);
}

/// What is said of groups of so many replicas whose batch norms share their statistics; "" where it is taken.
std::string groups_refused(int size, int replicas, const std::string& device = "ipu") {
    const auto workload = workload::read_workload(
        TILESCOPE_SOURCE_DIR "/samples/keras_mnist_faster.json",
        {"ipu_config.norms.experimental.distributed_batch_norm_replica_group_size=" + std::to_string(size),
         "ipu_config.auto_select_ipus=" + std::to_string(replicas), "system=pod4", "device=" + device,
         "compile.steps_per_execution=8", "fit.steps_per_epoch=8"});
    if (!workload)
        return workload.error().line();
    const auto prepared = prepare_job(*workload, registry(), {.estimate = true}, CancelToken());
    return prepared ? "" : prepared.error().line();
}

TEST(Job, GroupsOfReplicasWithCommonNormStatisticsAreAllOfOneSize) {
    EXPECT_EQ(groups_refused(2, 4), "");
    EXPECT_EQ(groups_refused(4, 4), "");
    EXPECT_NE(groups_refused(3, 4).find("distributed_batch_norm_replica_group_size: 4 replicas cannot be "
                                        "divided into groups of 3"),
              std::string::npos);
    EXPECT_NE(groups_refused(3, 4).find("use a divisor of 4, for example 2"), std::string::npos);
    EXPECT_NE(groups_refused(8, 4).find("for example 4"), std::string::npos);
    EXPECT_NE(groups_refused(2, 1).find("1 replica cannot be divided"), std::string::npos);
    EXPECT_NE(groups_refused(0, 4).find("distributed_batch_norm_replica_group_size"), std::string::npos);
    EXPECT_EQ(groups_refused(2, 1, "cpu"), "") << "it has no effect there";

    const auto small = workload::read_workload(
        TILESCOPE_SOURCE_DIR "/samples/tutorial_basic.json",
        {"ipu_config.norms.experimental.distributed_batch_norm_replica_group_size=2"});
    ASSERT_TRUE(small) << small.error().line();
    const auto prepared = prepare_job(*small, registry(), {}, CancelToken());
    ASSERT_FALSE(prepared) << "a small graph is not replicated";
    EXPECT_NE(prepared.error().line().find("1 replica cannot be divided"), std::string::npos);
}

/// What is said of a workload with settings; "" where it is taken.
std::string said_of(const std::string& sample, const workload::Overrides& overrides) {
    const auto workload =
        workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + sample + ".json", overrides);
    if (!workload)
        return workload.error().line();
    const auto prepared = prepare_job(*workload, registry(), {.estimate = true}, CancelToken());
    return prepared ? "" : prepared.error().line();
}

TEST(Job, IoTilesFollowTheRulesOfIpuTensorFlow) {
    const auto said = [](const std::string& io_tiles, const workload::Overrides& more = {}) {
        workload::Overrides overrides = more;
        overrides.push_back("ipu_config.io_tiles=" + io_tiles);
        return said_of("keras_mnist_faster", overrides);
    };
    const std::string placed = R"({"num_io_tiles": 32, "place_ops_on_io_tiles": true})";
    EXPECT_EQ(said(placed), "");
    EXPECT_EQ(said(R"({"num_io_tiles": 192})"), "");
    EXPECT_NE(said(R"({"num_io_tiles": 193})").find("expects 0 to 192 tiles of each IPU, got 193"),
              std::string::npos);
    EXPECT_NE(said(R"({"num_io_tiles": -1})").find("num_io_tiles"), std::string::npos);
    EXPECT_NE(said(R"({"place_ops_on_io_tiles": true})").find("there are no I/O tiles"), std::string::npos);
    EXPECT_NE(said(R"({"num_io_tiles": 2, "available_memory_proportion": 0})")
                  .find("expects a number above 0 and up to 1"),
              std::string::npos);
    EXPECT_NE(said(placed, {"ipu_config.norms.experimental.distributed_batch_norm_replica_group_size=2",
                            "ipu_config.auto_select_ipus=2", "system=pod4"})
                  .find("is not supported with I/O tiles"),
              std::string::npos);
    EXPECT_NE(said(placed, {"ipu_config.ipu_model.tiles_per_ipu=32"})
                  .find("an IPU of 32 tiles cannot keep 32 of them"),
              std::string::npos);
    EXPECT_EQ(said(placed, {"ipu_config.ipu_model.tiles_per_ipu=34"}), "");
}

// Two stages forward and backward overlap by four micro-batches, and two more are on their way.
TEST(Job, AGroupedPipelineWithIoTilesNeedsTwoMicroBatchesMore) {
    const workload::Overrides placed = {
        R"(ipu_config.io_tiles={"num_io_tiles": 32, "place_ops_on_io_tiles": true})"};
    EXPECT_EQ(said_of("keras_mnist_pipelined", placed), "");
    workload::Overrides four = placed;
    four.push_back("pipeline.gradient_accumulation_steps_per_replica=4");
    EXPECT_NE(said_of("keras_mnist_pipelined", four).find("needs 6 micro-batches or more, and has 4"),
              std::string::npos)
        << said_of("keras_mnist_pipelined", four);
    four.push_back("pipeline.schedule=Sequential");
    EXPECT_EQ(said_of("keras_mnist_pipelined", four), "") << "no tiles are kept";
}

TEST(Job, ThePrefetchDepthIsOneTo255) {
    EXPECT_EQ(said_of("keras_mnist_faster", {"fit.prefetch_depth=1"}), "");
    EXPECT_EQ(said_of("keras_mnist_faster", {"fit.prefetch_depth=255"}), "");
    EXPECT_NE(said_of("keras_mnist_faster", {"fit.prefetch_depth=256"}).find("expects 1 to 255, got 256"),
              std::string::npos);
    EXPECT_NE(said_of("keras_mnist_faster", {"fit.prefetch_depth=0"}), "");
}

/// The tutorial's network with momentum in streaming memory, one replica to an IPU.
compile::Executable with_state_of(int replicas, const std::string& system,
                                  const workload::Overrides& more = {}) {
    workload::Overrides settings = {"compile.offload_weight_update_variables=true",
                                    "compile.gradient_accumulation_steps_per_replica=2",
                                    R"(compile.optimizer={"name": "sgd", "momentum": 0.9})",
                                    "fit.steps_per_epoch=32",
                                    "compile.steps_per_execution=32",
                                    "ipu_config.auto_select_ipus=" + std::to_string(replicas),
                                    "system=" + system};
    settings.insert(settings.end(), more.begin(), more.end());
    const auto workload =
        workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/keras_mnist_faster.json", settings);
    EXPECT_TRUE(workload) << workload.error().line();
    auto prepared = prepare_job(*workload, registry(), {.estimate = true}, CancelToken());
    EXPECT_TRUE(prepared) << prepared.error().line();
    auto executable =
        compile::compile(std::move(*prepared->job.train), registry(), run::training_options(prepared->job));
    EXPECT_TRUE(executable) << executable.error().line();
    return std::move(*executable);
}

// The network has 34,826 weights; the ten of its last bias, 40 bytes, have their state on the tiles. So a
// replica has 34,816 floats in streaming memory.
TEST(Job, TheReplicasOnAnIpuMachineMustFitItsStreamingMemory) {
    constexpr std::int64_t state = 34'816 * 4;
    const auto two = with_state_of(2, R"({"name": "pod4", "streaming_bytes": 278528})");
    EXPECT_EQ(two.fullest_machine().bytes, 2 * state);
    EXPECT_EQ(two.fullest_machine().ipus, 2);
    EXPECT_TRUE(two.fits());
    const auto eight = with_state_of(8, "pod16");
    EXPECT_EQ(eight.fullest_machine().bytes, 4 * state) << "on two machines";
    EXPECT_TRUE(eight.fits());

    const auto short_of = with_state_of(2, R"({"name": "pod4", "streaming_bytes": 278527})");
    EXPECT_TRUE(short_of.fits_tiles());
    EXPECT_FALSE(short_of.fits());
    const Error error = compile::out_of_memory(short_of);
    EXPECT_EQ(error.kind, ErrorKind::OutOfMemory);
    EXPECT_NE(error.line().find("the 2 IPUs of the run on IPU-Machine 0 takes 278,528 of its 278,527 bytes"),
              std::string::npos)
        << error.line();
    EXPECT_NE(error.remedy.find("replicated_optimizer_state_sharding"), std::string::npos);
}

TEST(Job, StreamingMemoryIsSetOnlyForASystemThatHasIt) {
    const std::string place = R"(system={"name": "server16", "streaming_bytes": 1000})";
    EXPECT_NE(
        refused({"compile.gradient_accumulation_steps_per_replica=4", "compile.steps_per_execution=8", place})
            .find("system \"server16\" has no streaming memory"),
        std::string::npos);
    EXPECT_NE(refused({R"(system={"streaming_bytes": 0})"}).find("expects a whole number of at least 1"),
              std::string::npos);
}

TEST(Job, NamedCheckpointsAreThoseOfARecomputationPieceByPiece) {
    const auto said = [](const std::string& sample, const workload::Overrides& settings) {
        const auto workload =
            workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + sample + ".json", settings);
        if (!workload)
            return workload.error().line();
        auto prepared = prepare_job(*workload, registry(), {.estimate = true}, CancelToken());
        if (!prepared)
            return prepared.error().line();
        compile::Options options = run::training_options(prepared->job);
        options.host_only = true;
        const auto executable = compile::compile(std::move(*prepared->job.train), registry(), options);
        return executable ? std::string() : executable.error().line();
    };
    const std::string named = R"(model.recomputation_checkpoints=["max_pooling2d", "max_pooling2d_1"])";
    const std::string again = "ipu_config.allow_recompute=true";
    EXPECT_EQ(said("keras_mnist", {named, again}), "");
    EXPECT_EQ(said("keras_mnist_pipelined",
                   {named, again, "pipeline.recomputation_mode=RecomputeAndBackpropagateInterleaved"}),
              "");
    EXPECT_NE(said("keras_mnist", {named}).find("set ipu_config.allow_recompute"), std::string::npos);
    EXPECT_NE(said("keras_mnist_pipelined", {named, again}).find("pipeline.recomputation_mode"),
              std::string::npos);
    EXPECT_NE(said("keras_mnist", {R"(model.recomputation_checkpoints=["max_pooling"])", again})
                  .find("max_pooling2d"),
              std::string::npos);
    EXPECT_NE(
        said("keras_mnist", {"model.recomputation_checkpoints=[]", again}).find("expects a list of layers"),
        std::string::npos);
}

TEST(Job, RulesForProductsNameStagesAndLayersOfTheModel) {
    const auto said = [](const std::string& rule) {
        const auto workload =
            workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/keras_mnist_pipelined.json",
                                    {"ipu_config.products=[" + rule + "]"});
        const auto prepared = prepare_job(*workload, registry(), {.estimate = true}, CancelToken());
        return prepared ? std::string() : prepared.error().line();
    };
    EXPECT_EQ(said(R"({"stages": [1], "layers": "conv*", "partials_type": "float16"})"), "");
    const std::string stage = said(R"({"stages": [2], "partials_type": "float16"})");
    EXPECT_NE(stage.find("ipu_config.products[0].stages: there is no stage or shard 2; use 0 to 1"),
              std::string::npos)
        << stage;
    const std::string layer = said(R"({"layers": "conv3d*", "partials_type": "float16"})");
    EXPECT_NE(layer.find("ipu_config.products[0].layers: there is no layer \"conv3d*\""), std::string::npos)
        << layer;
}

TEST(Job, AModelThatIsOnlyEvaluatedIsCutForItsEvaluation) {
    const auto prepared = cut_in_two("models/mnist_cnn.json", {.estimate = true}, {"fit.batch_size=4"});
    ASSERT_TRUE(prepared) << prepared.error().line();
    const run::Job& job = prepared->job;
    ASSERT_TRUE(job.compiled);
    const auto again = compile::compile(*job.evaluate, registry(), run::evaluation_options(job));
    ASSERT_TRUE(again) << again.error().line();
    EXPECT_EQ(job.compiled->program.print(), again->program.print());
}

// Batches of 64 leave a remainder of 100 samples, so that an evaluation alone takes 2 of 50; a training has
// its own, whatever is evaluated beside it.
TEST(Job, SamplesOfAStepAreThoseOfWhatTheFiguresAreOf) {
    const auto samples = [](workload::Overrides settings) -> std::optional<std::int64_t> {
        settings.insert(settings.end(), {"data.evaluate.samples=100", "fit.batch_size=64"});
        const auto workload =
            workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/keras_mnist.json", settings);
        EXPECT_TRUE(workload) << workload.error().line();
        const auto prepared = prepare_job(*workload, registry(), {.estimate = true}, CancelToken());
        EXPECT_TRUE(prepared) << prepared.error().line();
        return prepared ? prepared->batch_size : std::nullopt;
    };
    EXPECT_EQ(samples({}), 64);
    EXPECT_EQ(samples({"data.train=null"}), 50);
}

/// The files of a folder, with what they hold.
std::map<std::string, std::string> texts_in(const std::filesystem::path& folder) {
    std::map<std::string, std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path());
        texts[entry.path().filename().string()] =
            std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
}

// Of batches for which the first cut does not fit.
TEST(Job, ThePassesOfTheCutThatIsTakenAreDumpedAsItIsCompiled) {
    const tests::TemporaryFolder folder;
    std::set<std::string> compiled;
    const std::string dumps = folder / "dumps";
    const auto told = [&](const std::string& what, auto&&...) { compiled.insert(what); };
    auto prepared =
        cut_in_two("keras_mnist.json", {.estimate = true, .dump_directory = dumps, .compiling = told},
                   {"fit.steps_per_epoch=8", "fit.batch_size=256"});
    ASSERT_TRUE(prepared) << prepared.error().line();
    run::Job& job = prepared->job;
    ASSERT_TRUE(job.compiled);
    EXPECT_TRUE(compiled.contains("cut 2")) << "or this is no test of several";

    job.dump_directory = folder / "again";
    const auto again = compile::compile(*job.train, registry(), run::training_options(job));
    ASSERT_TRUE(again) << again.error().line();
    const auto taken = texts_in(dumps);
    EXPECT_GT(taken.size(), 10U);
    EXPECT_EQ(taken, texts_in(job.dump_directory));
}

} // namespace
} // namespace tilescope::prepare
