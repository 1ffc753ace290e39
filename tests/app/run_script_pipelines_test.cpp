// SPDX-License-Identifier: GPL-3.0-or-later
// Pipelines of scripts: what goes to the host, and where activations wait.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptPipelines = RunScript;

TEST_F(RunScriptPipelines, AddUpOnTheDeviceWhatGoesToTheHostOnce) {
    EXPECT_EQ(output_of(own("piped_outfeeds.py")),
              "offloaded [True, True]\n"
              "SUM (2, 2) (2, 2, 1, 1) True [ True  True]\n"
              "MEAN (2, 2) (2, 2, 1, 1) True [ True  True]\n"
              "RUNNING_MEAN (2, 2) (2, 2, 1, 1) True [ True  True]\n"
              "halves ['float16', 'float16']\n"
              "inferred [True, True]\n"
              "accumulate_outfeed adds up float16 and float32: Sum:0 is of float32, its sum of int32; "
              "cast it, or set "
              "accumulate_outfeed_dtype\n");
    // Ten more programs, of which five add up, and send their results with the update.
    const std::string sent = "SELECT part, count(DISTINCT device_program_id) AS programs FROM further_step "
                             "WHERE kind = 'stream_copy' AND part <> 'infeed' GROUP BY 1 ORDER BY 1";
    EXPECT_EQ(printed({"query", "run.tilescope", sent, "--format", "csv"}),
              "part,programs\noutfeed,5\nupdate,5\n");
    const std::string stashes = "SELECT DISTINCT name, stash_depth, streaming_bytes, bytes FROM variable "
                                "WHERE stash_depth > 0";
    EXPECT_EQ(printed({"query", "run.tilescope", stashes, "--format", "csv"}),
              "name,stash_depth,streaming_bytes,bytes\ninfeed_dequeue/stash of 2,2,8,0\n");
}

// By hand. A training enqueues what its last stage gives as a list, be it one tensor.
TEST_F(RunScriptPipelines, HandOutOneTensorAsTensorFlowDoes) {
    const std::string refused = "a gradient, after a loop of the device, of what was made in it or before it "
                                "is not there under tilescope run: take it within the loop" +
                                asks;
    const std::string all = "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]";
    EXPECT_EQ(output_of(own("piped_alone.py")),
              "[" + all + "] " + all + " " + all + "\n" + refused + refused + refused +
                  "Trying to get the last value from an outfeed queue before it was executed. Make sure the "
                  "outfeed dequeue TensorFlow operation is executed after the enqueue to the outfeed has "
                  "completed.\n");
}

// The same of Keras models whose call is Python.
TEST_F(RunScriptPipelines, OfModelsThatArePythonStashInStreamingMemory) {
    const std::string script =
        "import numpy as np\nfrom tensorflow import keras\nfrom tensorflow.python import ipu\n"
        "config = ipu.config.IPUConfig()\nconfig.auto_select_ipus = 2\nconfig.configure_ipu_system()\n"
        "class Twice(keras.layers.Layer):\n  def call(self, x):\n    return x * 2.0\n"
        "with ipu.ipu_strategy.IPUStrategy().scope():\n"
        "  m = keras.Sequential([keras.layers.Dense(4, input_shape=(4,), activation='tanh'), Twice(),\n"
        "                        keras.layers.Dense(2)])\n"
        "  m.set_pipeline_stage_assignment([0, 0, 1])\n"
        "  m.set_pipelining_options(gradient_accumulation_steps_per_replica=4, offload_activations=True)\n"
        "  m.compile('sgd', 'mse', steps_per_execution=4)\n"
        "  m.fit(np.zeros((8, 4)), np.zeros((8, 2)), batch_size=2, verbose=0)\n";
    output_of(write("script.py", script));
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT count(*) > 0, min(streaming_bytes) > 0 FROM variable WHERE stash_depth > 0",
                       "--format", "csv"}),
              "count(*) > 0,min(streaming_bytes) > 0\n1,1\n");
}

// Against NumPy. Of four programs the second and the fourth add up.
TEST_F(RunScriptPipelines, OfKerasSendLossAndMetricsOnceForEachUpdate) {
    const std::string same = "True True True\nTrue True True\nTrue\n";
    EXPECT_EQ(output_of(own("keras_accumulated.py")), same + same);
    const std::string sent = "SELECT part, count(DISTINCT device_program_id) AS programs FROM further_step "
                             "WHERE kind = 'stream_copy' AND part <> 'infeed' GROUP BY 1 ORDER BY 1";
    EXPECT_EQ(printed({"query", "run.tilescope", sent, "--format", "csv"}),
              "part,programs\noutfeed,1\nupdate,2\n");
}

