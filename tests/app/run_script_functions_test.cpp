// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of tf.function with branches and loops on tensors, which their source tells.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptFunctions = RunScript;

// Against the same functions on NumPy's numbers in the script; loops by hand.
TEST_F(RunScriptFunctions, NamesThatBranchesGiveNoOneValueAreToldWhereTheyAreRead) {
    const std::string both = " must be given a value in both branches of an `if` on a tensor, or before it\n";
    const std::string tensor = "is a tensor of dtype float32 and shape ";
    const std::string branch = " in one branch of an `if` on a tensor, but ";
    const std::string other = " in the other: give it tensors of the same dtypes and shapes in both\n";
    EXPECT_EQ(output_of(own("names_in_branches.py")),
              "shaped True kinds_apart True of_loops True nested True matched True defaults True \n"
              "compared UnboundLocalError 'mode'" +
                  both + "is_there TypeError 'h' " + tensor + "()" + branch + "None" + other +
                  "of_kind TypeError 'kind' is 'up'" + branch + "'down'" + other +
                  "counted_on UnboundLocalError 'total'" + both + "in_list UnboundLocalError 'k'" + both +
                  "choice_of_none TypeError `… if … else …` " + tensor + "()" + branch + "None" + other +
                  "for_another TypeError 'mode' is 'up'" + branch + "'down'" + other +
                  "[[39.0, 47.0], [216.0, 432.0], [72.0, 144.0], [242.0, 286.0]]\nTypeError 'k' " + tensor +
                  "(2,)" + branch + "None" + other);
}

// Against the same functions on NumPy's numbers, and training by hand.
TEST_F(RunScriptFunctions, LoopsEndByReturnAndTrainUntilThen) {
    EXPECT_EQ(output_of(own("loop_effects.py")),
              "found_at True of_many True counted True pairs True at_once True in_blocks True nested_ifs "
              "True guarded True in_branches True generated True \nparts [True, True, True, True]\n"
              "True True 5 True True 3 True True 0 True 14\nweights True True 8\n"
              "[(True, True, 4), (True, True, 1), (True, True, -1), (True, True, 5)] True True\n");
}

// Against the same functions in Python on NumPy's numbers.
TEST_F(RunScriptFunctions, DrawnFunctionsGiveWhatPythonGives) {
    EXPECT_EQ(output_of(own("random_functions.py")), "True True True\n");
}

// Against NumPy; the momentum of version 1 by hand.
TEST_F(RunScriptFunctions, BranchesUpdateEnqueueAndTakeElementsWhereTheyAreTaken) {
    EXPECT_EQ(output_of(own("branch_effects.py")),
              "norm [True, True] norm [True, True] \nelse [1 1]\nelse [4 1]\n"
              "updates [True, True, True, True, True, True] True [4.0, 1.0] 6 2\n"
              "elements 3.0 2.0 None End of sequence\n"
              "version 1 [0.5, 0.5, -0.25, -1.125, -1.125, -2.0625]\n"
              "else [2 1]\nelse [2 1]\nreplicas [True, True, True] 3\n"
              "a branch on a tensor that takes elements of data sets, on 2 replicas is not there under "
              "tilescope run: take them before it\n");
}

// Against NumPy, and against one IPU that has the data of both.
TEST_F(RunScriptFunctions, ReplicasReadWhatTheSameStepHasUpdated) {
    EXPECT_EQ(output_of(own("replica_reads.py")),
              "by hand True True\nKeras True True [9, 12, 6] True\n"
              "an update whose variables the same step reads again, with accumulated gradients is not there "
              "under tilescope run: take gradients and read the variables before the first apply_gradients" +
                  asks + "version 1 True\n");
    // The gradients of w cross in the step, those of v at its end; the rest of the GAN's likewise.
    EXPECT_EQ(
        printed(
            {"query", "run.tilescope",
             "SELECT DISTINCT kind FROM operation WHERE kind IN ('group_mean', 'all_reduce') ORDER BY kind",
             "--format", "csv"}),
        "kind\nall_reduce\ngroup_mean\n");
}

