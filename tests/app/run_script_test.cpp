// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts for IPU TensorFlow under `tilescope run`.
#include "tests/app/run_script.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;

TEST_F(RunScript, GraphsOfTensorFlow1GiveTheirSums) {
    // By hand: a + b c; a + b + 2 c and a + b - c; a + 5 x 1.5; weight + a, twice.
    EXPECT_EQ(output_of(own("sums.py")),
              "[16. 26.]\n"
              "[array([14., 18.], dtype=float32), array([-1.,  0.], dtype=float32)]\n"
              "[array([8.5, 9.5], dtype=float32)]\n"
              "[[array([3., 6.], dtype=float32)], array([3., 6.], dtype=float32)]\n");
    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report["run"]["status"], "complete");
    EXPECT_EQ(report["run"]["workload"], "sums");
    EXPECT_EQ(printed({"query", "run.tilescope", "SELECT count(*) FROM log WHERE message LIKE 'program %'",
                       "--format", "csv"}),
              "count(*)\n4\n")
        << "one for each program, whose second run is the same one's";
    EXPECT_EQ(report["target"]["ipus"], 4);
    EXPECT_EQ(printed({"query", "run.tilescope", "SELECT count(*) FROM execution", "--format", "csv"}),
              "count(*)\n5\n");
}

TEST_F(RunScript, TheTutorialsPrintWhatTheyAlwaysPrinted) {
    if (!fs::exists(tutorial("tutorial_basic.py")))
        GTEST_SKIP() << "the tutorials' scripts are not beside the checkout";
    EXPECT_EQ(output_of(tutorial("tutorial_basic.py")), "[3. 8.]\n");
    EXPECT_EQ(output_of(tutorial("tutorial_xla_compile.py")), "[array([3., 8.], dtype=float32)]\n");
    EXPECT_EQ(output_of(tutorial("tutorial_sharding.py")), "[array([ 4., 14.], dtype=float32)]\n");
    EXPECT_EQ(document({"report", "run.tilescope", "--format", "json"})["target"]["ipus"], 4);
}

// The momentum of the first kernel, 8 x 16 floats, and of the second, 16 x 4, are of 128 bytes and more.
TEST_F(RunScript, StateAndWeightsLiveInStreamingMemoryWhereAScriptSaysSo) {
    EXPECT_EQ(output_of(own("streaming_memory.py")),
              "True True\nTrue\nTrue\nTrue\n"
              "Requested replicated weight sharding without offloading. This is currently not supported.\n"
              "To use replicated_optimizer_state_sharding, optimizer state must be offloaded by using "
              "offload_weight_update_variables.\n");
    EXPECT_EQ(
        printed({"query", "run.tilescope",
                 "SELECT count(*), sum(streaming_bytes) FROM variable WHERE streaming_bytes > 0 AND ipu = 0",
                 "--format", "csv"}),
        "count(*),sum(streaming_bytes)\n2,768\n");
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT count(*) FROM program WHERE kind IN ('load', 'store')", "--format", "csv"}),
              "count(*)\n4\n");
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT count(*) FROM exchange WHERE ring_phase = 'all_gather'", "--format", "csv"}),
              "count(*)\n1\n")
        << "the gradients of both kernels and biases go together";
}

TEST_F(RunScript, BatchNormsHaveTheStatisticsOfAGroupOfReplicasWhereAScriptSaysSo) {
    const std::string indivisible = "2 replicas cannot be divided into groups of 3 whose batch norms share "
                                    "their statistics; use a divisor of 2, for example 2\n";
    EXPECT_EQ(
        output_of(own("norm_groups.py")),
        "in groups: True\nin Python: True\nby themselves: False\n" + indivisible + indivisible +
            "1 replica cannot be divided into groups of 2 whose batch norms share their statistics; remove "
            "it, or use more IPUs\n"
            "set it where a Keras model's fit trains, or leave it at 1" +
            asks);
}

// Of 1 the next lower float16 is 2^-11 away: an update of 2^-13 is lost, or counts in one case of four.
TEST_F(RunScript, ConfiguredStochasticRoundingLetsSmallUpdatesCount) {
    EXPECT_EQ(
        output_of(own("stochastic_rounding.py")),
        "nearest: 0.0 0.0\nat random: True True\nin its scope\nof the update: True\nwith everything: True\n"
        "older, off: 0.0\nolder, on: True\n"
        "open the scope within the function, or set floating_point_behaviour.esr" +
            asks +
            "Trying to set floating_point_behaviour.esr to True of type bool, but it must be of type "
            "StochasticRoundingBehaviour.\n");
}

