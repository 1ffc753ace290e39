// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs of TensorFlow 1, what sessions, data sets and estimators make of them, checkpoints, arrays of
// tensors.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptGraphs = RunScript;

// Against NumPy in the script.
TEST_F(RunScriptGraphs, WhatIsComputedOfAnOpenBatchHasAShape) {
    EXPECT_EQ(
        output_of(own("open_shapes.py")),
        "{'last': [None, 4], 'rest': [None, 8, 4], 'first': [8, 4], 'zeros': [None, 8, 4], 'ones': [None, 8, "
        "4], 'stacked': [None, 2, 8, 4], 'joined': [None, 8, 8], 'squeezed': [None, 8, 4], 'mean': [None], "
        "'step': [None, 4], 'positive': [None, 8, 4], 'tiled': [None, 16, 4], 'filled': [None, 2], 'back': "
        "[None, 3]}\n"
        "[] True\n[] True\n"
        "(None, 8) (None, 4) (None, 8, 8)\n"
        "True (3, 4) (2, 8, 8)\n"
        "[(3, 3), (5, 3)]\n"
        "the shape for Placeholder_4:0 is not known before the program runs: give all extents but one a "
        "number\n"
        "a slice of dimension 0, whose extent is open, is not known before the program runs: give the "
        "placeholder a shape\n");
}

// By hand and against NumPy in the script.
TEST_F(RunScriptGraphs, ExtentsThatAreOpenAreThoseOfWhatIsFed) {
    EXPECT_EQ(
        output_of(own("open_extents.py")),
        "{'reshape': [None, 2, 2], 'stacked': [None, 2, 2], 'size': [], 'unstack': [4], 'rows': [None, "
        "4], 'columns': [None, 4], 'rest': [None, 4], 'beyond': [None, 4], 'einsum': [None, 2], 'sums': "
        "[4, 4]}\n"
        "[]\n"
        "(None, 1, 2, 1, 1) [[19.0, 23.0], [43.0, 47.0]]\n"
        "(None, None, None, 2) (1, 4, 5, 2) [12.0, 12.0] [27.0, 27.0]\n"
        "[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]\n"
        "[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]\n"
        "56.0 828.0\n"
        "Cannot infer argument `num` from shape (None, 4)\n"
        "padding='SAME' with strides of an image whose extents are open is not known before the "
        "program runs: give the placeholder a height and a width\n"
        "tf.einsum of Placeholder_1:0, whose shape is open: shapes are static on the IPU; give the "
        "placeholder a shape\n"
        "split: expects positive sizes that add up to 2, got {\"axis\":0,\"sizes\":[1]}\n"
        "0-th value returned by PyFunc is float64, but expects float32\n"
        "PyFunc_1 returns 1 values, but expects to see 2 values.\n"
        "1.0\n");
}

TEST_F(RunScriptGraphs, SessionsFeedTheSizesOfDataSets) {
    EXPECT_EQ(output_of(own("fed_counts.py")),
              "(None, 2) [[0.0, 1.0], [2.0, 3.0]]\n[(3, 2), (1, 2)]\n8 {3} True\nTrue\n"
              "(None, 2) [[0.0, 2.0], [4.0, 6.0]] [[4.0, 5.0], [6.0, 7.0]]\n6.0\n"
              "Expected output types ['float32'] but got dataset with output types ['int64'].\n"
              "True 3 True\nTrue 3 True\nTrue\n"
              "24 [] [0, 1, 2, 3, 4, 5, 6, 7] [] [0, 1, 2, 3, 4, 5, 6, 7] []\n"
              "Expected `batch_size` to be a positive integer, but got 0 instead.\n");
}

TEST_F(RunScriptGraphs, TensorsArePrintedInEachStep) {
    EXPECT_EQ(output_of(own("printed.py")),
              "a [1 2.5] {'k': 3} [[0 1 2 ... 7 8 9], 's'] [[0 1]\n [2 3]] None 1\n"
              "in [1 2]\ntwice: [2.0000000 4.0000000]\nlambda [[0]\n [1]]\nlambda [[2]\n [3]]\n"
              "tape 9\n"
              "[array([2., 3.], dtype=float32)] [None, array([2., 6.], dtype=float32)] [3]\n"
              "triple: [3.0000000 6.0000000]\nv: [1.0000000 2.0000000]\na: [1.0000000 3.0000000]\n"
              "i: 0\ni: 1\ni: 2\n"
              "[2. 2.] None\nhost [[1 1]\n ...\n [1 1]]\nhost [[1 1]]\n"
              "[2. 2.]\nmessage: [[1 1]\n [1 1]][2]\n"
              "few: [0 1]\nfew: [1 1]\n"
              "Unknown output stream, output_stream must be sys.stdout, sys.stderr, a function of tf.logging "
              "or \"file://…\", got: 'out.txt'\n"
              "['one [0 1]', 'one [1 1]', 'one [2 1]', 'one [3 1]'] ['two [0 1]', 'branch less', 'two [1 "
              "1]', 'branch less', 'two [2 1]', 'branch more', 'two [3 1]', 'branch more']\n");
}