// Against NumPy and by hand.
TEST_F(RunScriptFunctions, SeveralLoopsStandInOneProgramWithEffectsBesideThem) {
    EXPECT_EQ(
        output_of(own("several_loops.py")),
        "[5.0, 6250.0]\n[1.0, 9.0, 109.0, 111.0] [110.0, 111.0]\n[111.0, 633.0, 733.0, 322.0] [211.0, "
        "322.0]\n[66.0, 4.0]\n[[0.0, 2.0, 4.0, 6.0], 200.0]\n"
        "{'a': <tf.Tensor: shape=(), dtype=int32, numpy=2>, 'b': [None, <tf.Tensor: shape=(), "
        "dtype=string, numpy=b'text'>, <tf.Tensor: shape=(), dtype=int32, numpy=3>]}\n[24.0, 36.0]\nTrue "
        "True True\n"
        "a gradient, after a loop of the device, of what was made in it or before it is not there under "
        "tilescope run: take it within the loop" +
            asks +
            "True 3\n[24.0, 60.0] [[12.0, 18.0], [24.0, 36.0]] 24.0\n"
            "[96.0, 264.0] [[48.0, 54.0], [96.0, 108.0]] 120.0\n[168.0, 349.0] 168.5\n");
    EXPECT_EQ(output_of(own("several_loops_1.py"), {}, {"1"}), "4 4 True True True True\n");
    // One engine run, which the host starts once: 2,398 us of 1.33 GHz.
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT COUNT(*) AS runs, SUM(cycles > 3189150) AS begun FROM execution", "--format",
                       "csv"}),
              "runs,begun\n3,1\n");
    const Outcome accumulated = run({"run", own("several_loops_1.py"), "2"});
    EXPECT_EQ(accumulated.exit_code, 3);
    EXPECT_TRUE(holds(accumulated.err, "several_loops_1.py:54: an update in a branch on a tensor, with "
                                       "accumulated gradients is not there under tilescope run: update in "
                                       "each step, by gradients that are 0 where the branch is not taken" +
                                           asks))
        << accumulated.err;
}

// As TensorFlow 2.6 and Keras print them.
TEST_F(RunScriptFunctions, NumbersTensorsAndDataSetsAreShownAsTensorFlowShowsThem) {
    EXPECT_EQ(
        output_of(own("shown_values.py")),
        "[0.333333343 0.1 2.5 1e-08 1e+10 inf nan -0 16777216 0.693147182]\n"
        "0.33333333333333331 0.1 0.0999755859 0.666666687 7 1\n"
        "one [\"a\" \"bc\"]\ntf.Tensor([b'a' b'bc'], shape=(2,), dtype=string) b'one' [b'a', b'b']\n"
        "tensorflow 20\n2 0\n"
        "<TensorSliceDataset shapes: {a: (), b: (2,)}, types: {a: tf.int64, b: tf.float32}>\n"
        "<PrefetchDataset shapes: ((None,), (None, 2)), types: (tf.int64, tf.float32)>\n"
        "<BatchDataset shapes: ((2,), (2,)), types: (tf.int64, tf.float32)> <ParallelMapDataset shapes: (), "
        "types: tf.int64> <TakeDataset shapes: {a: (), b: (2,)}, types: {a: tf.int64, b: tf.float32}> "
        "<TensorSliceDataset shapes: {a: (), b: (2,)}, types: {a: tf.int64, b: tf.float32}>\n"
        "0 end\nEnd of sequence\n4 -1\nYou must install pydot\nFalse\n"
        "InvalidArgumentError True matmul: expects inner dimensions that agree\n"
        "InvalidArgumentError True matmul: expects inner dimensions that agree\n"
        "Please provide to Input a `shape` argument\n"
        "SavedModel file does not exist at\n3.0 4.0\n4.5 6.25 "
        "v/ExponentialMovingAverage:0\n"
        "Tensor(\"x:0\", shape=(?, 3), dtype=float32) <tf.Tensor 'x:0' shape=(?, 3) dtype=float32> "
        "Tensor(\"Placeholder:0\", dtype=int32, device=/device:IPU:0) Tensor(\"add:0\", shape=(?, 3), "
        "dtype=float32, device=/device:IPU:0)\n"
        "['net/d/kernel:0', 'net/d/bias:0', 'net/d/kernel/Momentum:0', 'net/d/bias/Momentum:0']\n"
        "['net/d/bias/Momentum:0', 'net/d/kernel/Momentum:0']\n");
}