// The model in Python asks for 31, and gets both tiles of each pair.
TEST_F(RunScript, ConfiguredIoTilesChangeNoResult) {
    EXPECT_EQ(
        output_of(own("io_tiles.py")),
        "with I/O tiles: True\nin Python: True\n"
        "io_tiles.num_io_tiles must be between 0 and 192, got 193.\n"
        "io_tiles.place_ops_on_io_tiles is True, and io_tiles.num_io_tiles is 0.\n"
        "norms.experimental.distributed_batch_norm_replica_group_size is not supported with I/O tiles.\n"
        "prefetch_depth must be between 1 and 255, got 256\n");
    EXPECT_EQ(printed({"query", "run.tilescope", "SELECT io_tiles FROM device_program", "--format", "csv"}),
              "io_tiles\n0\n32\n32\n");
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT count(*) > 0 AS hidden FROM schedule_io WHERE hidden_cycles > 0", "--format",
                       "csv"}),
              "hidden\n1\n");
}

// By hand in the script, to 1e-4 over a hundred steps; the device has the table once.
TEST_F(RunScript, WeightsThatLayersShareAreOneVariable) {
    EXPECT_EQ(output_of(own("tied_weights.py")), "[(16, 12), (12, 12), (12,)] 100 True True\n"
                                                 "[(16, 12), (12, 12), (12,)] 100 True True\n"
                                                 "[(7, 7), (7,)] True\n");
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT name, bytes FROM variable WHERE category = 'Variables' AND always_live = 1",
                       "--format", "csv"}),
              "name,bytes\ntable/embeddings,768\nhidden/kernel,576\nhidden/bias,48\n");
}

TEST_F(RunScript, ProductsAndLookUpsInPartsGiveWhatTheyGiveAtOnce) {
    EXPECT_EQ(output_of(own("serial_products.py")),
              "[True, True, True, True] True\n"
              "True True\n"
              "serialization_factor 5 does not divide the 16 of b_rows; use a factor of that extent\n");
}

/// The running means that a profile has of a metric after each execution.
std::vector<double> values_of(const nlohmann::ordered_json& rows) {
    std::vector<double> values;
    for (const auto& row : rows)
        values.push_back(row.at("value").get<double>());
    return values;
}

// The same model, data and settings as a workload: the same numbers, whoever asks for them.
TEST_F(RunScript, KerasTrainsAsTheSameWorkloadDoes) {
    EXPECT_EQ(output_of(own("keras_training.py")), "10 ['accuracy', 'loss']\n"
                                                   "[(3, 3, 1, 4), (4,), (36, 10), (10,)] 410\n"
                                                   "True\nTrue\n");
    const nlohmann::json workload{{"model", {{"keras", "model.json"}}},
                                  {"data", {{"train", {{"idx", "noise"}, {"one_hot", 10}}}}},
                                  {"compile",
                                   {{"optimizer", {{"name", "adam"}, {"learning_rate", 0.01}}},
                                    {"loss", "categorical_crossentropy"},
                                    {"metrics", {"accuracy"}}}},
                                  {"fit", {{"batch_size", 64}, {"epochs", 10}}}};
    write("workload.json", workload.dump());
    printed({"profile", "workload.json", "--data", ".", "-o", "workload.tilescope", "--progress", "none"});
    for (const std::string metric : {"loss", "accuracy"}) {
        const std::string sql =
            "SELECT value FROM metric WHERE name = '" + metric + "' ORDER BY execution_id";
        const auto script = values_of(document({"query", "run.tilescope", sql, "--format", "json"}));
        const auto same = values_of(document({"query", "workload.tilescope", sql, "--format", "json"}));
        ASSERT_EQ(same.size(), 100U);
        ASSERT_EQ(script.size(), 100U);
        for (std::size_t i = 0; i < same.size(); ++i)
            EXPECT_NEAR(script[i], same[i], 1e-5) << metric << " after batch " << i;
    }
    const auto cycles = [&](const std::string& profile) {
        return printed({"query", profile, "SELECT max(cycles) FROM execution WHERE kind = 'train'"});
    };
    EXPECT_EQ(cycles("run.tilescope"), cycles("workload.tilescope"));
}

