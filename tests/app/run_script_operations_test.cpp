// SPDX-License-Identifier: GPL-3.0-or-later
// Operations, gradients and data that scripts ask for by TensorFlow's names. What must come out, the scripts
// work out with NumPy or by hand, and end with a traceback where it does not.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptOperations = RunScript;

TEST_F(RunScriptOperations, OnTheHostAndOnTheDeviceAreAsNumPys) {
    EXPECT_EQ(output_of(own("array_operations.py")), "32 24 3 [[1], [2]]\n"
                                                     "['int64', 'int64', 'bool', 'float64', 'float32']\n"
                                                     "[[0, 2, 4, 6], [8, 10, 0, 2], [4, 6, 8, 10]]\n"
                                                     "apart Condition x < y did not hold: [1 5] and [2 3]\n");
}

// Bytes that the script puts together, and what follows from them.
TEST_F(RunScriptOperations, RecordsImagesAndLinesAreReadAndPlaceholdersFeedDataSets) {
    EXPECT_EQ(output_of(own("records.py")),
              "[0, 0] 0 [0.0] [7, 8]\n[1, -1] 1 [0.5] [7, 8]\n[2, -2] 2 [1.0] [7, 8]\n"
              "True\n[[0], [1], [2]]\nTrue (2, 2, 1)\n[b'one', b'two', b'', b'last']\n"
              "[b'ne\\r\\n', b'two\\n', b'\\nlas']\n[b'hand.tfrecord', b'written.tfrecord']\n"
              "lines.txt: record 0 has a damaged length; write the file again; it must be one of TFRecords\n"
              "the bytes are no tf.train.Example: a field is cut short; check what is written as a record\n"
              "Key: label.  Data types don't match. Expected type: int64, the feature has float32\n"
              "Feature: label (data type: int64) is required but could not be found.\n"
              "keras.utils.get_file('gone.txt'): nothing is downloaded; put "
              "gone.txt into the folder of --data\n"
              "././lines.txt\n[(3, 120, True), (3, 120, True)]\n"
              "[2, 3] [1, 2] [11, 21] [10, 20]\n[4, 5] [3, 4] [11, 21] [10, 20]\n[2, 3] [1, 2] [11, 21] "
              "[10, 20]\n"
              "48\nYou must feed a value for placeholder tensor 'Placeholder' with dtype int32\n");
}

TEST_F(RunScriptOperations, DataSetsOverRandomNumbersAreDrawnAsTheirIteratorsBegin) {
    EXPECT_EQ(output_of(own("drawn_data.py")),
              "drawn True True True True True\nanew True\ncomputed [2.0, 8.0]\nonce 5\n"
              "on the device (4, 2, 3) True True True\n"
              "You must feed a value for placeholder tensor 'Placeholder' with dtype float32\n");
}

// Powers of two change no weight; the factor follows by hand from the rule in the script.
TEST_F(RunScriptOperations, LossesAreScaledByTheirGradients) {
    EXPECT_EQ(output_of(own("keras_als.py")),
              "scaled True True [4.0, 2.0, 1] 0.5\ngreatest True [4.0, 2.0, 0]\n"
              "beyond True [2.0, 4.0, 0]\nleast [1.0, 2.0, 0]\n"
              "counted [28.0, 0.0] [1.0, 0.0]\ncounted [0.0, 0.0] [0.0, 0.0]\n"
              "captured True [32.0, 0.0]\ncaptured True [32.0, 0.0]\n"
              "Layer plain does not use an activation function so is not supported by "
              "keras.ipu.layers.CaptureActivationGradients\n"
              "options True [4.0, 2.0, 0]\nloop True [16.0, 8.0, 0]\naccumulated True [16.0, 8.0, 0] 16.0\n"
              "increase_factor must be a power of two\n"
              "ratio_threshold must be greater than zero and less than one\n"
              "update_frequency must be nonzero and positive\n"
              "initial_loss_scaling_factor x increase_factor must be less than max_loss_scaling_factor\n");
}

// Against NumPy. The tables, of 15 and 21 floats, are on no tile; of each the numbers of 4 rows go out, and
// 12 floats come in, and the gradients of those of the first go out.
TEST_F(RunScriptOperations, TablesOfTheHostAreLookedUpAndUpdated) {
    EXPECT_EQ(output_of(own("host_embedding.py")),
              "losses True 6\ntable True True True\nUnknown partition strategy ROW\n");
    EXPECT_EQ(
        printed({"query", "run.tilescope",
                 "SELECT count(*) FROM variable WHERE name IN ('trained', 'constant')", "--format", "csv"}),
        "count(*)\n0\n");
}