// The first two lines as Keras' guide has them.
TEST_F(RunScriptFunctions, FunctionalModelsListTheirLayersAsKerasDoes) {
    EXPECT_EQ(
        output_of(own("keras_summaries.py")),
        "['title', 'body', 'embedding', 'embedding_1', 'lstm', 'lstm_1', 'tags', 'concatenate', 'priority', "
        "'department']\n"
        "['img', 'conv2d', 'max_pooling2d', 'conv2d_1', 'conv2d_2', 'add', 'global_average_pooling2d', "
        "'dense']\n"
        "Sequential ['layers', 'name'] ['InputLayer', 'Dense', 'Dense'] Sequential 49\n"
        "{'name': 'SGD', 'learning_rate': 0.5, 'decay': 0.0, 'momentum': 0.25, 'nesterov': False, "
        "'clipnorm': "
        "1.0} ['name', 'learning_rate', 'decay', 'beta_1', 'beta_2', 'epsilon', 'amsgrad']\n"
        "input_1 (InputLayer) [(None, 4)]\nencoder (Functional) [(None, 2), (None, 3)]\n"
        "dense_6 (Dense) (None, 2)\ntf.math.square (TFOpLambda) (None, 2)\ndense_5 (Dense) (None, 2)\n"
        "tf.math.multiply (TFOpLambda) (None, 2)\ntf.math.subtract (TFOpLambda) (None, 2)\n"
        "tf.__operators__.add (TFOpLambda) (None, 2)\ntf.nn.relu (TFOpLambda) (None, 2)\n"
        "tf.__operators__.getitem (SlicingOpLambda) (None,)\n"
        "tf.__operators__.getitem_1 (SlicingOpLambda) (None, 2)\ntf.math.truediv (TFOpLambda) (None,)\n"
        "tf.linalg.matmul (TFOpLambda) (None, None)\ntf.math.reduce_mean (TFOpLambda) ()\n"
        "tf.math.reduce_sum (TFOpLambda) ()\ntf.math.multiply_1 (TFOpLambda) (None, 2)\n"
        "tf.__operators__.add_1 (TFOpLambda) ()\ntf.__operators__.add_2 (TFOpLambda) (None, 2)\n"
        "['input_1', 'dense', 'dense_1', 'tf.math.square', 'tf.math.reduce_mean', 'add_loss', "
        "'tf.math.reduce_sum', 'add_metric', 'tf.math.reduce_sum_1', 'add_loss_1'] ['TFOpLambda', "
        "'TFOpLambda', 'AddLoss', 'TFOpLambda', 'AddMetric', 'TFOpLambda', 'AddLoss']\n"
        "['add_loss (AddLoss) ()', 'tf.math.reduce_sum (TFOpLambda) ()', 'add_metric (AddMetric) ()', "
        "'tf.math.reduce_sum_1 (TFOpLambda) ()', 'add_loss_1 (AddLoss) ()'] 21\n");
}

TEST_F(RunScriptFunctions, ModelsThatAreLoadedAreCompiledAsTheyWere) {
    EXPECT_EQ(output_of(own("keras_saved_compile.py")),
              "True ['loss', 'accuracy', 'top']\nTrue ['loss', 'distance', 'mse']\nNone\nTrue\n"
              "True ['loss', 'first_loss', 'second_loss', 'first_far', 'second_accuracy'] 0.9 4\nTrue\n");
}