TEST_F(RunScript, KerasPrintsItsLines) {
    const std::string out = output_of(own("keras_lines.py"));
    const std::string expected = "Model: \"model\"\n"
                                 "_________________________________________________________________\n"
                                 "Layer (type)                 Output Shape              Param #   \n"
                                 "=================================================================\n"
                                 "input_1 (InputLayer)         [(None, 6)]               0         \n"
                                 "_________________________________________________________________\n"
                                 "dense (Dense)                (None, 5)                 35        \n"
                                 "_________________________________________________________________\n"
                                 "dense_1 (Dense)              (None, 3)                 18        \n"
                                 "=================================================================\n"
                                 "Total params: 53\nTrainable params: 53\nNon-trainable params: 0\n"
                                 "_________________________________________________________________\n"
                                 "Epoch 1/2\n16/16 [==============================] - 0s ";
    EXPECT_EQ(out.substr(0, expected.size()), expected);
    EXPECT_TRUE(holds(out, "\nEpoch 2/2\n16/16 [=====")) << "32 batches over two replicas";
    EXPECT_TRUE(holds(out, "us/step - loss: ")) << out;
    EXPECT_TRUE(holds(out, "\n8/8 [==============================] - 0s ")) << "four replicas";
    EXPECT_TRUE(holds(out, " - val_loss: ")) << out;
}

TEST_F(RunScript, LoopsAndPipelinesOfTensorFlow1TrainAsNumPyDoes) {
    EXPECT_EQ(
        output_of(own("loops.py")),
        "The pipelining schedule 'Interleaved' does not currently support multiple pipeline stages on the "
        "same device for training graphs. Please use a different pipeline schedule.\n" +
            pipeline_iterations("4", "6") + pipeline_iterations("2", "5") +
            "looped (12,) True True\npiped (12,) True True\nshared (12,) True True\nturns (12,) True True\n");
}

TEST_F(RunScript, FunctionsOfTensorFlow2TrainAsNumPyDoes) {
    EXPECT_EQ(output_of(own("functions.py")),
              "[6.0, 10.0, 14.0] 7.0\n(20,) True True\n[3. 7.] [ 1 -1] [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]\n"
              "2.5 3 False True\n");
}

TEST_F(RunScript, ModelsThatArePythonTrainAsNumPyDoes) {
    const std::string out = output_of(own("keras_python.py"));
    for (const char* line :
         {"replicated prediction True\n", "replicated kernel True\n", "weighted loss True\n",
          "weighted kernel True\n", "validation True\n", "error without weights True\n",
          "dense_1 (Dense)              multiple                  4         \n", "\n(None, 8)\n",
          "functional True\n", "['scaled/w:0', 'last/kernel:0', 'last/bias:0'] 18\n",
          "still 2.0 learnt True\n", "states True\n", "stages [0, 1] [0, 1]\n", "classes True\n",
          "\n[2.5] 3.25\n", "\n0.5 loss 3.0\n"})
        EXPECT_TRUE(holds(out, line)) << line << "is not in\n" << out;
}

TEST_F(RunScript, WhatACallSaysHoldsInItsModel) {
    EXPECT_EQ(output_of(own("call_arguments.py")),
              "True\nTrue\nTrue\nTrue\nTrue False\nFalse {'training': False}\nTrue\n"
              "True\n['weighed/kernel:0', 'dense/kernel:0'] True\nTrue\nTrue\n");
}

TEST_F(RunScript, KerasFilesKeepWeightsBitForBit) {
    EXPECT_EQ(output_of(own("keras_files.py")),
              "False\nTrue\nTrue sparse_categorical_crossentropy ['accuracy'] "
              "0.019999999552965164\nTrue\nTrue\nTrue True\nTrue\n"
              "You are trying to load a weight file containing 3 layers into a model with 2 layers.\n");
    const auto summary = printed({"summary", "model.h5"});
    EXPECT_TRUE(holds(summary, "dense")) << summary;
}

TEST_F(RunScript, EstimatorsTrainEvaluateAndKeepWhatTheyLearnt) {
    const std::string found = "['accuracy', 'global_step', 'loss'] 6 True True\n";
    EXPECT_EQ(output_of(own("estimators.py")),
              "kernel True\n" + found + found +
                  "scores True\nkept/values-7\n[2. 4.]\n[2. 4.] {'other': [2]} False [2. 4.]\n"
                  "Key a not found in checkpoint named/values\n"
                  "Must specify steps > 0, given: 0\nMust specify max_steps > 0, given: -1\n");
}

TEST_F(RunScript, OlderOptionsShardsAndNormalisationOfTensorFlow1) {
    EXPECT_EQ(output_of(own("more_of_tf1.py")),
              "['availableMemoryProportion', 'partialsType'] True SNAKE\n"
              "IPU devices have already been configured.\n"
              "True\nTrue\nTrue\n"
              "InvalidArgumentError cast it to float32, float16, int32 or bool before it goes to the IPU\n"
              "UnimplementedError shapes are static on the IPU: give each extent a number\n"
              "PopnnLSTM 2 True\n");
}