// By hand.
TEST_F(RunScriptGraphs, EstimatorsCallTheHostAfterEachStep) {
    EXPECT_EQ(output_of(own("host_calls.py")),
              "True\n3.0\n"
              "`host_call` must be a tuple\n"
              "`host_call` must have two elements\n"
              "first element in `host_call` must be callable\n"
              "second element in `host_call` must be a list\n"
              "host_call is not allowed for iterations_per_loop > 1\n"
              "`host_call` return value must be Operation or Tensor, given: 3\n");
}

// Against NumPy in the script.
TEST_F(RunScriptGraphs, ShardsOfAReplicaGatherAndReduce) {
    EXPECT_EQ(output_of(own("shards_together.py")),
              "15 True\n"
              "input_shards should not contain any duplicate entries.\n"
              "ipu.within_replica_ops.all_reduce(op='COLLECTIVE_OP_LOCAL') is not there under tilescope run: "
              "use COLLECTIVE_OP_ADD, COLLECTIVE_OP_MUL, COLLECTIVE_OP_MIN, COLLECTIVE_OP_MAX, "
              "COLLECTIVE_OP_LOGICAL_AND, COLLECTIVE_OP_LOGICAL_OR" +
                  asks + "Expected tensors to all be of the same type.\n");
}

TEST_F(RunScriptGraphs, CheckpointsOfTensorFlow2GoOnWhereTheyWereSaved) {
    EXPECT_EQ(
        output_of(own("checkpoints_2.py")),
        "None\n"
        "kept/ckpt-1 1\n"
        "[1.0, 2.0] 3 True\n"
        "True 5 [1.0, 2.0]\n"
        "['ckpt-3', 'ckpt-4'] kept/ckpt-4\n"
        "Unresolved object in checkpoint\n"
        "Received incompatible tensor with shape (2,) when attempting to restore variable with shape "
        "() and name own/0/.ATTRIBUTES/VARIABLE_VALUE.\n"
        "tf.train.Checkpoint(a=int) is not there under tilescope run: it keeps variables, layers, "
        "models, modules, metrics and optimizers" +
            asks +
            "The passed save_path is not a valid checkpoint: kept/nothing\n"
            "This model has not yet been built. Build the model first by calling `build()` or by "
            "calling the model on a batch of data.\n"
            "True a text 3 3 0.25\n"
            "True True 5\n"
            "True\n"
            "3 True\n"
            "Some Python objects were not bound to checkpointed values, likely due to changes in the "
            "Python program: other\n"
            "Unresolved object in checkpoint: model/layer_with_weights-0/bias/.ATTRIBUTES/VARIABLE_VALUE, "
            "model/layer_with_weights-0/\n"
            "Nothing except the root object matched a checkpointed value. Typically this means that "
            "the checkpoint does not match the\n"
            "No checkpoint specified (save_path=None); nothing is being restored.\n"
            "['kept/ckpt-3', 'kept/ckpt-4'] ['kept/ckpt-3', 'kept/ckpt-4']\n"
            "['kept/ckpt-10', None, None, 'kept/ckpt-13', None, None, 'kept/ckpt-16'] kept/ckpt-20 "
            "['ckpt-16.npz', 'ckpt-20.npz']\n"
            "['hourly/ckpt-5'] ['ckpt-3.npz', 'ckpt-5.npz']\n"
            "Expected a positive integer or `None` for `max_to_keep`, got 0.\n"
            "`step_counter` should be passed if `checkpoint_interval` is not None.\n");
}