// Worked out by hand in the script.
TEST_F(RunScriptOperations, VariablesOfTensorFlow1AreRegularisedAndKeptFixed) {
    EXPECT_EQ(
        output_of(own("regularised_1.py")),
        "['w/Regularizer/regularizer:0', 'inner/v/Regularizer/regularizer:0', "
        "'inner/fixed/kernel/Regularizer/regularizer:0', 'inner/fixed/bias/Regularizer/regularizer:0', "
        "'dense/kernel/Regularizer/regularizer:0'] 3\n13.75\n"
        "w [[2.700000047683716, -3.5999999046325684]]\ninner/v [1.75, -0.75]\n"
        "inner/fixed/kernel [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]\n"
        "dense/kernel [[0.375], [0.375], [0.375]]\n"
        "tf.layers.dense(activity_regularizer=…) is not there under tilescope run: compute it from what the "
        "layer gives, or use a Keras layer" +
            asks +
            "an initializer of 2 values cannot give a variable of shape [3]: few\n[] []\n"
            "You called `set_weights(weights)` on layer \"dense_1\" with a weight list of length 1, but the "
            "layer "
            "was expecting 0 weights: build it, or call it, first.\n"
            "[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [0.0, 0.0]]\n"
            "[[[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]], [5.0, 6.0]]\n2.0\n");
}

TEST_F(RunScriptOperations, ImagesWindowsAndArgumentsByPlaceAreAsInTensorFlow) {
    EXPECT_EQ(output_of(own("images.py")), "17 windows\n");
}

TEST_F(RunScriptOperations, ProgramsDrawAnewInEachStep) {
    EXPECT_EQ(output_of(own("random_numbers.py")),
              "True 2 False\nTrue 2 False\n"
              "tapes [True, True, True, True]\nseeded True True\nat once True True True\n"
              "inference True True\nkept True\ninitialisers True False True\n"
              "of layers [False, False, True, True, True]\n"
              "session [True, True, True, True, True]\nTrue\n");
}

TEST_F(RunScriptOperations, LossesCompareColumnsAsKerasDoes) {
    EXPECT_EQ(output_of(own("keras_comparing.py")), "compared\n");
}

TEST_F(RunScriptOperations, MetricsOfCountsAreOfAllBatches) {
    EXPECT_EQ(
        output_of(own("keras_counts.py")),
        "0.75 auc auc_1\n1.0\n0.75\n0.5 0.5 1.0 1.0 1.0 1.0\n[0.6666666865348816, 0.0]\n"
        "['loss', 'accuracy', 'area', 'recall_1', 'val_loss', 'val_accuracy', 'val_area', 'val_recall_1']\n"
        "areas\n0.5\n"
        "0.75 0.5 0.75 0.5\n[1.0, 1.0, 1.0, 0.0] [1.0, 0.0, 1.0, 0.0] [0.0, 1.0] [0.0, 1.0]\n"
        "0.3333333432674408 0.46666666865348816\n"
        "`labels` out of bound: mean_io_u_1 of 2 classes takes 0 to 1.\n"
        "`predictions` out of bound: mean_io_u_2 of 2 classes takes 0 to 1.\n"
        "[1.0, 1.0]\n`labels` out of bound: overlap of 3 classes takes 0 to 2.\n"
        "2.125 0.22500000894069672\nTrue\n");
}

TEST_F(RunScriptOperations, GradientsAreThereOutsideOfPrograms) {
    EXPECT_EQ(output_of(own("own_gradients.py")), "[3.0, 12.0, 27.0] 36.0\n"
                                                  "[[288.0, 972.0], None]\n"
                                                  "[2.0, 2.0] 35.0\n"
                                                  "trained True\n"
                                                  "[3.0, 3.0]\n"
                                                  "10340352.0 [49.0, 98.0, 147.0] [[-2.9, -7.8, -12.7]]\n");
}

TEST_F(RunScriptOperations, RecurrentCellsAndOptimisersFollowTheirFormulas) {
    const std::string out = output_of(own("recurrent_cells.py"));
    EXPECT_TRUE(holds(out, "rnn/multi_rnn_cell/cell_1/gru_cell/candidate/kernel:0")) << out;
    EXPECT_TRUE(holds(out, "FtrlOptimizer 1 of 4 are 0\nFtrlOptimizer 1 of 4 are 0\nFtrlOptimizer 1 of 4 are "
                           "0\nAdadeltaOptimizer 0 of 4 are 0\n"))
        << out;
    // 0.75 x [4, 8] + 0.25 x [0, 4]
    EXPECT_TRUE(holds(out, "[3.0, 7.0] w/ExponentialMovingAverage\n")) << out;
}

TEST_F(RunScriptOperations, LayersEnqueueAndFunctionsTakeWhatIsAroundThem) {
    EXPECT_EQ(output_of(own("enqueueing.py")),
              "(3, 2, 2) True\n[0.0, 3.0, 6.0, 9.0]\nTrue (2, 5) True\n"
              "[[[0.0, 0.5], [1.0, 1.5]], [7.0, 7.0]] [[8.0, 9.0]]\n[2.0, 0.0]\n"
              "[[0.06, 0.12], [0.12, 0.24], [0.18, 0.36]] [9.0]\n");
}

TEST_F(RunScriptOperations, OptimisersDecayTheirRateAndClipGradients) {
    EXPECT_EQ(
        output_of(own("keras_clipping.py")),
        "decay True True True\nclipvalue True True True\nclipnorm True True True\nglobal_clipnorm True True "
        "True\n[2.4 3.2] `tape` is required when a `Tensor` loss is passed.\n");
}