TEST_F(RunScript, TheLogSaysThatPoplarIsSimulated) {
    const Outcome outcome = run({"run", "-o", "run.tilescope", own("sums.py")});
    for (const char* line : {"Poplar version: none; Tilescope ", "attached to 4 IPUs with Poplar device ID",
                             "Compiled cluster using XLA!"}) {
        const std::size_t at = outcome.err.find(line);
        ASSERT_NE(at, std::string::npos) << line << " is not in\n" << outcome.err;
        EXPECT_EQ(outcome.err.find(line, at + 1), std::string::npos) << "once: " << line;
    }
}

TEST_F(RunScript, ChannelsMayStandBeforeTheSpace) {
    EXPECT_EQ(output_of(own("keras_formats.py")),
              "(None, 5, 4, 5) (None, 5, 5, 4) (None, 5, 4, 4)\nTrue\nTrue\n"
              "[[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]]\nTrue\n");
}

TEST_F(RunScript, ThePackageReadsProfilesAsTheProgramDoes) {
    const std::string out = output_of(own("package.py"), {}, {record_training(), sample("keras_mnist")});
    const std::string expected =
        "True\nTrue\nTrue True True\nTrue\nTrue\n[True, True, False]\n"
        "True True\nTrue True\nTrue True\nTrue True\n"
        "\"there is no table 'operatoin_cost'; the nearest is 'operation_cost'\"\n"
        "'timing.step_su: there is no step_su; the nearest is step_us'\n"
        "nothing: there is no such file; check the path\n"
        "\"there are no tiles of metric 'totall'\n"
        "'there are no tiles of ipu 9; there are 0'\n"
        "profile() takes the path of a workload or of a model, a workload's document as a dict, a Keras "
        "model or a torch.nn.Module, and got 5\n"
        "open() takes the path of a profile, and got 5\n"
        "dense complete True 8\nTrue\nTrue\n"
        "ImportError: tilescope needs NumPy: install Debian's python3-numpy, or numpy with pip\n"
        "Help on function profile in module tilescope._profile:\n";
    EXPECT_EQ(out.substr(0, expected.size()), expected);
}

TEST_F(RunScript, ThePackageReadsProfilesOfAnyNameAndLeavesNothingBeside) {
    EXPECT_EQ(output_of(own("package_paths.py"), {}, {record_training()}),
              "True True\nTrue True\nTrue True\nTrue True\nTrue True killed\nTrue True\n");
}

TEST_F(RunScript, ThePackageTakesModulesOfPyTorchAndGivesFramesOfPandas) {
    const std::string out = output_of(own("package_frameworks.py"));
    if (out.starts_with("SKIPPED"))
        GTEST_SKIP() << out << "install python3-torch and python3-pandas";
    EXPECT_EQ(out, "net True\nTrue True True\n");
}

TEST_F(RunScript, ScriptsOfPopVisionsLibraryReadProfiles) {
    EXPECT_EQ(output_of(own("pva_names.py"), {}, {record_training()}),
              "1472 True\nTrue True\nTrue\nTrue\nTrue True\nTrue\nTrue\nTrue True\n"
              "True True True\nTrue\nTrue ['Epoch 1', 'Epoch 2'] True\nTrue True\n"
              "True\nTrue True True 24\nsequence repeat execute exchange stream_copy True\nTrue\nTrue True\n"
              "True True\nTrue\n1 True Tile True []\n"
              "True True True\nTrue True 0 0\nTrue True True\nTrue True True\n"
              "True True True True True\n"
              "GraphCounts.numEdges is not in profiles of Tilescope\n"
              "Vertices.countByTile is not in profiles of Tilescope\n"
              "Program.controlCodeByTile is not in profiles of Tilescope\n"
              "DebugContext.location is not in profiles of Tilescope\n"
              "Categories.code is not in pva\n"
              "Compilation.tile is not in pva: the nearest that is there is tiles\n"
              "IpuStep.cycle is not in pva: the nearest that is there is cycles\n"
              "pva.openReprt is not there: the nearest that is there is openReport\n"
              "Report.popliner is not in pva: there are compilation, execution, instrumentationSettings, "
              "poplarVersion, tilescope, version\n");
    EXPECT_EQ(output_of(own("pva_types.py"), {}, {record_training()}), "[] True set() True\n");
    printed({"trim", record_training(), "--no-tiles", "-o", "part.tilescope"});
    const std::string trimmed = output_of(own("pva_trimmed.py"), {}, {"part.tilescope"});
    EXPECT_EQ(trimmed.rfind("True [] 0\n{0} [] []\n\"there are no tiles of entity 'variable'", 0), 0U)
        << trimmed;
    EXPECT_TRUE(holds(trimmed,
                      "\nCategoryBytes.nonInterleaved is not in profiles of Tilescope: this one has no "
                      "addresses of its variables []\n"))
        << trimmed;
}