// Each call of a layer has a stage of its own, also of a layer of a model within. Weights against NumPy.
TEST_F(RunScriptPipelines, AreOfCallsOfLayers) {
    const std::string rule(89, '_');
    const std::string double_rule(89, '=');
    const auto row = [](std::string a, std::string b, const std::string& c) {
        a.resize(35, ' ');
        b.resize(36, ' ');
        std::string all = a + b + c;
        all.resize(89, ' ');
        return all + "\n";
    };
    std::string expected =
        "['one/0: 0', 'two/0: 1', 'two/1: 1', 'two/2: 2', 'two/3: 2', 'concat/0: 2', 'three/0: 3']\n"
        "[True, True, True]\n"
        "['one/0: 0', 'two/0: 1', 'two/2: 2', 'two/1: 1', 'two/3: 2', 'concat/0: 2', 'three/0: 3']\n"
        "[True, True, True]\n"
        "Model: \"connected\"\n";
    expected +=
        rule + "\n" + row("Layer (type) (node index)", "Input Layers", "Pipeline Stage") + double_rule + "\n";
    expected +=
        row("one (Dense) (0)", "given", "0") + rule + "\n" + row("two (Dense) (0)", "one", "1") + rule + "\n";
    expected +=
        row("two (Dense) (2)", "two", "2") + rule + "\n" + row("two (Dense) (1)", "one", "1") + rule + "\n";
    expected +=
        row("two (Dense) (3)", "two", "2") + rule + "\n" + row("concat (Concatenate) (0)", "two", "2");
    expected +=
        row("", "two", "") + rule + "\n" + row("three (Dense) (0)", "concat", "3") + double_rule + "\n";
    expected += "Layer last in pipeline stage 0 has a dependency from a pipeline stage which has not yet "
                "been executed. "
                "Layers can only use outputs from current or previous pipeline stages.\n"
                "The pipeline stage assignment for layer inner in around must be an instance of "
                "`FunctionalNestedModelPipelineStageAssignment`. Instead the assignment was of type "
                "FunctionalLayerPipelineStageAssignment.\n"
                "The length of the provided `pipeline_stage_assignment` (1) does not match the number of "
                "layers in the "
                "graph (2). Each layer needs to be assigned a pipeline stage (excluding input layers).\n"
                "`pipeline_stage_assignment` needs to be a list.\n"
                "[True, True, True]\n"
                "Model: \"row\"\n";
    const std::string blank(16, ' ');
    expected += std::string(60, '_') + "\nLayer (type)                  Pipeline Stage" + blank + "\n";
    expected += std::string(60, '=') + "\na (Dense)                     0" + std::string(29, ' ') + "\n";
    expected += std::string(60, '_') + "\nb (Dense)                     1" + std::string(29, ' ') + "\n";
    expected += std::string(60, '=') + "\n";
    EXPECT_EQ(output_of(own("keras_stages_of_calls.py")), expected);
    const std::string of_scopes = "SELECT group_concat(DISTINCT ipu) AS ipus FROM further_step WHERE "
                                  "device_program_id = 3 AND name LIKE 'later/%Convolve'";
    EXPECT_EQ(printed({"query", "run.tilescope", of_scopes, "--format", "csv"}), "ipus\n1\n");
}

TEST_F(RunScriptPipelines, OfOlderKerasAreWhatTodaysNamesMake) {
    const Outcome outcome = run({"run", "-o", "run.tilescope", own("older_keras.py")});
    EXPECT_EQ(outcome.out, "True\nTrue False\nTrue\n[3, 7, 11, 11]\n") << outcome.err;
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(holds(outcome.err, "a pipeline with batch_serialization_iterations=2 is not there"))
        << outcome.err;
}

// By hand.
TEST_F(RunScriptPipelines, QueuesOfTheDeviceAndNumbersOfMicroBatches) {
    EXPECT_EQ(output_of(own("device_queues.py")),
              "[[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], "
              "[3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], [[0, 0], [10, 10], [11, 11], [12, 12], [13, 13]], "
              "[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[9.0, 10.0], [11.0, 12.0]], [[13.0, "
              "14.0], [15.0, 16.0]], [[17.0, 18.0], [19.0, 20.0]]]]\n"
              "[[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], "
              "[3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], [[0, 0], [10, 10], [11, 11], [12, 12], [13, 13]], "
              "[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[9.0, 10.0], [11.0, 12.0]], [[13.0, "
              "14.0], [15.0, 16.0]], [[17.0, 18.0], [19.0, 20.0]]]]\n"
              "[1.0, 2.0] [1.0, 2.0]\n"
              "[0.0, 2.0, 4.0, 6.0, 0.0, 1.76, 3.52, 5.28] [0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0] [0, 1, "
              "2, 3, 0, 1, 2, 3] int32\n"
              "ipu.internal_ops.fifo outside of a program of the IPU is not there under tilescope run: call "
              "it in a function that ipu_compiler.compile or strategy.run is given" +
                  asks +
                  "depth must be a whole number, got 0.5\n"
                  "ipu.internal_ops.get_current_iteration_counter outside of a pipeline's stage is not there "
                  "under tilescope run: count steps in a value that the loop hands on" +
                  asks +
                  "ipu.internal_ops.fifo in a branch on a tensor, or in a loop that is unrolled is not there "
                  "under tilescope run: use ipu.loops.repeat, whose steps the device repeats, and take it in "
                  "each of them" +
                  asks);
}

// By hand.
TEST_F(RunScriptPipelines, LoopsOfReplicasThatMeetHandOnWhatAllOfThemHave) {
    EXPECT_EQ(output_of(own("handed_in_exchanges.py")),
              "[3, 10.5] [[[0, 0], [1, 1], [2, 2]], [[0.0, 0.0], [1.5, 1.5], [5.0, 5.0]], [[1.0, 2.0], [3.0, "
              "4.0], [5.0, 6.0]]]\n"
              "[3, 28.5] [[[0, 0], [1, 1], [2, 2]], [[0.0, 0.0], [7.5, 7.5], [17.0, 17.0]], [[7.0, 8.0], "
              "[9.0, 10.0], [11.0, 12.0]]]\n"
              "[10] [[[7, 7], [8, 8], [9, 9]], [[3.0, 3.0], [7.0, 7.0], [11.0, 11.0]]]\n"
              "a loop that hands on Const:0 on 2 replicas, in a step in which they exchange values is not "
              "there under tilescope run: each would have a value of its own: hand on what all of them have, "
              "or enqueue it to an outfeed queue" +
                  asks);
}

} // namespace
} // namespace tilescope::tests