TEST_F(RunScriptOperations, GradientsAreClippedOnceTheyAreTogether) {
    const std::string same = " True True True True True True\n";
    EXPECT_EQ(output_of(own("keras_clipping_together.py")), "clipvalue" + same + "clipnorm" + same +
                                                                "global_clipnorm" + same +
                                                                "clipvalue clipnorm" + same);
}

TEST_F(RunScriptOperations, UpdatesHeedConstraintsOfVariables) {
    EXPECT_EQ(output_of(own("constrained_weights.py")),
              "non_neg True True True\nmax_norm True True True\nunit_norm True True True\n"
              "the constraint non_negative is not there under tilescope run; the nearest that is there is "
              "non_neg; ask "
              "for it where Tilescope's issues are kept\n");
}

TEST_F(RunScriptOperations, SumsOfSegmentsHaveGradients) {
    EXPECT_EQ(output_of(own("segments_of_ipu.py")),
              "[[5.0, 5.0, 5.0, 5.0], [0.0, 0.0, 0.0, 0.0], [5.0, 6.0, 7.0, 8.0], [0.0, 0.0, 0.0, 0.0]]\n"
              "[[10.0, 10.0, 10.0, 10.0], [10.0, 10.0, 10.0, 10.0], [10.0, 12.0, 14.0, 16.0]]\n");
}

TEST_F(RunScriptOperations, OptimisersOfTheAddOnsUpdateAsTheyDo) {
    const std::string refused = " is not there under tilescope run: ";
    EXPECT_EQ(output_of(own("addon_optimizers.py")),
              "AdamIpuOptimizer True\nAdamIpuOptimizer True\nLAMBIpuOptimizer True\nSGDIpuOptimizer True\n"
              "AdamIpuOptimizer(m_dtype=float16)" +
                  refused + "the state is of the variables' type here; leave it out" + asks +
                  "AdamIpuOptimizer(debiasing=False)" + refused + "leave it at True" + asks +
                  "LAMBIpuOptimizer(exclude_from_weight_decay=['bias'])" + refused + "leave it at None" +
                  asks);
}

TEST_F(RunScriptOperations, DropoutWithASeedDropsTheSame) {
    EXPECT_EQ(output_of(own("seeded_dropout.py")),
              "[True, True, True, True, False] True [False, False, False]\n"
              "True True\nTrue True\nTrue True\nTrue True\nTrue True\nTrue\nTrue False False\n"
              "(3, 2, 64) True True\n"
              "The rate must be in the range [0, 1), but was 1.0\n"
              "Expected the seed to have a shape [2], but got [3].\n"
              "ipu.rand_ops.dropout: noise_shape [4] does not fit the shape [4, 64]: it has as many extents, "
              "each the "
              "same or 1.\n"
              "ipu.rand_ops.dropout: noise_shape [2, 64] does not fit the shape [4, 64]: it has as many "
              "extents, each "
              "the same or 1.\n");
}

TEST_F(RunScriptOperations, LayersShowWhatTheyAddAsMetrics) {
    EXPECT_EQ(
        output_of(own("keras_added_metrics.py")),
        "loss mae most average val_loss val_mae val_most val_average\n"
        "{'most': True, 'val_average': True}\n{'hidden': True}\n{'total': True}\n{'total': True}\n"
        "Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), "
        "name='mean_activation')`\n"
        "We currently support only `mean` sample-wise metric aggregation. You provided aggregation=`sum`\n"
        "loss avg sum precision {'avg': True, 'sum': True, 'precision': True} "
        "{'avg': True, 'sum': True, 'precision': True} True\n");
}

TEST_F(RunScriptOperations, DataSetsAreMadeOfOthers) {
    EXPECT_EQ(
        output_of(own("data_sets.py")),
        "[1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5]\n"
        "[1, 2, 3, 4, 5, 6, 7, 8, 9]\n5 10\n"
        "`map_func` must return a `Dataset` object. Got EagerTensor: use map() for functions that give "
        "elements.\n"
        "`map_func` must return a `Dataset` object. Got list: use map() for functions that give elements.\n"
        "Expected `batch_size` to be a positive integer, but got 0 instead.\n"
        "[0, 2, 4] [0.0, 0.25, 0.5, 0.75] [3, 6, 9, 12, 15]\n"
        "[[0, 1, 2], [3, 4, 5], [6]] [[0, 1, 2], [3, 4, 5]] [[0, 2, 4], [1, 3, 5], [2, 4, 6]]\n"
        "[[0, 2], [4, 6]] [[0, 1], [3, 4], [6, 7]] 7 3\n"
        "[[0, 1, 2], [1, 2, 3], [2, 3, 4]]\n"
        "[1.0, 2.0] [10, 20]\n[3.0, 4.0] [30, 40]\n"
        "[0, 10, 1, 2, 20, 30] [0, 10, 1, 2] [0, 10, 1, 2]\n"
        "[0, 1, 2] [10, 20, 30, 40] []\n"
        "[0, 10, 20, 1]\n"
        "TensorSpec(shape=(None,), dtype=tf.float32, name=None) ()\n"
        "All datasets must have the same type and class: one has elements of int64, another of float32.\n"
        "All datasets must have the same type and class: one has elements of int64, another of ('int64', "
        "'int64').\n"
        "Invalid `datasets`. `datasets` should not be empty.\n"
        "`weights` must have the same length as `datasets`: their shape is (1,), and there are 2 data sets.\n"
        "Selector index out of range: -1; there are 2 data sets.\n"
        "Selector index out of range: 2; there are 2 data sets.\n"
        "`choice_dataset` must be a dataset of scalar `tf.int64` tensors, and its elements are "
        "TensorSpec(shape=(2,), dtype=tf.float32, name=None).\n"
        "`weights` has [0.0, 0.0], of which none is above 0.\n");
}