// As Keras 2.6 says it.
TEST_F(RunScriptFunctions, CallbacksSayWhatTheySaveAndWhichRateTheySet) {
    EXPECT_EQ(output_of(own("keras_told_saving.py")),
              "\nEpoch 00001: given improved from inf to 3.00000, saving model to c01-3.0.h5\n"
              "\nEpoch 00002: given improved from 3.00000 to 2.00000, saving model to c02-2.0.h5\n"
              "\nEpoch 00003: given did not improve from 2.00000\n"
              "\nEpoch 00003: ReduceLROnPlateau reducing learning rate to 0.010000000149011612.\n"
              "\nEpoch 00004: given improved from 2.00000 to 1.00000, saving model to c04-1.0.h5\n"
              "\nEpoch 00001: LearningRateScheduler setting learning rate to 0.004999999888241291.\n"
              "\nEpoch 00001: saving model to b01.h5\n"
              "\nEpoch 00002: LearningRateScheduler setting learning rate to 0.0024999999441206455.\n"
              "\nEpoch 00002: saving model to b01.h5\n"
              "'epoch,given,loss,lr\\r\\n'\n"
              "'Failed to format this callback filepath: \"c{other}.h5\". Reason: \\'other\\''\n");
}

TEST_F(RunScriptFunctions, EffectsOfBranchesAreRefusedWhereverTheyAre) {
    const std::string changes =
        " NotThere a list, a dictionary, an attribute or a global name that a branch of an `if` on a tensor "
        "changes is not there under tilescope run: both branches are computed\n";
    EXPECT_EQ(output_of(own("effects_of_branches.py")),
              "logged" + changes + "of_own" + changes + "elsewhere" + changes + "counts" + changes + "keeps" +
                  changes + "by_layer" + changes + "6.0 -2.0\n");
}

TEST_F(RunScriptFunctions, FunctionsThatAreNotConvertedStayAsTheyAre) {
    const std::string no_truth = "TypeError using a `tf.Tensor` as a Python `bool`\n";
    EXPECT_EQ(output_of(own("kept_functions.py")), "6.0\n3.0\n" + no_truth + no_truth + no_truth + "6.0\n");
}

// As Keras 2.6 has them.
TEST_F(RunScriptFunctions, LayersWithinLayersHaveTheNamesOfTheirPlaces) {
    const auto names = [](const std::string& before, const std::string& dense, const std::string& norm) {
        return "'" + before + "/scale:0', '" + before + "/" + dense + "/kernel:0', '" + before + "/" + dense +
               "/bias:0', '" + before + "/" + norm + "/gamma:0', '" + before + "/" + norm + "/beta:0', ";
    };
    EXPECT_EQ(output_of(own("keras_nested_names.py")),
              "[" + names("block_1", "dense_3", "norm") + names("outer/block", "dense_1", "norm_1") +
                  names("outer/other", "dense_2", "norm_2") + "'dense/kernel:0', 'dense/bias:0'] True\n[" +
                  names("my/block_2", "dense_4", "norm") +
                  "'my/out/kernel:0', 'my/out/bias:0', 'dense_5/kernel:0', 'dense_5/bias:0']\n[" +
                  names("block_3", "dense_6", "norm") +
                  "'dense_7/kernel:0', 'dense_7/bias:0']\n17 17 10\n"
                  "float32 float32 float32 float32 float32 float16 float32 float16 mixed_float16\n"
                  "float16\n('float16', 'float16') float32 float16 True True\n"
                  "('float32', 'float32') float32 float32 True True\n"
                  "('float16', 'float16') float16 float16 True True\nNone float16\n");
}

