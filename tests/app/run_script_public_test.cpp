// SPDX-License-Identifier: GPL-3.0-or-later
// What public scripts of IPU TensorFlow do beyond the common names. The scripts compare with NumPy, with sums
// over all cases or with differences, and print what must come out.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptPublic = RunScript;

std::string changed_by_a_loop(const std::string& what) {
    return what +
           " that the body of a loop over tf.range changes is not there under tilescope run: its steps hand "
           "on what it gives names of its function alone; give it one, or enqueue it" +
           asks;
}

TEST_F(RunScriptPublic, TheCtcLossIsTheSumOverAllAlignments) {
    EXPECT_EQ(
        output_of(own("ctc.py")),
        "host True True True\nsparse True True\nkeras True (3, 1)\ntape True\ndevice True True True\n"
        "trained True\ndecoded [[0, 0], [1, -1]] [2.0, 1.5]\ndecoded [[0, 0, -1, -1], [1, -1, -1, -1]]\n"
        "the blank 7 of a CTC loss is none of the 3 classes; give it a class from 0 on\n"
        "out_dtype cannot be float16 when dtype of logits is float32.\n"
        "tensorflow.python.ipu.nn_ops.ctc_beam_search_decoder is not there under tilescope run\n"
        "Expected labels (first argument) to be a SparseTensor\n"
        "Argument `logit_length` must be provided\n");
}

// By hand, and as what multiplies to the identity.
TEST_F(RunScriptPublic, TheHostInvertsAndFactorsMatrices) {
    EXPECT_EQ(
        output_of(own("host_linalg.py")),
        "True True True True\nTrue True True True True float64 float32\nfloat16 1.0\n"
        "True True True True True True\nTrue True True True 1 True True\n"
        "InvalidArgumentError Input is not invertible.\n"
        "InvalidArgumentError Input matrices must be squares, got 4 != 2\n"
        "InvalidArgumentError Input tensor must have rank >= 2, got 1\n"
        "InvalidArgumentError Cholesky decomposition was not successful. The input might not be valid.\n"
        "InvalidArgumentError Input matrix and right-hand side must have the same number of rows, got [2, "
        "2] and [1, 1]\n"
        "TypeError Value for attr 'T' of int32 is not in the list of allowed values: double, float, half\n"
        "NotThere tf.linalg.svd of what the device or a GradientTape computes is not there under tilescope "
        "run: the device has no operator for it; take it of values that are at hand, as of x.numpy()" +
            asks);
}

TEST_F(RunScriptPublic, AnglesAndTheGammaFunctionAreAsPythons) {
    EXPECT_EQ(output_of(own("special_functions.py")),
              "[True, True, True, True, True, True]\nTrue True\nTrue True\nTrue\nTrue True\n"
              "True True True True\nTrue True True True True True \nTrue True\n"
              "[True, True, True, True, True, True] [True, True, True, True, True, True] [True, True, True, "
              "True, True, True]\n"
              "Value passed to parameter 'x' has DataType int32 not in list of allowed values: float16, "
              "float32, float64\n"
              "tensorflow.math.polygamma is not there under tilescope run: it has no operator\n");
}

// The second saver has none of what Adam keeps, so that it begins anew.
TEST_F(RunScriptPublic, SlotsAreAmongTheVariablesAndInCheckpointsOfThem) {
    EXPECT_EQ(output_of(own("slots_in_lists.py")),
              "['net/w:0', 'net/b:0', 'beta1_power:0', 'beta2_power:0', 'net/w/Adam:0', 'net/w/Adam_1:0', "
              "'net/b/Adam:0', 'net/b/Adam_1:0']\n"
              "['net/w:0', 'net/b:0']\n['net/b:0', 'net/b/Adam:0', 'net/b/Adam_1:0']\n"
              "['beta1_power', 'beta2_power', 'net/b', 'net/b/Adam', 'net/b/Adam_1', "
              "'net/w', 'net/w/Adam', 'net/w/Adam_1'] True\n"
              "./every True\n./trained False\n./all True\n[0.0, 0.0, 0.0, 0.0]\n");
}