// Against NumPy and by hand in the script.
TEST_F(RunScriptGraphs, ArraysOfTensorsAndPythonOfSessions) {
    EXPECT_EQ(output_of(own("tensor_arrays.py")),
              "[[1.0, 2.0], [0.0, 0.0], [5.0, 6.0]] 3 [5.0, 6.0] [[5.0, 6.0], [1.0, 2.0]]\n"
              "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]\n"
              "True True [15.0, 48.0] [-9.0, -12.0] [27.0, 34.0]\n"
              "[[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]\n"
              "True\n"
              "Tried to write to index 1 but array is not resizeable and size is: 1\n"
              "TensorArray has no elements that have been written\n"
              "[[0.0, 0.0], [3.0, 4.0]] [[0.0, 0.0], [0.0, 0.0]] True\n"
              "[1.0] (0, 2) [1.0, 1.0]\n"
              "TensorArray dtype is float32 but Op is trying to write dtype int32\n"
              "Incompatible shape for value (3,), expected (2,)\n"
              "Cannot unstack 3 tensors into a TensorArray of static size 2\n"
              "tf.scan of no rows needs an initializer.\n"
              "tf.foldr takes elements of as many rows, and got 2 and 3.\n"
              "[array([[7., 7.],\n"
              "       [7., 7.]], dtype=float32), [4.0, 1.0]] None [6.0]\n"
              "['net/w:0', 'net/Variable:0', 'net/Variable_1:0'] [0.0, 0.0]\n"
              "tf.numpy_function in a program of the device is not there under tilescope run: the device "
              "runs no Python; use it in a data set's map(), or of what a session fetches" +
                  asks +
                  "['dense/kernel:0', 'dense_1/kernel:0', 'net/dense_1/kernel:0', 'net/dense/kernel:0', "
                  "'net/dense_2/kernel:0', 'net/dense_3/kernel:0', 'dense_2/dense/kernel:0', "
                  "'dense_3/kernel:0']\n");
}

// Against NumPy in the script.
TEST_F(RunScriptGraphs, WhatScriptsOfTensorFlow1HaveAlwaysDone) {
    EXPECT_EQ(output_of(own("classic_1.py")), "(None, 50) (None, 50) (None, 2)\n"
                                              "True True True True\n"
                                              "True True\n"
                                              "True True\n"
                                              "True True\n"
                                              "True True one:0 [[1.0, 2.0]] [[2.0, 4.0]]\n"
                                              "5 True monitored/model.ckpt-5\n"
                                              "(100, 784) True 100.0 55000 5000 10\n");
}

// Against NumPy in the script.
TEST_F(RunScriptGraphs, WeightsOfFloat32TrainInFloat16) {
    for (const Arguments& arguments : {Arguments{"mixed"}, Arguments{"mixed", "--partials", "--scale", "64"}})
        EXPECT_EQ(output_of(own("half_precision.py"), {}, arguments),
                  "float32 float16 True True float32\nestimator ['global_step', 'net/kernel'] True\n");
    EXPECT_EQ(output_of(own("half_precision.py"), {}, {"float32"}),
              "float32 float32 True True float32\nestimator ['global_step', 'net/kernel'] True\n");
}

// Against NumPy in the script.
TEST_F(RunScriptGraphs, GradientsAreChangedWhereTheyAreOfAllReplicasAndMicroBatches) {
    const auto each = [](int updates) {
        const std::string one = " True " + std::to_string(updates);
        return one + one + one + one + one + one;
    };
    const std::string gone = " is not there under tilescope run: ";
    EXPECT_EQ(
        output_of(own("changed_gradients.py")),
        "1 1" + each(8) + " True 8 \n1 2" + each(4) + " True 4 \n2 1" + each(4) + " True 4 \n2 2" + each(2) +
            " Before.apply_gradients that changes gradients, with accumulated gradients on replicas" + gone +
            "change them in gradient_transformers, which get those of all replicas \n"
            "host True set()\n"
            "a read of w after apply_gradients() of the script's own has assigned to it, with accumulated "
            "gradients or replicas" +
            gone +
            "read it before, or in the next step\n"
            "an update by SGD, which is given the gradients of all replicas, whose variables the same step "
            "reads again" +
            gone +
            "take gradients and read the variables before it\n"
            "SGD(gradient_aggregator=…)" +
            gone +
            "replicas add up their gradients: leave it out, or change them in gradient_transformers\n"
            "pipeline True\n");
}

// Against Python in the script, and by hand.
TEST_F(RunScriptGraphs, WhileLoopsOfACounterRunToABoundThatIsFed) {
    EXPECT_EQ(output_of(own("counted_whiles_1.py")),
              "less True\nup to True\ngreater True\ndown to True\nturned True\n"
              "kept [[[3.25, 6.5]], [[1.0, 2.0]]]\n[[[96.0, 96.0]]]\n[[4, [1.0, 2.0]]]\n");
}