TEST_F(RunScriptOperations, GatedUnitsHaveTheDefaultsOfTheirVersion) {
    EXPECT_EQ(output_of(own("gated_units.py")), "[[1.0]]\n[[1.5]]\n[[1.0]]\n0.525\n0.54829\n"
                                                "hard_sigmoid False GRU\nsigmoid True GRU\n");
}

TEST_F(RunScriptOperations, WholeNumbersOf64BitsComeBackAsSuch) {
    EXPECT_EQ(output_of(own("whole_numbers.py")),
              "argmax int64 [1, 0]\nargmax32 int32 [1, 0]\ncast int64 [[1, 5, 2], [3, 1, 0]]\n"
              "chosen int64 [2, 4, 3]\ngathered int64 [1, 2]\nnarrower int32 [1, 2, 3]\n"
              "places int32 [2, 1]\nshape int32 [2, 3]\nsum int64 6\n"
              "cluster int64 [3, 6, 9]\nof_host int64 [2, 3, 4]\nassigned int64 [2, 3]\n"
              "variable int64 [1, 1]\nloop int64 6\ndequeued int64 [0, 1, 2, 3]\n"
              "sums [True, True, True]\n");
}

// What the losses and the rates are is worked out by hand.
TEST_F(RunScriptOperations, InputsAndOutputsOfModelsHaveTheirNamesAndOrder) {
    EXPECT_EQ(output_of(own("keras_names.py")),
              "ab [[4.0], [4.0], [4.0], [4.0], [4.0], [4.0], [4.0]]\n"
              "ba [[4.0], [4.0], [4.0], [4.0], [4.0], [4.0], [4.0]]\n"
              "[1.0] [9.0]\n[1.0] [9.0]\n[1.0] [9.0]\n"
              "['1e-09', '1e-09', '1e-10', '1e-10', '3e-11', '3e-11', '3e-11', '3e-11', '3e-11']\n");
}

// Parameters and shapes are those of Keras' documentation.
TEST_F(RunScriptOperations, ArchitecturesOfKerasAreThereWithoutWeights) {
    EXPECT_EQ(output_of(own("keras_applications.py"), {}, {}),
              "MobileNet True True\nMobileNetV2 True True\nResNet50 True True\nResNet50V2 True True\n"
              "DenseNet121 True True\nXception True (None, 299, 299, 3) True\nInceptionV3 True (None, 299, "
              "299, 3) True\n"
              "VGG16 True (None, 512) ['input_13', 'block1_conv1', 'block1_conv2']\n"
              "alpha True\nfrozen 2 True [ 0.005 -0.005]\nloaded True True\n"
              "[-1.  0.  1.] [ 151.061   10.721 -123.68 ] [-2.118  0.196  2.64 ]\n");
}

// The weights are worked out by hand in the script.
TEST_F(RunScriptOperations, ModelsWithLayersInCommonHaveTheirWeightsInCommon) {
    EXPECT_EQ(output_of(own("keras_shared.py")),
              "[2.88, -0.12] True\n2.0\n[2.88, -0.12] True\n2.0\nFalse True\n2 False\n[0.96, 0.92704]\n"
              "True True\nTrue\n");
}

TEST_F(RunScriptOperations, WeightedMetricsWeighSamplesAsNumPyDoes) {
    EXPECT_EQ(
        output_of(own("keras_weighted.py")),
        "weighted True ['loss', 'accuracy', 'weighted_accuracy', 'entropy']\ndiffers True\nwithout True\n"
        "own step True\ncounted True\nFound two metrics with the same name: accuracy\n");
}

// Against the same models without, and updates of two optimisers against NumPy.
TEST_F(RunScriptOperations, ModelsHaveStepsOfTheirOwn) {
    const Outcome outcome = run({"run", own("keras_steps.py")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "on hardware Keras refuses Compiled.train_step within an IPUStrategy"));
    EXPECT_FALSE(holds(outcome.err, "Trackers.train_step")) << "it is of the host";
    EXPECT_EQ(outcome.out,
              "Compiled True True True True True\nKeras True True True True True\nweighted True True True\n"
              "trackers True True True True\nreplicas True True True\n"
              "apart True 8.0\ntogether True 8.0\nseveral True 8.0\npenalty True True True\n"
              "learning ['mse', 'apart'] True True 2 True 1.0\ndrawn (2, 3) True\n");
}