TEST_F(RunScript, RegionsOfTilesAreThoseOfAMapOfTheirBytes) {
    const auto estimate = [this](const std::string& name, const std::string& file, const std::string& set) {
        printed({"profile", sample(name), "--estimate", "--set", set, "-o", file, "--progress", "none"});
        return file;
    };
    EXPECT_EQ(
        output_of(own("pva_regions.py"), {},
                  {estimate("keras_mnist_faster", "io.tilescope",
                            R"(ipu_config.io_tiles={"num_io_tiles": 32, "place_ops_on_io_tiles": true})"),
                   estimate("keras_mnist_pipelined", "pipelined.tilescope", "fit.epochs=1"),
                   estimate("tutorial_sharding", "sharded.tilescope", "seed=1"), record_training()}),
        "1 True True True\n2 True True True\n4 True False True\n1 True True True\n");
}

TEST_F(RunScript, WhatAnEstimateDoesNotComputeIsNoNumber) {
    const Outcome outcome = run({"run", "--estimate", "-o", "run.tilescope", own("sums.py")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.rfind("[nan nan]\n", 0), 0U) << outcome.out;
    EXPECT_TRUE(holds(outcome.err, "an estimate computes no values")) << outcome.err;
}

TEST_F(RunScript, TheFlagForExecutablesKeepsThem) {
    const Surroundings flags{
        folder.path().string(), {{"TF_POPLAR_FLAGS", "--executable_cache_path=kept"}}, {}, {}};
    const Outcome outcome = tilescope({"run", "-o", "run.tilescope", own("sums.py")}, flags);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    ASSERT_TRUE(fs::exists(folder / "kept"));
    EXPECT_FALSE(fs::is_empty(folder / "kept"));
}

TEST_F(RunScript, EstimatesAndOverridesReachTheScript) {
    output_of(own("keras_lines.py"), {"--estimate", "--set", "ipu_config.available_memory_proportion=0.3"});
    const auto report = document({"report", "run.tilescope", "--format", "json"});
    EXPECT_EQ(report["run"]["estimate"], true);
    EXPECT_GT(report["timing"]["cycles_total"], 0);
    const Outcome wrong = run({"run", "--set", "compile.optimizr=sgd", own("keras_lines.py")});
    EXPECT_EQ(wrong.exit_code, 3);
    EXPECT_TRUE(holds(wrong.err, "compile.optimizr") && holds(wrong.err, "optimizer")) << wrong.err;
    EXPECT_FALSE(holds(wrong.err, "Traceback")) << wrong.err;
}

TEST_F(RunScript, ThePageOfNamesIsMadeFromTheModules) {
    EXPECT_EQ(output_of(own("coverage.py")),
              read_file(TILESCOPE_SOURCE_DIR "/resources/docs/script-names.md"));
}

// What the losses and weights must be, the script works out with NumPy.
TEST_F(RunScript, GradientsAreTensorsThatScriptsChange) {
    EXPECT_EQ(output_of(own("gradients.py")), "clipped True\naccumulated True\nreplicated True (3, 2) True\n"
                                              "both True\n[[6.0, 20.0], [1.0, 4.0]]\n");
}

// What must come out, the scripts work out with NumPy.
TEST_F(RunScript, NamesThatPublicScriptsUseAreThere) {
    EXPECT_EQ(output_of(own("public_names.py")),
              "looped 4 True [6.0, 15.0, 24.0, 33.0]\nstates True\ntrain_on_batch True True\n"
              "test_on_batch True True\npredict_on_batch True\nsample_weight True True\n"
              "validation_split True True\ncallbacks True True\naccumulating True\nclipped True\n(50000, 32, "
              "32, 3) (50000, 1) True\n"
              "True 1 True 2.0 True True\n[[0.0, 1.0], [1.0, 0.0]]\ntf.Tensor(3, shape=(), dtype=int32) "
              "tf.Tensor([2 1], shape=(2,), dtype=int32) 1.0\n");
}

TEST_F(RunScript, BranchesLoopsAndStoppedGradientsAreAsInNumPy) {
    EXPECT_EQ(output_of(own("control_flow.py")),
              "branch True True\nbranch True True\nassigned [6.0, 60.0] 0 0 61.0\nloop True\nloop [ 3. -6.  "
              "9.]\nstopped True True\n"
              "piped [(8,), (8, 1, 1)]\nmasked [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]\nsummed [4.0, 4.0]\n"
              "losses [True, True, True, True, True, True, True, True]\n");
}

TEST_F(RunScript, BranchesAssignWhereTheyAreTaken) {
    EXPECT_EQ(output_of(own("branches.py")),
              "assigned True\ncases [[-1.0, -0.0], [0.0, 0.5], [2.0, 8.0], [99.0, 0.0]]\n");
}

TEST_F(RunScript, EveryLayerOfWorkloadsIsThere) {
    EXPECT_EQ(output_of(own("keras_all_layers.py")), "bidirectional True\ntime distributed True\nattention "
                                                     "True\ntraced (2, 6)\nnot there []\nmetrics 6\n");
}

TEST_F(RunScript, KerasTrainsWithOptimisersOfTensorFlow1) {
    const Outcome outcome = run({"run", "-o", "run.tilescope", own("keras_tf1_optimizers.py")});
    EXPECT_EQ(outcome.out, "True\nTrue\nTrue\n") << outcome.err;
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(holds(outcome.err,
                      "GradientAccumulationOptimizerV2 in Model.compile() is not there under tilescope run: "
                      "use set_gradient_accumulation_options()"))
        << outcome.err;
}

TEST_F(RunScript, PopDistTellsOfTheReplicasThatAreAskedFor) {
    EXPECT_EQ(output_of(own("popdist_replicas.py"), {"--num-replicas", "2"}), "True 1 0 2\nTrue 2\n");
}

// What must come out, the scripts work out with NumPy from the data of all instances.
TEST_F(RunScript, InstancesTrainOneModelOnDataOfTheirOwn) {
    EXPECT_EQ(
        output_of(own("several_instances.py"), {"--num-instances", "2", "--num-replicas", "4"}),
        "True 2 4 2 2\n[0.0, 1.0] 1.5 3.0 6.0\n"
        "3.0 3.0 1.5 1.5 1.5 [[0, 1], [1, 1]] (2, 1, 2)\ntrained True (2, 3, 1) True\npredicted True 4\n"
        "looped True True (4, 2, 1, 3)\n");
    EXPECT_EQ(document({"report", "run.tilescope", "--format", "json"})["target"]["ipus"], 4);
    EXPECT_EQ(output_of(own("workers.py"), {"--num-instances", "2"}), "True 2\n");
    const std::string of_version_1 = "looped (2,) True True\ntogether True True\nalone True True\n";
    EXPECT_EQ(output_of(own("workers_1.py")), of_version_1);
    EXPECT_EQ(output_of(own("workers_1.py"), {"--num-instances", "2"}), of_version_1);
    EXPECT_TRUE(holds(
        output_of(own("several_instances.py"), {"--estimate", "--num-instances", "2", "--num-replicas", "4"}),
        "(4, 2, 1, 3)\n")); // what the loop gives is reduced, though nothing is known of it
}

TEST_F(RunScript, InstancesThatFailOrDifferAreTold) {
    EXPECT_EQ(run({"run", "--num-instances", "2", own("several_instances.py"), "--fail"}).exit_code, 9);
    expect_failure(run({"run", "--num-instances", "2", "--num-replicas", "3", own("workers.py")}), 2,
                   {"--num-replicas 3", "--num-instances 2", "use 2"});
    const std::string differing = write("differing.py", R"(
import popdist
from tensorflow.python.ipu import horovod as hvd
hvd.broadcast(1.0) if popdist.getInstanceIndex() else hvd.allreduce(1.0)
)");
    expect_failure(run({"run", "--num-instances", "2", differing}), 3,
                   {"differing.py:4", "instance 0 is at an exchange of mean", "instance 1"});
}

TEST_F(RunScript, TensorFlowIsVersion1WhereTheScriptSaysSo) {
    const Outcome outcome = run({"run", "-o", "run.tilescope", own("version_1.py")});
    EXPECT_EQ(outcome.out, "True True True\n[[2.0, 4.0]]\n[[2.0, 4.0], [6.0, 8.0]]\nTrue 2\nTrue True 16\n");
    EXPECT_TRUE(holds(outcome.err, "version 1.15")) << outcome.err;
}

// The script works the outputs out with NumPy, from the weights that it gives the model.
TEST_F(RunScript, OutputsOfKerasFilesAreInferred) {
    output_of(write("make.py", R"(
import os
import numpy as np
from tensorflow import keras

inputs = keras.layers.Input((3,))
model = keras.Model(inputs, keras.layers.Dense(2, activation="sigmoid")(keras.layers.Dense(4, activation="relu")(inputs)))
random = np.random.default_rng(1)
w, b, v, c = weights = [random.normal(size=each).astype(np.float32) for each in ((3, 4), (4,), (4, 2), (2,))]
model.set_weights(weights)
model.save("model.h5")
model.save_weights("weights.h5")
open("model.json", "w").write(model.to_json())
x = random.normal(size=(5, 3)).astype(np.float32)
os.makedirs("arrays")
np.save("arrays/input_0.npy", x)
np.save("arrays/output_0.npy", 1 / (1 + np.exp(-(np.maximum(x @ w + b, 0) @ v + c))))
os.makedirs("wrong")
np.save("wrong/input_0.npy", x[:, :2])
)"));
    const std::string expected = "output: float32 [5, 2], as expected\n";
    EXPECT_EQ(printed({"infer", "model.h5", "--inputs", "arrays", "--expect", "arrays", "--rtol", "1e-5"}),
              expected);
    EXPECT_EQ(printed({"infer", "model.json", "--weights", "weights.h5", "--inputs", "arrays", "--expect",
                       "arrays"}),
              expected);
    printed({"infer", "model.h5", "--inputs", "arrays", "-o", "outputs"});
    EXPECT_EQ(output_of(write("read.py", R"(
import numpy as np
given, expected = np.load("outputs/output_0.npy"), np.load("arrays/output_0.npy")
print(given.dtype, given.shape, np.allclose(given, expected, rtol=1e-5))
)")),
              "float32 (5, 2) True\n");
    expect_failure(run({"infer", "model.json", "--inputs", "arrays"}), 3,
                   {"model.json", "has no weights", "--weights"});
    expect_failure(run({"infer", "model.h5", "--inputs", "wrong"}), 3, {"input 0 is [5, 2]", "is [5, 3]"});
}

TEST_F(RunScript, WhatIsNotThereIsOneLine) {
    const auto fails = [&](const std::string& text, const std::vector<std::string>& parts) {
        const Outcome outcome = run({"run", write("script.py", text)});
        expect_failure(outcome, 3, parts);
        EXPECT_FALSE(holds(outcome.err, "Traceback")) << outcome.err;
    };
    fails("import tensorflow.compat.v1 as tf\ntf.placehodler(tf.float32)\n",
          {"script.py:2", "tensorflow.compat.v1.placehodler", "tensorflow.compat.v1.placeholder"});
    fails("from tensorflow.python.ipu.config import IPUConfg\n",
          {"tensorflow.python.ipu.config.IPUConfg", "IPUConfig"});
    fails("import tensorflow.python.ipu.scope\n", {"tensorflow.python.ipu.scope", "scopes"});
    fails("from tensorflow.python.ipu import serving\nserving.export_keras(1, 'd')\n",
          {"script.py:2", "tensorflow.python.ipu.serving.export_keras", "Keras file"});
    fails("from tensorflow.python import ipu\nipu.ipu_compiler.compile(print, input=[])\n",
          {"script.py:2", "input", "inputs"});
    fails("import tensorflow as tf\ntf.data.Dataset.range(3).shufle(2)\n",
          {"script.py:2", "tensorflow.data.Dataset.shufle", "tensorflow.data.Dataset.shuffle"});
    fails("from tensorflow import keras\nkeras.Model(inputs=1, outpts=2)\n",
          {"script.py:2", "keras.Model(): outpts", "outputs"});
    fails("from tensorflow import keras\nkeras.Sequential().export_for_ipu_serving('d')\n",
          {"script.py:2", "keras.Sequential.export_for_ipu_serving"});
    fails("import tensorflow as tf\ntf.image.resize([[[0.0]]], [2, 2], method='lanczos3')\n",
          {"script.py:2", "tf.image.resize(method='lanczos3')", "bilinear"});
    const std::string fed = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"
                            "x, v = tf.placeholder(tf.float32, []), tf.get_variable('v', [])\n";
    fails("from tensorflow.python import ipu\n" + fed +
              "with ipu.scopes.ipu_scope('/device:IPU:0'):\n"
              "    tf.while_loop(lambda i: i < x, lambda i: i + 1, [0.0])\n",
          {"script.py:6", "tf.while_loop", "maximum_iterations"});
    fails("from tensorflow.python import ipu\n" + fed +
              "with ipu.scopes.ipu_scope('/device:IPU:0'):\n"
              "    tf.cond(x > 0, lambda: ipu.ipu_compiler.compile(lambda: x)[0], lambda: x)\n",
          {"script.py:6", "tf.cond of branches that loop on the device", "what tf.cond gives"});
    const std::string cells = "import tensorflow.compat.v1 as tf\ncell = tf.nn.rnn_cell.BasicRNNCell(2)\n";
    fails(cells + "tf.nn.rnn_cell.DropoutWrapper(cell, variational_recurrent=True)\n",
          {"script.py:3", "DropoutWrapper(variational_recurrent=True)", "anew in each step"});
    fails(cells + "tf.nn.rnn_cell.MultiRNNCell([cell], state_is_tuple=False)\n",
          {"script.py:3", "MultiRNNCell(state_is_tuple=False)", "tuple"});
    fails("from tensorflow.python import ipu\n"
          "ipu.ipu_multi_worker_strategy.IPUMultiWorkerStrategy(add_ipu_cross_replica_reductions=False)\n",
          {"script.py:2", "IPUMultiWorkerStrategy(add_ipu_cross_replica_reductions=False)", "IPUStrategy"});
    fails("from tensorflow.python.ipu import horovod as hvd\nhvd.allreduce(1.0, op='Max')\n",
          {"script.py:2", "allreduce with the operation Max", "sum or the mean"});
}

TEST_F(RunScript, MistakesOfTheScriptAreItsOwn) {
    const Outcome outcome = run({"run", write("script.py", "def f():\n    return 1 / 0\n\nf()\n")});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(holds(outcome.err, "Traceback (most recent call last):")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "line 2, in f")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "ZeroDivisionError: division by zero")) << outcome.err;
    EXPECT_FALSE(holds(outcome.err, "tilescope_front")) << outcome.err;
    EXPECT_EQ(run({"run", write("exit.py", "import sys\nprint(sys.argv)\nsys.exit(7)\n"), "--epochs", "2"})
                  .exit_code,
              7);
}

TEST_F(RunScript, VariablesThatAreNoResourcesGetTheTutorialsError) {
    const Outcome outcome = run({"run", write("script.py", R"(
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
with tf.device("/device:IPU:0"):
    w = tf.get_variable("w", shape=[2])
    y = w + w
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(y)
)")});
    EXPECT_EQ(outcome.exit_code, 1);
    for (const char* part : {"InvalidArgumentError", "Cannot assign a device for operation 'w'",
                             "Colocation Debug Info:", "VariableV2: CPU"})
        EXPECT_TRUE(holds(outcome.err, part)) << outcome.err;
}

TEST_F(RunScript, VariablesOfACompiledFunctionThatAreNoResourcesAreRefused) {
    const auto outcome_of = [&](const std::string& result) {
        return run({"run", write("script.py", R"(
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
tf.disable_v2_behavior()
def body():
    v = tf.get_variable("v", shape=[2], use_resource=False)
    return )" + result + R"(
with ipu.scopes.ipu_scope("/device:IPU:0"):
    made = ipu.ipu_compiler.compile(body)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(made)
)")});
    };
    const Outcome read = outcome_of("v + v");
    EXPECT_EQ(read.exit_code, 1);
    EXPECT_TRUE(holds(read.err, "Cannot assign a device for operation 'v'")) << read.err;
    const Outcome assigned = outcome_of("tf.assign_add(v, [1.0, 2.0])");
    EXPECT_EQ(assigned.exit_code, 1);
    EXPECT_TRUE(holds(assigned.err,
                      "NotImplementedError: Non-resource Variables are not supported inside XLA "
                      "computations (operator name: v/Assign)"))
        << assigned.err;
}

TEST_F(RunScript, UsageErrorsNameThem) {
    expect_failure(run({"run"}), 2, {"run needs a script"});
    expect_failure(run({"run", "--estimat", "script.py"}), 2, {"--estimat"});
    expect_failure(run({"run", "--num-instances", "0", "script.py"}), 2, {"--num-instances", "1 to 64"});
    expect_failure(run({"run", "--progress", "much", "script.py"}), 2, {"--progress", "much"});
    expect_failure(run({"run", "script.py"}), 3, {"script.py"});
}

} // namespace
} // namespace tilescope::tests