// By hand: the gradient of w is x, that of v is w * x; two steps make an update with the rate 0.1.
TEST_F(RunScriptGraphs, UpdatesOfOneLoopAccumulateAlike) {
    const auto out = [&](const Arguments& arguments) {
        return output_of(own("accumulations_1.py"), {"--overwrite"}, arguments);
    };
    const std::string of_w = "[1.0, 2.0, 2.0999999046325684, 2.799999952316284]";
    EXPECT_EQ(out({"step"}), "[" + of_w + ", " + of_w + "]\n{'w:0': 0.0, 'global_step:0': 2.0}\n");
    EXPECT_EQ(out({"count"}), "[" + of_w + ", [1.0, 3.0, 6.0, 10.0]]\n{'w:0': 0.0, 'n:0': 10.0}\n");
    EXPECT_EQ(out({"alike"}), "[" + of_w +
                                  ", [1.0, 2.0, 1.4700000286102295, 1.9600000381469727]]\n"
                                  "{'w:0': 0.0, 'v:0': 0.21}\n");
    const auto refused = [&](const Arguments& arguments, const std::string& line) {
        Arguments all{"run", "--overwrite", own("accumulations_1.py")};
        all.insert(all.end(), arguments.begin(), arguments.end());
        expect_failure(run(all), 3, {"accumulations_1.py:53: updates of one loop " + line});
    };
    refused({"plain"}, "that accumulate gradients over 1 and over 2 steps");
    refused({"others"}, "that accumulate gradients over 2 and over 4 steps");
    refused({"replicas", "2"}, "of which some are of the gradients of all replicas and others are not");
}

// By hand.
TEST_F(RunScriptGraphs, LoopsTakeTheirCountAsATensorAndTheirBodiesMakeVariablesOnce) {
    const std::string once = " ['net/half:0', 'net/dense/kernel:0', 'net/dense/bias:0']\n";
    const std::string fours = " [[4.0, 4.0], [4.0, 4.0]]";
    const auto worked_out = [](const std::string& count) {
        return "ipu.loops.repeat() of " + count +
               ":0 steps, which the program would work out itself is not there under tilescope run: give the "
               "count as an argument of the function, or as a number\n";
    };
    EXPECT_EQ(
        output_of(own("repeated_bodies.py")),
        "arguments [8.0, 2.0, 32.0, 1.0, 1.0]\ncast 24.0\n" + worked_out("Assign") +
            "variable [[4.0], 5, [32.0]]\n"
            "fed [16.0] [[1.0, 2.0, 1.0, 2.0], [14.0, 6.0, 2.0, 4.0], [13.0, 8.0, 1.0, 2.0], "
            "[0.0, 8.0, 0.0, 1.0]]\n"
            "while" +
            fours + once + "ipu" + fours + once + "trained" + fours +
            " True\nnested [[8.0, 8.0], [8.0, 8.0]]" + once +
            "names [[64.0, 0.0], [0.0, 64.0]] ['net/block/w:0', 'net/block_1/w:0', 'net/while/Variable:0']\n"
            "Variable net/w already exists\n");
}

// Against NumPy in the script.
TEST_F(RunScriptGraphs, OptimizersOfTheScriptsOwnSayWhatAnUpdateDoes) {
    EXPECT_EQ(output_of(own("own_optimizers.py")),
              "TensorFlow 1 [True, True, True]\n"
              "Keras [True, True] [3, 3] [1, 1]\n"
              "own loop True 3\nown loop True 3\n"
              "by hand True True\n"
              "accumulated True\n"
              "host True\n"
              "scaled True 128.0 256.0 [2.0]\n"
              "Grouped True 3\nmade 1\nCounting True 3\nmade 1\n"
              "Odd._compute_gradients is not there under tilescope run: change the gradients in "
              "apply_gradients(), or say what an update does in _resource_apply_dense()\n"
              "schedule True\n");
}

// Against NumPy in the script.
TEST_F(RunScriptGraphs, OptimizersKeepWhatIsTheirs) {
    EXPECT_EQ(
        output_of(own("optimizer_slots.py")),
        "['beta1_power:0', 'beta2_power:0', 'w/Adam:0', 'w/Adam_1:0'] ['m', 'v'] None\n"
        "[0.8999999761581421, 0.9990000128746033, 0.0, 0.0] "
        "[0.8999999761581421, 0.9990000128746033, 0.0, 0.0] [True, True, True]\n"
        "['beta1_power:0', 'beta2_power:0', 'w/Adam:0', 'w/Adam_1:0'] ['m', 'v'] None\n"
        "[0.8999999761581421, 0.9990000128746033, 0.0, 0.0] "
        "[0.8999999761581421, 0.9990000128746033, 0.0, 0.0] [True, True, True]\n"
        "['w/Momentum:0'] ['momentum'] None\n[0.0] True True\n"
        "['w/Momentum:0'] ['momentum'] None\n[0.0] True True\n"
        "['w/RMSProp:0', 'w/RMSProp_1:0'] ['mg', 'rms'] None\n[1.0, 0.0] [True, True, True]\n"
        "['w/Adagrad:0'] ['accumulator'] None\n[0.10000000149011612] {'accumulator': (4, 2)}\n"
        "MomentumOptimizer.get_slot('momentum') where the momentum is 0 is not there under tilescope run: "
        "the engine keeps none then\n"
        "w/Adam:0 within a program is not there under tilescope run: the engine keeps the slots of "
        "optimizers: read them between the steps, with session.run(optimizer.get_slot(…))\n"
        "apart True\n"
        "functions [True, True] [3, 3] [['iter:0', 'Adam/first/kernel/m:0', 'Adam/first/kernel/v:0'], "
        "['iter:0', 'Adam/second/kernel/m:0', 'Adam/second/kernel/v:0']]\n"
        "one state True 4\ncompiled [True, True]\n");
}