// (x0 + x1 - (x0 + x1 + 2))^2 = 4; the other output's label is off by 3.
// Of 4 weights of 0.5: 4 * 0.25 * 1 and 4 * 0.25 * 10.
TEST_F(RunScriptOperations, WhatIsReadBehindAnUpdateLeavesItAsItIs) {
    EXPECT_EQ(output_of(own("keras_step_reads.py")),
              "once True True\ntwice True True\nclipped True True\ntenfold True\nlosses 1.0 10.0\n"
              "metrics begin anew True True\nrate True\ntwo outputs True\nstate kept True\n");
}

TEST_F(RunScriptOperations, LabelsAreThoseOfTheirOutputs) {
    const Outcome outcome = run({"run", own("keras_labels.py")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(
        outcome.out,
        "[4.0, 4.0] [4.0, 4.0] [4.0, 4.0]\n[13.0, 9.0, 4.0]\n"
        "Found unexpected keys that do not correspond to any Model output: ['b', 'c']. Expected: ['a', 'b']\n"
        "[4.0, 4.0]\n[4.0, 4.0, 4.0, 4.0, 4.0]\n");
    for (const std::string said : {"Learning rate reduction is conditioned", "Early stopping conditioned",
                                   "Saving the best model only is conditioned"}) {
        const std::string line =
            said + " on metric `val_loss` which is not available. Available metrics are: loss,lr\n";
        EXPECT_TRUE(holds(outcome.err, line)) << outcome.err;
        EXPECT_EQ(outcome.err.find(line), outcome.err.rfind(line)) << outcome.err;
    }
}

// Mistakes that Python or NumPy would tell of from within: one line with what the script called, or an error
// of its own.
TEST_F(RunScriptOperations, WrongInputsAreToldOfWhereTheyAreGiven) {
    const std::string begin = "import numpy as np\nimport tensorflow as tf\nfrom tensorflow import keras\n"
                              "X = np.ones((16, 2), np.float32)\n"
                              "m = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])\n"
                              "m.compile('sgd', 'mse')\n";
    const auto tells = [&](const std::string& line, int code, const std::vector<std::string>& parts) {
        const Outcome outcome = run({"run", write("script.py", begin + line + "\n")});
        EXPECT_EQ(outcome.exit_code, code) << line << outcome.err;
        for (const auto& part : parts)
            EXPECT_TRUE(holds(outcome.err, part)) << line << outcome.err;
        EXPECT_FALSE(holds(outcome.err, "tilescope_front")) << outcome.err;
        EXPECT_EQ(holds(outcome.err, "Traceback"), code == 1) << outcome.err;
    };
    tells("m.fit(X, 'a')", 1, {"can handle y: 'a'", "one entry for each sample"});
    tells("m.fit(X)", 1, {"fit() compares with labels, and there is no `y`"});
    tells("m.fit(X, X, batch_size=0)", 1, {"`batch_size` to be a positive integer, but got 0"});
    tells("m.fit(X, X, validation_split=2)", 1, {"between 0 and 1, received: 2"});
    tells("tf.case([tf.constant(True)])", 1, {"pairs (condition, function)", "write [(x > 0"});
    tells("tf.random.shuffle(5)", 1, {"one dimension or more"});
    tells("tf.range('a')", 1, {"tf.range takes numbers (start, limit, delta), and got 0, a, 1"});
    tells("keras.models.model_from_json('{}')", 1, {"model.to_json()", "no \"class_name\" and \"config\""});
    tells("keras.models.model_from_json('?')", 1, {"model.to_json()", "no JSON"});
    tells("tf.Variable([1.0]).assign([1.0, 2.0])", 1,
          {"Variable:0", "shape (1,)", "shape (2,) are incompatible"});
    tells("tf.gather([1, 2, 3], 7)", 1, {"indices = 7 is not in [0, 3)"});
    tells("tf.reduce_sum(X, axis=4)", 1, {"axis 4 is not there: the tensor has 2 dimensions, -2 to 1"});
    tells("keras.Model(3, 4)", 1, {"keras.Input() and layers give, and got 3"});
    tells("keras.Model(keras.Input((2,), name='a'), keras.Input((2,), name='b'))", 1,
          {"Graph disconnected", "need the input \"b\""});
    tells("keras.Sequential([3])", 1, {"instance of class Layer. Found: 3"});
    // None of ours looks for these.
    tells("x = tf.stack([tf.ones([2]), tf.ones([3])])", 3,
          {"script.py:7: tf.stack([tf.ones([2]), tf.ones([3])]): all the input array",
           "; check what is given to it; where that is right the mistake is Tilescope's: report it where its "
           "issues are kept\n"});
    tells("m.fit(X, X[:, :1], callbacks=3)", 3, {"script.py:7: m.fit(X, X[:, :1], callbacks=3): 'int'"});
    tells("tf.zeros('a')", 3, {"script.py:7: tf.zeros('a'): invalid literal"});
    tells("tf.cond(True,\n  1, 2)", 3, {"script.py:7: tf.cond(True,…: 'int' object is not callable"});
    // What the script itself does wrong is its own, also where ours call it.
    tells("tf.data.Dataset.range(3).map(lambda x: [][1])", 1, {"IndexError: list index out of range"});
}

// IPU TensorFlow takes int64 for int32 on the device: driver/xla_ipu_common.cc.
TEST_F(RunScriptOperations, WholeNumbersOf64BitsGoToTheIpu) {
    const std::string script =
        "import tensorflow.compat.v1 as tf\nfrom tensorflow.python import ipu\ntf.disable_v2_behavior()\n"
        "config = ipu.config.IPUConfig()\nconfig.auto_select_ipus = 1\nconfig.configure_ipu_system()\n"
        "a, label = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.int64, [2])\n"
        "def share(a, label):\n"
        "  return tf.reduce_mean(tf.cast(tf.equal(tf.argmax(a, 1), label), tf.float32))\n"
        "with ipu.scopes.ipu_scope('/device:IPU:0'):\n"
        "  step, w = tf.train.get_or_create_global_step(), tf.get_variable('w', initializer=1.0)\n"
        "  right = ipu.ipu_compiler.compile(share, [a, label])\n"
        "  trained = tf.train.GradientDescentOptimizer(0.5).minimize(w * w, global_step=step)\n"
        "with tf.Session() as s:\n  s.run(tf.global_variables_initializer())\n"
        "  print(s.run(right, {a: [[1, 2, 3], [3, 2, 1]], label: [2, 1]}))\n"
        "  for _ in range(2):\n    s.run(trained)\n  print(s.run([step, w]))\n";
    const Outcome outcome = run({"run", "-o", "whole.tilescope", write("script.py", script)});
    EXPECT_EQ(outcome.out, "[0.5]\n[2, 0.0]\n") << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "WARNING:tensorflow:the global_step is on the IPU")) << outcome.err;
}