// As Keras 2.6 has them.
TEST_F(RunScriptFunctions, WeightsOfRecurrentLayersHaveTheNamesOfTheirCells) {
    EXPECT_EQ(
        output_of(own("recurrent_names.py")),
        "['lstm/lstm_cell', 'gru/gru_cell', 'bidirectional/forward_lstm_1/lstm_cell_2', "
        "'bidirectional/backward_lstm_1/lstm_cell_3', 'both/forward_g/gru_cell_3', "
        "'both/backward_back/gru_cell_2', 'simple_rnn/simple_rnn_cell', 'rnn/lstm_cell_4', "
        "'lstm_2/lstm_cell_5', 'dense']\n"
        "['lstm/lstm_cell/kernel:0', 'lstm/lstm_cell/recurrent_kernel:0', 'lstm/lstm_cell/bias:0'] "
        "bidirectional/backward_lstm_1/lstm_cell_3/recurrent_kernel:0\n"
        "['Adam/lstm/lstm_cell/kernel/m:0', 'Adam/lstm/lstm_cell/recurrent_kernel/m:0', "
        "'Adam/lstm/lstm_cell/bias/m:0']\n"
        "['lstm/lstm_cell/kernel:0', 'lstm/lstm_cell/recurrent_kernel:0', 'lstm/lstm_cell/bias:0'] "
        "['bidirectional/backward_lstm_1/lstm_cell_3/kernel:0', "
        "'bidirectional/backward_lstm_1/lstm_cell_3/recurrent_kernel:0'] (12,)\n"
        "[True, True] ['lstm/lstm_cell_6', 'gru/gru_cell_4', 'bidirectional/forward_lstm_1/lstm_cell_8', "
        "'bidirectional/backward_lstm_1/lstm_cell_9']\n"
        "[[1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0], [3.0, 3.0, 3.0, 3.0]]\n"
        "['own/lstm_3/lstm_cell_12', 'own/rnn_1/stacked_rnn_cells/gru_cell_8', "
        "'own/rnn_1/stacked_rnn_cells/lstm_cell_13']\n"
        "['gru/gru_cell', 'dense'] gru/gru_cell/kernel:0\n"
        "['lstm_cell/kernel:0', 'lstm_cell/recurrent_kernel:0', 'lstm_cell/bias:0']\n");
}

// Against NumPy; places and counts by hand.
TEST_F(RunScriptFunctions, BitsSlicesOfSequencesAndHistograms) {
    const std::string slices = "[[2.0, 3.0, 0.0, 0.0, 1.0, 2.0], [2.0, 3.0, 1.0, 2.0], [1.0, 2.0, 20.0, 0.0, "
                               "40.0, 50.0], [0.0, 0.0, 4.0, 5.0, 0.0, 0.0]]\n";
    const std::string histograms =
        "[[2.0, 3.0, 1.0, 2.0], [0.0, 4.0, 1.0, 3.0], [-3.0, 0.0, 3.0, 6.0, 9.0], [3.0, 4.0, 2.0, 3.0], "
        "[0.25, 0.375, 0.125, 0.25]]\n";
    EXPECT_EQ(output_of(own("bits_and_slices.py")),
              "9\n9\n[255  55] [8] [1099511627777] [False  True] True\n"
              "Value for attr 'T' of float32 is not in the list of allowed values\n"
              "[True, True, True, True, True]\n[True, True, True, True, True]\n" +
                  slices + slices +
                  "[0. 3. 5. 2. 0. 0.]\n"
                  "num_elems and the offsets must have matching, nonzero shapes of rank 1.\n" +
                  histograms + histograms +
                  "[True, True, True, True, True] [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, "
                  "0.0, 0.0, 0.0, 0.0]\n");
}

// By hand.
TEST_F(RunScriptFunctions, WhatIsSortedPickedAndPutHasGradients) {
    std::string wanted;
    for (const std::string name : {"top", "sorted", "replaced", "added", "put"})
        wanted += name + " True True " + name + " True True ";
    EXPECT_EQ(output_of(own("picked_gradients.py")), wanted + "\n(None, 1) [(5, 2), (6, 1), (1,)]\n");
}

// Against NumPy in the script.
TEST_F(RunScriptFunctions, CallsAtOnceAreOfNoPipelineAndNoReplica) {
    EXPECT_EQ(output_of(own("calls_at_once.py")),
              "True\n"
              "True ['dense_1/kernel:0', 'dense_2/kernel:0']\n"
              "True True\n"
              "True 16 ['inner', '(Dense)', 'multiple', '16'] own/inner/kernel\n"
              "[('first', 0, 0), ('first', 1, 1), ('second', 0, 1)]\n");
}