TEST_F(RunScriptGraphs, OptimisersGiveAndTakeWhatTheyKeep) {
    EXPECT_EQ(
        output_of(own("optimizer_weights.py")),
        "[]\n[True, True, True, True, True] 5 5\n[True, True] 3\n['iter:0']\n"
        "['iter:0', 'SGD/dense_3/kernel/momentum:0', 'SGD/dense_3/bias/momentum:0']\n"
        "['iter:0', 'RMSprop/dense_4/kernel/rms:0', 'RMSprop/dense_4/bias/rms:0', "
        "'RMSprop/dense_4/kernel/momentum:0', 'RMSprop/dense_4/bias/momentum:0', "
        "'RMSprop/dense_4/kernel/mg:0', "
        "'RMSprop/dense_4/bias/mg:0']\n"
        "['iter:0', 'Adam/dense_5/kernel/m:0', 'Adam/dense_5/bias/m:0', 'Adam/dense_5/kernel/v:0', "
        "'Adam/dense_5/bias/v:0', 'Adam/dense_5/kernel/vhat:0', 'Adam/dense_5/bias/vhat:0']\n"
        "6 True [True, True]\n[True, True]\n"
        "You called `set_weights(weights)` on optimizer Adam with a weight list of length 4, but the "
        "optimizer was "
        "expecting 5 weights: train it once before.\n"
        "[1, [[-0.10000000149011612, -0.10000000149011612], [-0.10000000149011612, -0.10000000149011612], "
        "[-0.10000000149011612, -0.10000000149011612]]]\n");
}

// Against NumPy in the script.
TEST_F(RunScriptGraphs, LossesAreScaledAsFarAsGradientsStayFinite) {
    EXPECT_EQ(
        output_of(own("loss_scale.py")),
        "True True 10 10 2 2 1\nTrue True 9 9 5 5 1\nTrue True 10 10 5 5 1\nown loop True True True\n"
        "host True True True\ntape True\n"
        "{'inner_optimizer': {'class_name': 'SGD', 'config': {'name': 'SGD', 'learning_rate': 0.01, "
        "'decay': 0.0, 'momentum': 0.0, 'nesterov': False}}, 'dynamic': True, 'initial_scale': 32768.0, "
        "'dynamic_growth_steps': 2000} 32768.0\n"
        "True 64.0\n"
        "\"inner_optimizer\" must be an instance of `tf.keras.optimizers.Optimizer`, but got: sgd.\n"
        "\"initial_scale\" must be specified if \"dynamic\" is False\n"
        "\"dynamic_growth_steps\" must be None if \"dynamic\" is False, but got: 3\n");
}

// Against NumPy in the script.
TEST_F(RunScriptGraphs, ADynamicLossScaleFollowsTheGradientsOfAllMicroBatches) {
    EXPECT_EQ(output_of(own("loss_scale_together.py")),
              "2 1 True True 5 5 0 0\n1 2 True True 5 5 0 0\n2 2 True True 2 2 0 0\n"
              "2 3 True True 1 1 1 1\nown loop True True 5 5\n");
}

// Against NumPy and differences in the script.
TEST_F(RunScriptGraphs, RecurrentLayersTakeCellsOfAllKinds) {
    EXPECT_EQ(
        output_of(own("stacked_cells.py")),
        "engine True 6 True\nengine True 6 True\nown True 2 True\nown True 2 True\nboth True 8 True\n"
        "both True 8 True\nbegun True ([4, 4], 3) 3\nmasked True\nmasked True\ngradient True True\n"
        "gradient True True\n"
        "stepwise True ['stepwise/gru_cell_7/kernel:0', 'stepwise/gru_cell_7/recurrent_kernel:0', "
        "'stepwise/gru_cell_7/bias:0']\n"
        "GRUCell() called on one step, which a keras.layers.RNN has is not there under tilescope run: make "
        "another cell for it\n"
        "keras.layers.RNN(time_major=True) of several cells, or of one of the script's own is not there "
        "under "
        "tilescope run: give samples first\n"
        "All cells must have a `state_size` attribute. Received cells without a `state_size`\n"
        "a recurrent layer of 1001 steps of cells of the script's own is not there under tilescope run: it "
        "is "
        "unrolled, up to 1000\n");
}