// The names as TensorFlow 2.6 forms them: the shortest path of attributes, by layers with weights in models
// of connected layers. What was restored goes on as what went on.
TEST_F(RunScriptPublic, CheckpointsHaveTensorFlowsNames) {
    EXPECT_EQ(
        output_of(own("checkpoint_names.py")),
        "['_CHECKPOINTABLE_OBJECT_GRAPH', 'layer_with_weights-0/bias', "
        "'layer_with_weights-0/bias:optimizer/m', "
        "'layer_with_weights-0/bias:optimizer/v', 'layer_with_weights-0/kernel', "
        "'layer_with_weights-0/kernel:optimizer/m', 'layer_with_weights-0/kernel:optimizer/v', "
        "'layer_with_weights-1/kernel', 'layer_with_weights-1/kernel:optimizer/m', "
        "'layer_with_weights-1/kernel:optimizer/v', 'optimizer/beta_1', 'optimizer/beta_2', "
        "'optimizer/decay', "
        "'optimizer/iter', 'optimizer/learning_rate']\n"
        "2 0.125 True\nTrue True 5\n"
        "['_CHECKPOINTABLE_OBJECT_GRAPH', 'net/attention/_key_dense/bias', "
        "'net/attention/_key_dense/kernel', "
        "'net/attention/_output_dense/bias', 'net/attention/_output_dense/kernel', "
        "'net/attention/_query_dense/bias', 'net/attention/_query_dense/kernel', "
        "'net/attention/_value_dense/bias', 'net/attention/_value_dense/kernel', 'net/each/layer/kernel', "
        "'net/named/a..b', 'net/norm/beta', 'net/norm/gamma', 'net/norm/moving_mean', "
        "'net/norm/moving_variance', 'net/scaled/dense/bias', 'net/scaled/dense/kernel', 'net/scaled/scale', "
        "'net/scaled/shift', 'net/steps/0/cell/bias', 'net/steps/0/cell/kernel', "
        "'net/steps/0/cell/recurrent_kernel', 'net/steps/1/backward_layer/cell/bias', "
        "'net/steps/1/backward_layer/cell/kernel', 'net/steps/1/backward_layer/cell/recurrent_kernel', "
        "'net/steps/1/forward_layer/cell/bias', 'net/steps/1/forward_layer/cell/kernel', "
        "'net/steps/1/forward_layer/cell/recurrent_kernel', 'optimizer/decay', 'optimizer/iter', "
        "'optimizer/learning_rate', 'optimizer/momentum', 'save_counter', 'step']\n"
        "['optimizer/momentum'] True False\n"
        "['_CHECKPOINTABLE_OBJECT_GRAPH', 'inner/0', 'other', 'w']\n[1. 2.] 3.0\n"
        "['beta1_power', 'beta2_power', 'dense/bias', 'dense/bias/Adam', 'dense/bias/Adam_1', "
        "'dense/kernel', "
        "'dense/kernel/Adam', 'dense/kernel/Adam_1', 'end/bias', 'end/bias/Adam', "
        "'end/bias/Adam_1', 'end/kernel', 'end/kernel/Adam', 'end/kernel/Adam_1'] True\n"
        "['beta1_power', 'beta2_power', 'end/bias', 'end/bias/Adam', 'end/bias/Adam_1', 'end/kernel', "
        "'end/kernel/Adam', 'end/kernel/Adam_1', 'global_step'] 2 0.7289999\nTrue True\n");
}

TEST_F(RunScriptPublic, AssignmentsOfOwnOptimizersAreOfTheUpdate) {
    EXPECT_EQ(output_of(own("own_assignments.py")),
              "each step [True, True] 9\naccumulated [True, True] 3\ntheir mean [True, True] 3\n"
              "replicas [True, True] 5\nboth [True, True] 2\nboth in one [True, True] 3\n"
              "pipeline [True, True] 3\npipeline's mean [True, True] 3\npipelines [True, True] 2\n"
              "an assignment to v by apply_gradients(), from what a micro-batch has beside its gradients is "
              "not there under tilescope run: make it of gradients, variables and what the loop is given, or "
              "let each step update\n");
}