TEST_F(RunScriptOperations, StagesAreMappedToIpusThatAreThere) {
    const std::string begin =
        "import tensorflow.compat.v1 as tf\nfrom tensorflow.python import ipu\ntf.disable_v2_behavior()\n"
        "config = ipu.config.IPUConfig()\nconfig.auto_select_ipus = 2\nconfig.configure_ipu_system()\n"
        "data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]).repeat()\n"
        "infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data)\n"
        "outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()\n"
        "def pipe():\n  return ipu.pipelining_ops.pipeline([tf.exp, tf.sqrt], 4, infeed_queue=infeed, "
        "outfeed_queue=outfeed, device_mapping=";
    const std::string end = ")\nwith ipu.scopes.ipu_scope('/device:IPU:0'):\n"
                            "  run = ipu.ipu_compiler.compile(pipe)\n"
                            "with tf.Session() as s:\n  s.run(infeed.initializer)\n  s.run(run)\n";
    for (const auto& [mapping, what] : std::vector<std::pair<std::string, std::string>>{
             {"[0, 5]", "stage 1 is mapped to IPU 5 on a device of 2 IPUs"},
             {"[-1, 0]", "stage 0 is mapped to IPU -1 on a device of 2 IPUs"}})
        expect_failure(run({"run", write("script.py", begin + mapping + end)}), 3, {what, "use IPUs 0 to 1"});
}

// What a script says of convolutions is not of its products, and what it says of a stage is of that stage.
TEST_F(RunScriptOperations, ProductsArePlannedAsTheOptionsOfTheirKindAndStageSay) {
    const std::string script =
        "import numpy as np\nfrom tensorflow import keras\nfrom tensorflow.python import ipu\n"
        "config = ipu.config.IPUConfig()\nconfig.auto_select_ipus = 2\n"
        "config.convolutions.poplar_options = {'availableMemoryProportion': '0.3'}\n"
        "config.matmuls.clear_pass_type = True\n"
        "config.configure_ipu_system()\n"
        "of = ipu.pipelining_ops.PipelineStageOptions\n"
        "with ipu.ipu_strategy.IPUStrategy().scope():\n"
        "  m = keras.Sequential([keras.layers.Dense(4, input_shape=(4,)), keras.layers.Dense(2)])\n"
        "  m.set_pipeline_stage_assignment([0, 1])\n"
        "  m.set_pipelining_options(gradient_accumulation_steps_per_replica=4,\n"
        "      forward_propagation_stages_poplar_options=[of(), "
        "of(matmul_options={'partialsType': 'half'})]@)\n"
        "  m.compile('sgd', 'mse', steps_per_execution=4)\n"
        "  m.fit(np.zeros((8, 4)), np.zeros((8, 2)), batch_size=2)\n";
    const auto with = [&](const std::string& more) {
        std::string text = script;
        return write("script.py", text.replace(text.find('@'), 1, more));
    };
    printed({"run", "-o", "planned.tilescope", "--estimate", with("")});
    const auto rows = nlohmann::json::parse(printed(
        {"query", "planned.tilescope",
         "SELECT json_extract(workload, '$.ipu_config.products') AS rules FROM run", "--format", "json"}));
    EXPECT_EQ(rows.at(0).at("rules"),
              R"([{"available_memory_proportion":0.3,"of":"convolutions"},)"
              R"({"clear_pass_type":true,"of":"matmuls"},)"
              R"({"of":"matmuls","partials_type":"float16","passes":["forward"],"stages":[1]}])");
    const Outcome unequal = run({"run", with(", backward_propagation_stages_poplar_options=[of()]")});
    EXPECT_EQ(unequal.exit_code, 1);
    EXPECT_TRUE(holds(unequal.err,
                      "backward_propagation_stages_poplar_options has 1 entries for 2 stages: give one"));
}