// Against NumPy and differences in the script.
TEST_F(RunScriptGraphs, LayersAreMadeOfOperations) {
    EXPECT_EQ(
        output_of(own("composed_layers.py")),
        "ConvLSTM2D True ['conv_lst_m2d/kernel:0', 'conv_lst_m2d/recurrent_kernel:0', 'conv_lst_m2d/bias:0'] "
        "(None, 3, 3, 5, 3)\n"
        "[True, True, True]\nTrue\n(2, 5, 6, 2) [0.0, 1.0, 0.0, 0.0]\nConvLSTM1D True\n"
        "LocallyConnected2D True [(4, 18, 4), (2, 2, 4)]\nLocallyConnected1D True [(3, 9, 4), (3, 4)]\nTrue\n"
        "gradient True True\ngradient True True\ngradient True True\n"
        "Invalid border mode for LocallyConnected2D (only \"valid\" is supported if implementation is 1): "
        "same\n"
        "LocallyConnected2D(implementation=2) is not there under tilescope run: leave it at 1: the others "
        "have "
        "their kernels in other shapes\n"
        "tensorflow.keras.layers.ConvLSTM3D is not there under tilescope run: use ConvLSTM2D of each plane, "
        "or "
        "Conv3D\n");
}

// By hand.
TEST_F(RunScriptGraphs, StrategiesReduceOverReplicas) {
    const std::string same = " 3.0 3.0 [3.0, 7.0]\n[[3.0, 6.0], [1.5, 3.0], 9.0]\n[66.0, 22.0, 1125.0]\n"
                             "[[3.0, 9.0], [1.0, 3.0], 2.0]\n[22.0]\n";
    EXPECT_EQ(output_of(own("strategy_reduce.py")), "IPUStrategy" + same + "PopDistStrategy" + same +
                                                        "'MAX' is not a valid ReduceOp: use SUM or MEAN\n");
}

TEST_F(RunScriptGraphs, TheDevicesSeedSaysWhatIsDrawnAndScopesHowProgramsRound) {
    EXPECT_EQ(
        output_of(own("device_seed.py")),
        "drawn anew True True True True True\n"
        "Keras True True\n"
        "rounded [0.0, 0.2, 0.2, 0.0]\n"
        "ipu.scopes.stochastic_rounding() around a part of a program is not there under tilescope run: the "
        "simulation rounds all of a program alike; put all of it into the scope, or set "
        "floating_point_behaviour.esr" +
            asks);
}

// By hand in the script.
TEST_F(RunScriptGraphs, ObjectsOfTheHostDoWhatTensorFlowSays) {
    EXPECT_EQ(
        output_of(own("host_objects.py")),
        "True None\n[2. 1. 3.] SparseTensor\n"
        "The SparseTensors of tf.sparse.map_values() have other places: only those of the same indices are "
        "mapped together.\n"
        "tf.sparse.map_values() takes at least one SparseTensor, got none.\n"
        "crop_and_resize() needs crop_size: the rows and columns of each part.\n"
        "False True\n1 2\n['a', 'a', 'x']\n"
        "Protocol message Value has no singular \"nope\" field.\n"
        "raised lost\n1\n1\n3\nTrue\n"
        "Coordinator stopped with threads still running: reader writer\nTrue\nFalse\n");
}

TEST_F(RunScriptGraphs, CollectionsAreChosenByRegularExpressions) {
    EXPECT_EQ(output_of(own("collections_in_scopes.py")), "7 7\n['gen/a:0', 'disc/b:0'] ['disc/b:0']\n");
}

TEST_F(RunScriptGraphs, LoopsReadWhatTheFunctionAroundThemIsCalledWith) {
    EXPECT_EQ(output_of(own("captured.py")),
              "[[27.0], [80.0], [11.0, 24.0]] [27, 80, (11, 24)]\n"
              "[[-6.0, -8.0], [-9.0, -12.0]] [[-6.0, -8.0], [-9.0, -12.0]] "
              "[1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5]\n"
              "['factor:0', 'inner/kernel:0'] [-1.850000023841858, [[-0.25], [-0.6499999761581421]]] [-0.25, "
              "-0.6499999761581421] -1.85\n"
              "True\n"
              "8.0\n");
}