TEST_F(RunScriptPublic, LayersOfOneNameHaveWeightsOfTheirOwn) {
    EXPECT_EQ(
        output_of(own("same_names.py")),
        "True True ['two/d/kernel:0', 'two/d_1/kernel:0']\n"
        "True True ['scaled/scale:0', 'scaled/d/kernel:0', 'scaled_1/scale:0', 'scaled_1/d_1/kernel:0']\n"
        "True True ['two_1/same/scale:0', 'two_1/same/d/kernel:0', 'two_1/same_1/scale:0', "
        "'two_1/same_1/d_1/kernel:0']\n"
        "True True ['d/kernel:0', 'd_1/kernel:0']\nTrue True ['d/kernel:0', 'd_1/kernel:0'] [True, True]\n"
        "All layers added to a Sequential model should have unique names. Name \"d\" is already the name of "
        "a layer in this model. Update the `name` argument to pass a unique name.\n"
        "The name \"d\" is used 2 times in the model. All layer names should be unique.\n");
}

// What is kept of h in each place of ConvLSTM: all of it, twice of it, or none.
TEST_F(RunScriptPublic, StacksAndConvolutionsAreStatefulAndDrop) {
    const std::string kept = "[True, False, True] True True True ";
    const auto twice = [&](const std::string& shapes) { return kept + shapes + kept + shapes; };
    EXPECT_EQ(output_of(own("stateful_stacks.py")),
              twice("[(2, 4), (2, 4), (2, 3)]\n") + twice("[(2, 3)]\n") +
                  twice("[(2, 3, 2, 3), (2, 3, 2, 3)]\n") + twice("[(2, 3, 5), (2, 3, 5)]\n") +
                  "dropped True True True\nkept True\nrecurrent [(1.0, 1.0, 1.0), (1.0, 3.0, 7.0)]\n"
                  "trained True\n");
}

TEST_F(RunScriptPublic, OlderFormsAreTaken) {
    const std::string absent = " is not there\n";
    EXPECT_EQ(output_of(own("older_forms.py")),
              "without tensorflow_hub\nNone\nbool int64 float64 object\n2 3 [2, 3] 6\n"
              "(2, 3) (2, None, 4) True False (None, None) (2, None)\n"
              "Shapes (2, None) and (None, None, None) are incompatible\n"
              "Shapes (2, None) and (3, 3) are incompatible\nShape (2, None) must have rank 1\n"
              "Shape (2, None) must have rank at least 3\n[True, True, True]\n"
              "[(2, 4, 4, 4), (2, 6, 6, 2), (2, 6, 6, 3), (2, 8, 8, 2)] True\n[1.] True True\n"
              "tensorflow_addons.optimizers" +
                  absent + "tensorflow.python.framework.graph_util.convert_variables_to_constants" + absent +
                  "tensorflow.python.tools.freeze_graph.freeze_graph" + absent);
}

TEST_F(RunScriptPublic, QuotientsOfWholeNumbersArePythons) {
    EXPECT_EQ(
        output_of(own("quotients.py")),
        "float64 [-1.0, 1.25, 1.75]\nfloat64 [-1.0, 0.8, 0.571429]\nfloat64 [-1.0, 1.25, 1.75]\n"
        "float64 [-2.0, 2.5, 3.5]\nfloat32 3.5\nint32 [-1, 1, 1]\nint32 [0, 1, 3]\nint32 [-2, 1, 2]\n"
        "float32 2.5\n[[-1.0, 1.25, 1.75], [-1, 1, 1], [-1, 1, 1]]\n[[4, 5], [6, 7]] True\n"
        "// [True, True] % [True, True] by a number [True, True] truncated [True, True] rest [True, True] "
        "abs [True, True] negative [True, True] split [True, True] \n");
}