TEST_F(RunScriptOperations, WrongArgumentsAndModulesAreOneLine) {
    const auto fails = [&](const std::string& text, const std::vector<std::string>& parts) {
        const Outcome outcome = run({"run", write("script.py", text)});
        expect_failure(outcome, 3, parts);
        EXPECT_FALSE(holds(outcome.err, "Traceback")) << outcome.err;
    };
    const std::string keras = "from tensorflow import keras\n";
    fails(keras + "keras.layers.Conv2D(8, kernel=3)\n",
          {"argument of tensorflow.keras.layers.Conv2D: kernel is", "kernel_size"});
    fails(keras + "keras.callbacks.EarlyStopping(patiense=2)\n",
          {"argument of tensorflow.keras.callbacks.EarlyStopping(): patiense is", "patience"});
    const std::string ipu = "from tensorflow.python import ipu\n";
    fails(ipu + "ipu.pipelining_ops.pipeline([], gradient_accumulation_cout=3)\n",
          {"argument of tensorflow.python.ipu.pipelining_ops.pipeline(): gradient_accumulation_cout",
           "gradient_accumulation_count"});
    // Of the function that is called, not of another of its name; also of one that is called by another name.
    fails(ipu + "ipu.loops.repeat(2, print, infeeds=[])\n",
          {"argument of tensorflow.python.ipu.loops.repeat(): infeeds is", "is infeed_queue"});
    fails("from tensorflow.compat.v1 import reduce_sum as total\ntotal([1.0],\n      axs=1)\n",
          {"script.py:2", "argument of tensorflow.reduce_sum(): axs is", "is axis"});
    fails("import tensorflow as tf\ntf.data.Dataset.range(2).batch(2, drop=True)\n",
          {"argument of tensorflow.data.Dataset.batch(): drop is", "is drop_remainder"});
    fails("import tensorflow as tf\ntf.random.uniform([2], sed=1)\n",
          {"argument of tensorflow.random.uniform(): sed is", "is seed"});
    fails("import tensorflow as tf\ntf.saved_model.load('model')\n",
          {"script.py:2", "tf.saved_model.load('model') is", "tf2onnx.convert --saved-model DIR"});
    const Outcome own_function = run({"run", write("script.py", "def repeat(n):\n  pass\nrepeat(m=2)\n")});
    EXPECT_TRUE(holds(own_function.err, "TypeError: repeat() got an unexpected keyword argument 'm'"))
        << own_function.err;
    fails(ipu + "ipu.utils.create_ipu_config(profilng=True)\n",
          {"create_ipu_config(): profilng", "profiling"});
    const std::string in_scope = ipu + keras +
                                 "with ipu.ipu_strategy.IPUStrategy().scope():\n"
                                 "  m = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])\n  ";
    fails(in_scope + "m.set_pipelining_options(gradient_accumulation_steps=4)\n",
          {"set_pipelining_options(): gradient_accumulation_steps is",
           "gradient_accumulation_steps_per_replica"});
    const auto own_step = [&](const std::string& method) {
        return keras + "import numpy as np\nimport tensorflow as tf\nclass Own(keras.Sequential):\n  " +
               method +
               "\nm = Own([keras.layers.Dense(1, input_shape=(2,))])\nm.compile('sgd', 'mse')\n"
               "m.fit(np.ones((4, 2)), np.ones((4, 1)), batch_size=4)\n";
    };
    fails(own_step("def make_train_function(self):\n    pass"),
          {"script.py:9", "Own.make_train_function", "write train_step"});
    fails(
        own_step(
            "def train_step(self, data):\n    m = keras.metrics.Mean()\n    m.update_state(1.0)\n    return "
            "{'twice': m.result() * 2}"),
        {"script.py:11", "mean.result() in what a step computes", "return it as a value of the step"});
    fails(keras + "keras.applications.ResNet50()\n",
          {"script.py:2", "ResNet50(weights='imagenet')", "weights=None"});
    fails(keras + "keras.applications.ResNet5(weights=None)\n", {"applications.ResNet5 ", "ResNet50"});
    fails("import tensorflow_hub\ntensorflow_hub.load('x')\n",
          {"script.py:2", "tensorflow_hub.load", "nothing is downloaded"});
    // What can do without a module goes on without it.
    EXPECT_EQ(run({"run", write("without.py", "for name in 'horovod', 'tensorflow.contrib':\n  try:\n    "
                                              "__import__(name)\n  except ImportError:\n    print(name)\n"
                                              "from tensorflow_core.python.keras.backend import floatx\n")})
                  .out,
              "horovod\ntensorflow.contrib\n");
}