// By hand.
TEST_F(RunScriptGraphs, OperationsHaveTheNamesOfTensorFlow) {
    EXPECT_EQ(
        output_of(own("operation_names.py")),
        "Placeholder:0 Placeholder_1:0 Const:0 Const_1:0\n"
        "MatMul:0 matmul_1:0 BiasAdd:0 moved:0\n"
        "Add:0 add_1:0 sub:0 Sub_1:0 mul:0 Mul_1:0 truediv:0 truediv_1:0 pow:0 mod:0 floordiv:0 Neg:0 Abs:0\n"
        "Const_2:0 Mean:0 Sum:0 Max:0 ArgMax:0 Cast:0 Equal:0 Less:0\n"
        "Relu:0 Softmax:0 Sigmoid:0 Tanh:0 L2Loss:0 dropout/Mul_1:0 moments/Squeeze:0 moments/Squeeze_1:0\n"
        "Reshape:0 transpose_1:0 concat:0 stack:0 strided_slice:0 strided_slice_1:0 ExpandDims:0 Squeeze:0 "
        "one_hot:0 GatherV2:0 Tile:0 Pad:0 same:0 clip_by_value:0\n"
        "split:0 split:1 TopKV2:0 TopKV2:1\n"
        "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits:0 "
        "sparse_softmax_cross_entropy_loss/value:0 softmax_cross_entropy_with_logits/Reshape_2:0 "
        "far/value:0\n"
        "conv2d/Relu:0 batch_normalization/FusedBatchNormV3:0 max_pooling2d/MaxPool:0 flatten/Reshape:0 "
        "dense/BiasAdd:0 dense_1/Relu:0 logits/BiasAdd:0 logits_1/BiasAdd:0\n"
        "part/within/ part/within/add:0 part/within/v:0\n"
        "part/within/add_1:0\n"
        "part_1/add:0\n"
        "shared/v:0 shared/Relu:0\n"
        "shared/v:0 shared_1/Relu:0\n"
        "part/add AddV2 MatMul Placeholder <tf.Operation 'part/add' type=AddV2>\n"
        "True True\n"
        "GradientDescent Adam\n"
        "rate:0 Heavy step\n"
        "cond/Merge:0 while/Exit:0 while/Exit_1:0\n"
        "[[0.0, 2.0, 4.0, 6.0], [8.0, 10.0, 12.0, 14.0]] 3.5 (2, 2)\n");
}

// By hand.
TEST_F(RunScriptGraphs, OptimisersListTheirVariablesAsTensorFlowDoes) {
    EXPECT_EQ(
        output_of(own("slots_listed.py")),
        "['a', 'layer/b', 'beta1_power', 'beta2_power', 'a/Adam', 'a/Adam_1', 'layer/b/Adam', "
        "'layer/b/Adam_1', 'later']\n"
        "['later', 'beta1_power_1', 'beta2_power_1', 'a/Adam_2', 'a/Adam_3', 'layer/b/Heavy', "
        "'layer/b/RMSProp', 'layer/b/RMSProp_1', 'layer/b/RMSProp_2'] ['a', 'layer/b', 'later']\n"
        "['a/Adam', 'a/Adam_1', 'beta1_power', 'beta2_power', 'layer/b/Adam', 'layer/b/Adam_1'] ['m', 'v']\n"
        "['a/Adam_2', 'a/Adam_3', 'beta1_power_1', 'beta2_power_1'] ['m', 'v']\n"
        "['layer/b/Heavy'] ['momentum']\n"
        "['layer/b/RMSProp', 'layer/b/RMSProp_1', 'layer/b/RMSProp_2'] ['mg', 'momentum', 'rms']\n"
        "['train/layer/b/Momentum']\n"
        "a/Adam_1:0 a/Adam_2:0 None\n"
        "{'beta1_power': 0.8, 'beta2_power': 0.999, 'beta1_power_1': 0.9, 'beta2_power_1': 0.99}\n"
        "{'beta1_power': 0.40959998965263367, 'beta2_power': 0.9960060119628906, 'beta1_power_1': "
        "0.8100000023841858, 'beta2_power_1': 0.9800999760627747} float32\n"
        "['beta1_power', 'beta1_power_1', 'beta2_power', 'beta2_power_1']\n"
        "[0.8, array([0.], dtype=float32)]\n"
        "a first step True\n"
        "0.2621400058269501\n"
        "beta1_power:0 is 0.800000011920929 to the power of the updates that the engine has counted, which "
        "0.699999988079071 is not\n"
        "True\n"
        "True\n");
}

// By hand.
TEST_F(RunScriptGraphs, LoopsInBranchesAndGradientsOfLoops) {
    EXPECT_EQ(output_of(own("loops_in_branches.py")),
              "while [[[16.0, 32.0, 48.0]], [[1.0, 2.0, 3.0]]]\n"
              "while, its end on the device [[[8.0, 16.0, 24.0]], [[-1.0, -2.0, -3.0]]]\n"
              "repeat [[[8.0, 16.0, 24.0]], [[1.0, 2.0, 3.0]]]\n"
              "repeat and assign [[[5.0, 6.0, 7.0]], [[1.0, 2.0, 3.0]]] 2.5\n"
              "gradients [[4.5, [0.125, 0.125, 0.125]], [6.0, [0.5, 0.5, 0.5]]] 0.5\n"
              "gradients of a loop [[[8.0, 1024.0, 17496.0]], [[8.0, 1024.0, 17496.0]]] 0.5\n"
              "trained [[0.75], [6.0]] 0.05\n"
              "without compile [[1.0, 16.0, 81.0], [4.0, 32.0, 108.0]]\n");
}