// ipu/ops/rnn_ops.py: biases of 0, one initialiser for features and state, GRUs that reset before the
// product.
TEST_F(RunScriptPublic, PopnnsRecurrentLayersBeginAsIpuTensorFlows) {
    EXPECT_EQ(output_of(own("popnn_layers.py")),
              "lstm [True, True, True, True, True, True]\ngru True True True\n"
              "biases [0.10000000149011612] [0.10000000149011612] [0.0] (2, 12)\n"
              "plain (5, 2, 4) True True\nwithin True 112\n");
}

TEST_F(RunScriptPublic, WhatKerasShowsComesInKerassOrder) {
    EXPECT_EQ(
        output_of(own("keras_shown_order.py")),
        "fit ['loss', 'root', 'mae', 'square'] 4.0\none True 12.0\n"
        "['loss', 'value_loss', 'class_loss', 'value_root', 'value_mae', 'class_accuracy'] True\n"
        "the metric root of 2 outputs at once is not there under tilescope run: each would have values of "
        "its own: give compile() one for each, as metrics={'value': [Root()]}" +
            asks);
}

TEST_F(RunScriptPublic, ReplicasMetricsAreReducedAndToldOfAsAModelSays) {
    EXPECT_EQ(output_of(own("keras_replica_metrics.py")),
              "none True True ()\nmean True True ()\nSum True True ()\nLIST True True (2,)\nhistory True\n"
              "Cannot parse median as one of NONE, LIST, SUM, MEAN.\nFalse [0, 2] [1, 3] True True\n"
              "True [0, 0, 1, 1, 2, 2, 3, 3] [0, 0, 1, 1, 2, 2, 3, 3] True True\n");
}

TEST_F(RunScriptPublic, EstimatorsPredictWhatTheyAreAskedFor) {
    EXPECT_EQ(
        output_of(own("estimator_predictions.py")),
        "24 ['class', 'score'] True True\n5 ['class', 'score'] True True\n9 ['class'] True True\n"
        "2 ['class', 'score'] True True\n"
        "Expected to run at least one output from ['score', 'class'], provided none.\nTrue 7\nTrue True\n");
}

TEST_F(RunScriptPublic, LoopsStandInTheBodiesOfLoops) {
    EXPECT_EQ(
        output_of(own("nested_loops.py")),
        "ipu.loops.repeat in the body of a loop, with an infeed queue is not there under tilescope run: "
        "give the queue to the loop around it" +
            asks +
            "ipu.loops.repeat in the body of a loop that gives an operation is not there under "
            "tilescope run: give it as one of the loop around it" +
            asks +
            "[10.0] 10.0\n"
            "the body of the loop changes arg_0:0 from float32 () to float32 (2,)\n"
            "the body of the loop changes arg_0:0 from float32 () to int32 ()\n"
            "the body of the loop takes 2 inputs and gives 1 back\n[23.0, 0.5] 23.0\n");
}

TEST_F(RunScriptPublic, LoopsOverRangesHandOnWhatTheyGiveNames) {
    EXPECT_EQ(
        output_of(own("range_loops.py")),
        "trained True True 30.0\n[ 64. 128.] [32. 64.] [[20741.0, 30741.0], 1]\n"
        "[[199.0, 263.0], 0.0, 1.0, 2.0] [[5.0, 10.0], [2.0, 4.0], [4.0, 8.0]]\n"
        "[21. 24.] [21. 24.] [10. 20.]\n"
        "NotThere " +
            changed_by_a_loop("a list, a dictionary or a global name") +
            "TypeError 'x' has dtype float32 and shape (2,) before the loop, but dtype float32 and shape () "
            "after one iteration\n"
            "[5. 6.] [5. 6.]\n[22. 26.] [8. 9.]\n");
}