TEST_F(RunScriptOperations, FoldersOfImagesAreDataSets) {
    EXPECT_EQ(
        output_of(own("image_folder.py")),
        "Found 12 files belonging to 3 classes.\n"
        "['cats', 'dogs', 'owls'] [[5, 2, 2, 3], [5, 2, 2, 3], [2, 2, 2, 3]] [[0, 0, 0, 0, 1], [1, 1, 1, 2, "
        "2], [2, 2]]\n"
        "[0.0, 0.0, 10.0] (None, 2, 2, 3)\n"
        "Found 12 files belonging to 3 classes.\nFound 12 files belonging to 3 classes.\n"
        "[9, 3] 12 (3,)\n[0.0, 90.0, 0.0]\n1.0 1.0 float16\n");
}

// Against NumPy and by hand in the scripts.
TEST_F(RunScriptOperations, CommonNamesAreThere) {
    EXPECT_EQ(
        output_of(own("common_names.py")),
        "True True True\n"
        "[True, True, True] [2, 6, 24, 120, 720] [1.0, 2.0, 6.0] [24.0, 12.0, 4.0] [12.0, 4.0, 1.0]\n"
        "[True, True, True, True, True]\n"
        "[0, 1, 2] int64\n"
        "[16.0, 10.0, 6.0]\n"
        "[] [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU'), "
        "PhysicalDevice(name='/physical_device:IPU:0', device_type='IPU')]\n"
        "whole inner 6 3 ['b:0', 'w:0'] 3 [[3.5, 2.5]]\n"
        "True 3\n"
        "[True, True] (12, 1)\n"
        "['/device:IPU:0', '/device:IPU:1']\n"
        "True 3 (12, 1)\n"
        "`generator` yielded an element of shape (2, 2) where an element of shape (5, 2) was expected.\n"
        "`y` argument is not supported when using `keras.utils.Sequence` as input.\n"
        "LAST\n");
}

TEST_F(RunScriptOperations, CommonNamesOfTensorFlow1AreThere) {
    EXPECT_EQ(output_of(own("common_names_1.py"), {},
                        {"--name=me", "--count", "7", "--loud", "rest", "--noquiet", "--size=2", "--size",
                         "3", "--parts", "a,b,c"}),
              "['rest'] me 7 None True False a ['a', 'b', 'c'] [2, 3]\n"
              "flag --kind=c: value should be one of <a|b>\nUnknown command line flag 'nope'\n"
              "flag --count=x: invalid literal for int() with base 10: 'x'\n"
              "['shared/kernel:0', 'shared/bias:0'] ['inside/dense/kernel:0', 'inside/dense/bias:0'] 4\n"
              "[array([[3., 3.],\n       [3., 3.]], dtype=float32), array([[6., 6.],\n       [6., 6.]], "
              "dtype=float32)] [[12.0, 12.0], [12.0, 12.0]]\n"
              "[10.0, 9.5] 3 [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]\n");
    const Outcome wrong = run({"run", "-o", "run.tilescope", own("common_names_1.py"), "--nope"});
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_TRUE(holds(wrong.err, "FATAL Flags parsing error: Unknown command line flag 'nope'\n"))
        << wrong.err;
}

TEST_F(RunScriptOperations, FlagsMayBeReadBeforeMainIs) {
    EXPECT_EQ(output_of(own("flags_before_main.py"), {}, {"--size=2", "-k", "b", "rest", "--size", "3"}),
              "[2, 3] b\n['rest'] [2, 3] b 3\n");
    const Outcome wrong = run({"run", "-o", "run.tilescope", own("flags_before_main.py"), "--count=x"});
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_TRUE(holds(wrong.err, "FATAL Flags parsing error: flag --count=x: ")) << wrong.err;
    EXPECT_FALSE(holds(wrong.err, "Traceback")) << wrong.err;
}

// Against NumPy in the script.
TEST_F(RunScriptOperations, MoreOfNnIsThere) {
    EXPECT_EQ(output_of(own("nn_more.py")), "True True True True True True\n"
                                            "True True True\n"
                                            "True\n"
                                            "[3.0, 2.0] [1, 2]\n");
}

// Against NumPy, and how often classes come in 400 draws.
TEST_F(RunScriptOperations, CandidatesAreDrawnAmongClassesForSampledLosses) {
    EXPECT_EQ(output_of(own("sampled_classes.py")), "['int64', 'float32', 'float32'] True True True True\n"
                                                    "['int64', 'float32', 'float32'] True True True True\n"
                                                    "True True 5.0\n"
                                                    "{1.5} (30,)\n"
                                                    "[0, 1, 2] True\n"
                                                    "True (20, 4)\n");
}

} // namespace
} // namespace tilescope::tests