// Against NumPy.
TEST_F(RunScriptGraphs, LayersOfKerasAreNamedAnewInEachGraph) {
    const std::string names = "['dense/kernel:0', 'dense/bias:0', 'dense_1/kernel:0', 'dense_1/bias:0']\n";
    EXPECT_EQ(output_of(own("estimators_keras.py")),
              "['dense/bias', 'dense/kernel', 'dense_1/bias', 'dense_1/kernel', 'global_step'] 16\n"
              "evaluated True True\npredicted True\nagain True True\n" +
                  names + names);
}

// Adam by NumPy; a session that restores trains as the one that has saved.
TEST_F(RunScriptGraphs, OptimizersKeepVariablesOfLayersOfKeras) {
    EXPECT_EQ(output_of(own("layer_slots_1.py")),
              "['beta1_power:0', 'beta2_power:0', 'd/kernel/Adam:0', 'd/kernel/Adam_1:0', 'd/kernel:0'] "
              "['beta1_power:0', 'beta2_power:0', 'd/kernel/Adam:0', 'd/kernel/Adam_1:0']\n"
              "True True\n"
              "True True\n"
              "['beta1_power', 'beta2_power', 'd/kernel', 'd/kernel/Adam', 'd/kernel/Adam_1']\n"
              "[True, True, True, True, True]\n");
}

// Against second differences by NumPy.
TEST_F(RunScriptGraphs, SecondDerivativesAreOfEachNumber) {
    EXPECT_EQ(output_of(own("hessians_1.py")),
              "(3, 2, 3, 2) True True [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]\n"
              "tf.hessians: the values do not depend on Placeholder:0\n");
}

// Against the same loops in Python.
TEST_F(RunScriptGraphs, WhileLoopsEndWhereTheirStepsSay) {
    EXPECT_EQ(output_of(own("found_whiles_1.py")),
              "['v/scale:0']\n"
              "True True 3 True True 6 True True 0 [[16.0, 4], [8.0, 3], [1.0, 0]]\n"
              "True True 21\n"
              "[0.0625, 1.875]\n"
              "tf.while_loop whose number of steps the device decides is not there under tilescope run: give "
              "it maximum_iterations, or a condition that a counter ends, too, as i < 10; ask for it where "
              "Tilescope's issues are kept\n");
}

// By hand.
TEST_F(RunScriptGraphs, WhileLoopsTakeElementsOfQueues) {
    EXPECT_EQ(output_of(own("whiles_of_queues_1.py")),
              "ipu.loops.while_loop(infeed_queue=…) that no counter ends at a bound is not there under "
              "tilescope run\n"
              "[10, 55.0] [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0] [10, 155.0]\n"
              "[[6, 12.0], [4, 18.0], [0, 0.0], [2, 12.0]]\n");
}

// By hand.
TEST_F(RunScriptGraphs, LayersOfAScopeThatIsOpenedAgainAreThoseOfBefore) {
    EXPECT_EQ(output_of(own("reused_layers_1.py")),
              "['maker/dense/kernel:0', 'maker/dense_1/kernel:0', 'judge/dense/kernel:0', "
              "'judge/dense_1/kernel:0']\n"
              "True True\n"
              "Variable a/dense/kernel already exists\n"
              "['a/dense/kernel:0', 'a/dense_1/kernel:0', 'b/dense/kernel:0', 'b/dense_1/kernel:0', "
              "'b_1/conv2d/kernel:0']\n");
}

// By hand.
TEST_F(RunScriptGraphs, SaversKeepTheLastCheckpointsAndOneThatIsSavedAgain) {
    EXPECT_EQ(output_of(own("kept_checkpoints_1.py")),
              "7.0 ['same/model'] same/model\n"
              "['steps/model-2', 'steps/model-3'] ['steps/model-2', 'steps/model-3'] ['model-2.npz', "
              "'model-3.npz']\n");
}

// By hand.
TEST_F(RunScriptGraphs, SessionsTellWhichVariablesHaveNoValueYet) {
    EXPECT_EQ(output_of(own("uninitialised_1.py")),
              "[array([b'a', b'b', b'mean/total', b'mean/count'], dtype=object), False]\n"
              "[array([b'b', b'mean/total', b'mean/count'], dtype=object), True]\n"
              "[] [1.0, 2.0] True\n"
              "5.0 [b'a', b'mean/total', b'mean/count']\n"
              "Error while reading resource variable a from Container: localhost\n");
}

} // namespace
} // namespace tilescope::tests