// Against Python's own range in the script, or by hand.
TEST_F(RunScriptPublic, LoopsOverRangesAreOfTheDeviceWhereTheyAreStatements) {
    const std::string changed = changed_by_a_loop("a list, a dictionary or a global name");
    const std::string before = " before the loop, but a ";
    const std::string after =
        " after one iteration: give it tensors of the same dtypes and shapes before the loop\n";
    EXPECT_EQ(
        output_of(own("range_loop_callers.py")),
        "zipped True enumerated True mapped True listed True twice True generated True unpacked True \n"
        "[[27.0, 54.0], 405.0] [60.0, 120.0]\n"
        "none_before TypeError 'best' is None" +
            before + "tensor of dtype float32 and shape (2,)" + after + "list_before TypeError 'o' is []" +
            before + "list" + after + "list_changed NotThere " + changed + "place_changed NotThere " +
            changed + "dictionary_of_module NotThere " + changed + "global_name NotThere " +
            changed_by_a_loop("a global name") + "another_function NotThere " +
            changed_by_a_loop("'total' of the function around it") + "attribute NotThere " +
            changed_by_a_loop("an attribute") +
            "attribute_list NotThere a value of a loop over tf.range that is used after it, and was put "
            "into a list, a dictionary or an attribute is not there under tilescope run: give it a name "
            "of the function, or enqueue it" +
            asks + "9.0 5.0\n");
}

// Against the same functions on NumPy's numbers in the script.
TEST_F(RunScriptPublic, TensorsDecideBranchesOfFunctions) {
    const std::string no_truth =
        " TypeError using a `tf.Tensor` as a Python `bool` is not allowed in Graph execution. Choose with "
        "tf.cond or tf.where: an `if` is made into operations where both its branches only give names "
        "values, in functions of tf.function.\n";
    const std::string both = " is not there under tilescope run: both branches are computed\n";
    EXPECT_EQ(
        output_of(own("tensor_branches.py")),
        "assigned True only_if True returned True stepped True calls True mixed True unpacked True "
        "structured True returning True objects True absent True \nclipped True True 2\n"
        "True True True True True True \n301.0\n[True, True] 2.0\n"
        "in_one UnboundLocalError 'only' must be given a value in both branches of an `if` on a tensor, or "
        "before it\n"
        "shapes TypeError the branches of the `if` that gives 'y' a value give float32 (2,) and float32 ()\n"
        "kinds TypeError 'name' is 'up' in one branch of an `if` on a tensor, but None in the other: give it "
        "tensors of the same dtypes and shapes in both\n"
        "listed NotThere a list, a dictionary, an attribute or a global name that a branch of an `if` on a "
        "tensor changes" +
            both + "stored" + no_truth + "raised" + no_truth +
            "unending tf.Tensor(128.0, shape=(), dtype=float32)\n"
            "vector TypeError a condition must be one truth value, and Greater:0 has the shape (2,): use "
            "tf.reduce_any or tf.reduce_all\n"
            "nothing TypeError what the function returns is a tensor of dtype float32 and shape () in one "
            "branch of an `if` on a tensor, but None in the other: give it tensors of the same dtypes and "
            "shapes in both\n"
            "by_another NotThere 'times', which a function that a branch of an `if` on a tensor calls sets," +
            both +
            "none_before TypeError 'y' is a tensor of dtype float32 and shape () in one branch of an `if` on "
            "a "
            "tensor, but None in the other: give it tensors of the same dtypes and shapes in both\n"
            "<lambda>" +
            no_truth + "192.0\n");
}

TEST_F(RunScriptPublic, LoopsAreReadAsNewerCompilersWriteThem) {
    EXPECT_EQ(output_of(own("newer_instructions.py")),
              "['i', 'x', 'y', 'z'] i ['x'] False\nTrue False ['i', 'x', 'y'] ['x']\n");
}

// Against NumPy in the script.
TEST_F(RunScriptPublic, PlacesInBracketsAreWholeNumbers) {
    const std::string no_place =
        "TypeError Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        "tf.int32/tf.int64 tensors are valid indices, got ";
    const std::string by_zero = "InvalidArgumentError Integer division by zero\n";
    EXPECT_EQ(output_of(own("computed_places.py")),
              "True True True True True True True True True\n" + no_place +
                  "<tf.Tensor 'arg_1:0' shape=() dtype=float32>\n" + no_place +
                  "<tf.Tensor 'arg_1:0' shape=(2,) dtype=int32>\n" + no_place + "0.5\n" + no_place + "1.5\n" +
                  no_place + "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 1], dtype=int32)>\n" +
                  no_place +
                  "'a'\n"
                  "NotThere tf.boolean_mask of a mask that the device computes is not there under tilescope "
                  "run: shapes are static on the IPU; use tf.where with three arguments" +
                  asks + by_zero + by_zero + by_zero + "-3 [ inf -inf  nan]\n");
}