// By hand.
TEST_F(RunScriptFunctions, ShapesThatScriptsSayAreKept) {
    EXPECT_EQ(output_of(own("static_batches.py")),
              "(8, 6) (8, 2, 3) (8, 1) (8, 1) (8, 6)\n"
              "['8, 6', '8, 2, 3', '8, 1']\n"
              "(16, 1)\n"
              "(None, 2) (8, 2)\n"
              "[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]\n"
              "(2, 3) Tensor's shape (2, 3) is not compatible with supplied shape (3, 3).\n");
}

// Against Python's numbers; what the variables become by hand.
TEST_F(RunScriptFunctions, VariablesSayTheStepsOfLoopsAndShapes) {
    EXPECT_EQ(
        output_of(own("settled_variables.py")),
        "True True True True True [(10.0, 31.0, 6), (12.0, 73.0, 7), (14.0, 129.0, 8)]\n24.0 4\n"
        "NotThere a loop in the body of another one, of as many steps as Variable:0 says, which the function "
        "changes is not there under tilescope run: give the number as an argument of the function" +
            asks + "4.0\nTrue (3, 2)\n");
}

// Against NumPy.
TEST_F(RunScriptFunctions, PartsOfVariablesAreChangedAndRead) {
    EXPECT_EQ(output_of(own("parts_of_variables.py")), "True True\n"
                                                       "True True\n"
                                                       "host device True False 2\n"
                                                       "[14.  3.] [[3. 6.]]\n"
                                                       "[[0.0, 5.0], [2.0, 3.0], [5.0, 5.0]]\n"
                                                       "sparse_delta is not IndexedSlices: [1.0]\n");
}

// Against NumPy and by hand.
TEST_F(RunScriptFunctions, ListsOfTensorsAreTensors) {
    EXPECT_EQ(output_of(own("packed_lists.py")),
              "[True, True, True, True, True, True, True, True]\n"
              "True True True True True True a second next() of one iterator in a step, or a loop over a "
              "data set in a function that the device runs, is not there under tilescope run: put it into a "
              "loop over tf.range\n"
              "[5.0, 5.0]\n"
              "[[4.0, 1.0, 2.0], [4.0, 4.0]]\n");
}

// By hand: 2 v, twice that, and 2 v of what v was and is; 6 u u' + 3 u^2 of 2 and 5; 9 + 2 3 10 of 3 and 10;
// 3 w^2 of 0.8 and 1.6, and 2 w of 1 and 2.
TEST_F(RunScriptFunctions, GradientsAreOfTheValuesThatATapeRead) {
    const auto refused = [](const std::string& name) {
        return "the gradient through an earlier value of variable " + name +
               " is not there under tilescope run: it was given another value within the tape; assign it "
               "after the tape" +
               asks;
    };
    EXPECT_EQ(output_of(own("assigned_within_tapes.py")), "[6. 8.]\n"
                                                          "[12. 16.]\n"
                                                          "86.0\n"
                                                          "[16. 20.]\n"
                                                          "72.0\n"
                                                          "69.0\n"
                                                          "69.0\n"
                                                          "[0.8 1.6] [ 3.92 11.68] 1\n" +
                                                              refused("dense/kernel:0") +
                                                              refused("weights:0"));
}

// By hand: v of 3 and 10, w of 2.5; and against NumPy in the script.
TEST_F(RunScriptFunctions, NoGradientGoesThroughWhatWasMadeBeforeATapeOrAssigned) {
    EXPECT_EQ(
        output_of(own("before_tapes.py")),
        "before [9.0]\nassigned [69.0]\nmoved [15.0, 6.25]\nadded [8.0]\nlooped [18.0]\n"
        "two [True, True, True]\n"
        "a gradient of a tape through what was made before it, of what it is taken by is not there under "
        "tilescope run: make it within the tape, or hold it fixed with tf.stop_gradient" +
            asks + "True\nTrue True\n");
}

} // namespace
} // namespace tilescope::tests