// By hand.
TEST_F(RunScriptPublic, ModelsWithStepsOfTheirOwnTellEachStep) {
    const auto of_replicas = [](const std::string& what) {
        return what + " on metric `loss`, of which each replica has a value: choose MEAN in "
                      "set_replication_options(replicated_metric_reduction_method=…)\n";
    };
    const std::string predicted = "[True, True] 7.0\n"
                                  "the metric share of 2 outputs at once is not there under tilescope run: "
                                  "each would have values of its own: give compile() one for each, as "
                                  "metrics={'out2': [Share()]}" +
                                  asks;
    EXPECT_EQ(output_of(own("keras_told_steps.py")),
              "True True 17.5 280.0\n2 True 0,\"\"\"[263.5, 387.5]\"\"\"\n" +
                  of_replicas("Early stopping conditioned") +
                  of_replicas("Learning rate reduction is conditioned") +
                  of_replicas("Saving the best model only is conditioned") + predicted + predicted);
}

// By hand.
TEST_F(RunScriptPublic, EstimatorsRunToTheEndOfDataOfAnyLength) {
    const std::string wrong =
        "the data set of evaluate() has no elements: let input_fn give one for each replica at "
        "the least\nThe data set of an infeed queue has no elements.\n"
        "`steps` must be given for a data set without an end.\n";
    const Outcome outcome = run({"run", "-o", "run.tilescope", own("estimators_to_the_end.py")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(
        outcome.out,
        "6.0 [0, 1, 2, 3, 4, 5, 6]\n6.0 6\nTrue [] 6\nTrue [] 6\nTrue [0, 1] 8\n"
        "Can not provide both steps and max_steps.\n"
        "[2.0, 4.0, 3.0] [[0.0, 0.0], [2.0, 2.0], [4.0, 4.0], [6.0, 6.0], [8.0, 8.0]] [0.0, 0.0, 4.0]\n" +
            wrong + "[1.5, 3.0, 3.0] [[0.0, 0.0, 2.0, 2.0], [4.0, 4.0, 6.0, 6.0]] [0.0, 0.0, 4.0]\n" + wrong);
    const std::string no_steps = "WARNING:tensorflow:Training with estimator made no steps. Perhaps input is "
                                 "empty or misspecified: a loop takes 2 elements";
    const std::size_t first = outcome.err.find(no_steps);
    ASSERT_NE(first, std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(no_steps, first + 1), std::string::npos) << outcome.err;
    const std::string skipped = "INFO:tensorflow:Skipping training since max_steps has already saved.";
    const std::size_t skips = outcome.err.find(skipped);
    ASSERT_NE(skips, std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(skipped, skips + 1), std::string::npos) << outcome.err;
}

TEST_F(RunScriptPublic, WhatWasReadOfAVariableIsWhatItWasThen) {
    const std::string all = "True, True, True, True, True, True, True, True, True, True";
    EXPECT_EQ(
        output_of(own("views_of_variables.py")),
        "[[" + all + "], [" + all + "]]\n[[" + all + "], [" + all + "]]\n" +
            "[[8, 13], [8.0, 13.0], [[1, 5], [0, 3]], [[1.0, 5.0], [0.0, 3.0]], [4, 3, [3]], [4.0, 3.0, "
            "[3.0]]]\n");
}

TEST_F(RunScriptPublic, CustomGettersGetAllThatGetVariableIsGiven) {
    EXPECT_EQ(output_of(own("custom_getters_1.py")),
              "['aggregation', 'caching_device', 'collections', 'constraint', 'partitioner', 'regularizer', "
              "'reuse', 'synchronization', 'use_resource', 'validate_shape'] True\n"
              "[['half/w:0'], ['half/w:0'], ['half/w:0'], ['half/steps:0']]\nfloat16 float32 True True\n"
              "Variable outer/inner/below/new does not exist, or was not created with tf.get_variable(). Did "
              "you mean to set reuse=tf.AUTO_REUSE in VarScope?\n"
              "Variable outer/inner/v already exists, disallowed. Did you mean to set reuse=True or "
              "reuse=tf.AUTO_REUSE in VarScope?\n"
              "[['outer/inner/v:0'], ['outer/inner/v:0'], ['outer/inner/ones:0', 't_1/v:0', 't/v:0'], [], "
              "['outer/inner/v:0', 'outer/inner/ones:0', 'kept:0', 't_1/v:0', 't/v:0']]\n"
              "[[7.0, 7.0], [7.0, 7.0], [3.0, 3.0], [7.0, 7.0]] [6.0, 6.0, 4.0, 4.0]\n");
}

TEST_F(RunScriptPublic, DataSetsAreOfWindowsByAKey) {
    const std::string expected = "Input dataset was expected to contain ";
    EXPECT_EQ(
        output_of(own("data_windows.py")),
        "[[0, 2], [1, 3], [4, 6], [5]]\n[0, 30, 11, 41, 60, 22, 52, 71]\n"
        "[3, 1, 2] TensorSpec(shape=(3,), dtype=tf.int64, name=None)\n4\n" +
            expected + "3 elements but contained more.\n" + expected +
            "5 elements but contained only 4.\nMust pass either window_size or window_size_func, and not "
            "both.\nTrue True\n"
            "(2,) 1 [[0, [3, 7]], [10, [5, 9]], [24, [11, 15]], [50, [13, 17]]] 1\n"
            "Window size must be greater than zero, but got 0.\n"
            "Window size must be greater than zero, but got 0.\nFalse 4 True None None\n");
}

// Against NumPy.
TEST_F(RunScriptPublic, FunctionalModelsAskForTheShapesOfTheirTensors) {
    EXPECT_EQ(output_of(own("keras_known_shapes.py")),
              "(None, 28) (None, 7, 4) (None, 28) (None, 30)\nTrue\n"
              "resnet50 True ['tf.__operators__.getitem_4', 'tf.nn.bias_add']\n"
              "mobilenet_v2 True ['tf.math.truediv', 'tf.math.subtract']\n"
              "densenet True ['tf.math.truediv_1', 'tf.nn.bias_add_1', 'tf.math.truediv_2']\n");
}

// Against NumPy. The step that is defined anew in each call is compiled once.
TEST_F(RunScriptPublic, StepsWithinFunctionsAreGivenToTheStrategy) {
    EXPECT_EQ(output_of(own("strategy_steps.py")),
              "True True\nTrue\n"
              "IPUStrategy.run() does not support eager execution: wrap the function in tf.function.\n37.0\n"
              "[[[2.0], [3.0]], [[2.0, 2.0], [3.0, 3.0]]]\n2.0 5.0\n[0.0, 3.0, 6.0, 9.0] [0.0, 2.0, 4.0]\n");
    EXPECT_EQ(printed({"query", "run.tilescope", "SELECT count(*) FROM device_program", "--format", "csv"}),
              "count(*)\n11\n");
}

TEST_F(RunScriptPublic, CompiledFunctionsNameTheIpuThemselves) {
    EXPECT_EQ(output_of(own("scopes_within.py")),
              "The computation is not placed on an IPU: call ipu_compiler.compile within "
              "`with ipu.scopes.ipu_scope(\"/device:IPU:0\"):`\n"
              "['factor:0', 'total:0', 'shift:0']\n[3.0, 6.0] [2.0, 3.0]\n"
              "[[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]\n");
}

// Against NumPy.
TEST_F(RunScriptPublic, LossesAreCalledOnTensorsOfModels) {
    EXPECT_EQ(output_of(own("keras_losses_of_tensors.py")),
              "True\nTrue\n['tf.binary_crossentropy', 'tf.math.multiply', 'tf.math.reduce_mean', 'add_loss', "
              "'tf.huber', 'add_loss_1', 'tf.mean_absolute_error', 'add_metric']\n");
}

// Seven programs: of two numbers of steps, a power and four shapes.
TEST_F(RunScriptPublic, ArgumentsThatDecideAProgramAreKnownToIt) {
    EXPECT_EQ(output_of(own("known_arguments.py")),
              "[7.0, 11.0, 7.0]\n32.0\n[[0.0, 4.0, 8.0], [12.0, 16.0, 20.0]]\n"
              "[[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]]\n"
              "[[(2, 3), (2, 2)], [(3, 2), (3, 2)]]\n"
              "a shape is not known before the program runs; shapes are static on the IPU\n"
              "Cast:0 is not known before the program runs; shapes are static on the IPU\n"
              "[11.0, 11.5, 1.0]\n"
              "labels must not be None.\n");
    EXPECT_EQ(printed({"query", "run.tilescope", "SELECT count(*) FROM device_program", "--format", "csv"}),
              "count(*)\n10\n");
}

TEST_F(RunScriptPublic, NamesWithoutAnEndingHoldWhatIsLoadedAgain) {
    const std::string gone = " is not there under tilescope run: ";
    const std::string over =
        " over something that it has not made" + gone + "give another folder, or the name of an HDF5 file: ";
    const std::string asked = "empty is there already: overwrite it? [y/n] ";
    EXPECT_EQ(
        output_of(own("keras_folders.py")),
        "model ['tilescope_model.h5'] True\ngoes on True True False\nagain True\n"
        "checkpoint training/cp-0002.ckpt ['checkpoint', 'cp-0001.ckpt.npz', "
        "'cp-0002.ckpt.npz'] True True True False\n"
        "Model.save('full')" +
            over + "'full.h5'\nModel.save('file')" + over + "'file.h5'\n" + asked + asked + "\nkept True\n" +
            asked + asked +
            "\nnobody empty is there already, and nobody says whether to overwrite it: save by another name, "
            "or "
            "with overwrite=True\nwritten True ['text'] text True\n"
            "keras.models.load_model('python') of a model of which a part is Python" +
            gone +
            "make the model as the script did that saved it, and call load_weights('python')\n"
            "Python ['tilescope_weights.h5'] True\nby format True True True\n"
            "save() knows the formats h5, hdf5, keras, tf, tensorflow, and got 'zip'.\n"
            "save_weights('x.h5') is to write a checkpoint of TensorFlow by the name of an HDF5 file: leave "
            "out the ending or save_format.\n");
}

// Against NumPy in the script.
TEST_F(RunScriptPublic, ClassesThatAreDerivedFromLayersComputeAsThose) {
    EXPECT_EQ(
        output_of(own("derived_layers.py")),
        "['plain/kernel:0', 'plain/bias:0', 'scaled/kernel:0', 'scaled/bias:0'] ['plain', 'scaled']\n"
        "True True\nScaled 3.0 True\n(1, 3, 3, 2) [(None, 5, 5, 1)] True\n"
        "True ['input_1', 'words', 'kept']\n"
        "Own.build() that makes kernel of a layer which is called as Dense is not there under tilescope run: "
        "write its call(), too, or leave the weights to super().build()" +
            asks +
            "[True, True, True, True] True ['masked/kernel:0', 'masked/bias:0', 'doubled/kernel:0', "
            "'doubled/bias:0']\nTrue 8\n");
}

// As Keras has it: `trainable` is of all that is in a layer, and counts when compile() is called.
TEST_F(RunScriptPublic, LayersOfTheScriptsOwnAreFrozenWithAllThatIsInThem) {
    const std::string each =
        "[(2, [True, True]), (0, [False, False]), (0, [False, False]), (2, [True, True])]\n";
    EXPECT_EQ(output_of(own("keras_frozen.py")), each + each + each + each +
                                                     "(0, [False, False])\n"
                                                     "(2, [False, False, True, True])\nTrue 0\n");
}

} // namespace
} // namespace tilescope::tests
