// SPDX-License-Identifier: GPL-3.0-or-later
// Values that TensorFlow defines and that a script could see wrong without a word. The scripts work them out
// with NumPy or by hand.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptValues = RunScript;

// A step adds 2 and 3 to 1 in order, and 2, -5 and 7 in any. A rate of 0.1 moves 1 to 1.4, and half of that
// the mean.
TEST_F(RunScriptValues, StepsOfTensorFlow1AssignInOrderAndTheHostTrains) {
    const std::string step = " (61.0, [6.0]) [5.0] [1.4, 1.2]\n";
    EXPECT_EQ(
        output_of(own("in_order.py")),
        "host" + step + "cluster" + step + "compiled" + step +
            "an update of v, to which the same step has assigned before is not there under tilescope run: "
            "assign in a step of its own, or after the update" +
            asks +
            "host trains (True, 3)\nknown [1, 2, 1, 2]\nrate [0.1, 0.055, 0.01, 0.0325, 0.01]\n"
            "strided True\nin a row True\n");
}

TEST_F(RunScriptValues, KerasShowsAllStepsAndCallsBackAsDocumented) {
    EXPECT_EQ(output_of(own("keras_shown.py")),
              "after a stop True (16, 1)\nhooks ['test', 1, 3, 'test', 1, 3, 'predict', 'predicted']\n"
              "early 3 0.5 2\nearly again 3 0.3 0\nkept ['kept2.h5', 'kept3.h5']\n"
              "rates [1.0, 0.5, 0.25] ['epoch', 'loss', 'lr'] ['0', '1', '2'] True\n"
              "unreduced True True True\nhinge [True, True]\nclasses True\nweighted True True\n"
              "tape [None, 2.0]\nwatched [3.0, None]\n");
}

TEST_F(RunScriptValues, LossesMoveWithinAnEngineRun) {
    output_of(own("slow_batches.py"));
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT epoch, step, name, round(value, 3) FROM metric_within", "--format", "csv"}),
              "epoch,step,name,\"round(value, 3)\"\n0,1,loss,1.0\n0,2,loss,2.5\n0,3,loss,4.667\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, WeightsOfSamplesAreOfEachOutput) {
    EXPECT_EQ(
        output_of(own("keras_output_weights.py")),
        "True True True True \n"
        "True True True \n"
        "True True\n"
        "True True\n"
        "sample_weight has 3 arrays, and the model 2 outputs: give one for each, or one array for all.\n"
        "Found unexpected keys in sample_weight that do not correspond to any Model output: ['c']. Expected: "
        "['a', 'b']\n"
        "`class_weight` is only supported for Models with a single output.\n");
}

// By hand.
TEST_F(RunScriptValues, ElementsArePaddedCarriedAlongAndEndedEarly) {
    EXPECT_EQ(output_of(own("data_padding.py")),
              "[[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]\n"
              "[[[1, -1, -1, -1, -1], [2, 2, -1, -1, -1], [3, 3, 3, -1, -1]]]\n"
              "TensorSpec(shape=(3, 5), dtype=tf.int32, name=None) TensorSpec(shape=(None, None), "
              "dtype=tf.int32, name=None)\n"
              "[[1.0, 9.0, 9.0, 9.0], [2.0, 2.0, 9.0, 9.0], [3.0, 3.0, 3.0, 9.0]] [1, 2, 3] [[1, 7, 7], [1, "
              "1, 7], [1, 1, 1]]\n"
              "Attempted to pad to a smaller size than the input element: [3] to [2].\n"
              "The shapes ([4, 1], []) are not nested as the 3 parts of elements are: give one for each.\n"
              "[0, 1, 2, 3, 4]\n"
              "[0, 0, 2, 9, 24, 50, 90, 147, 224, 324]\n"
              "[0, 1, 3, 6, 10, 15] 10\n"
              "Cannot unbatch an input with scalar components.\n");
}

// Adam with a rate and a beta that change, by its formula in the script.
TEST_F(RunScriptValues, NumbersOfOptimisersAreVariables) {
    EXPECT_EQ(
        output_of(own("optimizer_numbers.py")),
        "[True, True, True, True, True, True] 6 0.05 1e-07\n"
        "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)\n"
        "1\n"
        "<tf.Variable 'learning_rate:0' shape=() dtype=float32, numpy=0.5> <tf.Variable 'iter:0' shape=() "
        "dtype=int64, numpy=0>\n"
        "ExponentialDecay\n"
        "2\n"
        "[True, True] 4\n"
        "True\n"
        "False\n"
        "[0.25] 4\n"
        "assign() to optimizer.iterations is not there under tilescope run: make a new optimizer, which "
        "begins at 0" +
            asks + "'Adam' object has no attribute 'epsilons'\n");
}

// By hand.
TEST_F(RunScriptValues, TensorsCompareTheirNumbersInTensorFlow2) {
    EXPECT_EQ(output_of(own("comparisons.py")),
              "tf.Tensor(2.0, shape=(), dtype=float32) tf.Tensor([0 1 0], shape=(3,), dtype=int32) "
              "tf.Tensor([False  True False], shape=(3,), dtype=bool)\n"
              "tf.Tensor([ True False], shape=(2,), dtype=bool) tf.Tensor([False  True], shape=(2,), "
              "dtype=bool) tf.Tensor([ True False], shape=(2,), dtype=bool) False False\n"
              "tf.Tensor([ True False], shape=(2,), dtype=bool) tf.Tensor([ True False], shape=(2,), "
              "dtype=bool) False tf.Tensor([ True  True], shape=(2,), dtype=bool)\n"
              "tf.Tensor(True, shape=(), dtype=bool) tf.Tensor([False  True], shape=(2,), dtype=bool)\n"
              "tf.Tensor([1. 0.], shape=(2,), dtype=float32)\n"
              "[[4. 2. 3.]]\n"
              "<tf.Tensor: shape=(), dtype=float32, numpy=3.0> <tf.Variable 'Variable:0' shape=() "
              "dtype=int32, numpy=2>\n");
}

TEST_F(RunScriptValues, TensorsAreTheSameOrNotInTensorFlow1) {
    EXPECT_EQ(output_of(own("comparisons_1.py")), "False True True True\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, ConfigurationsOfKeras2And3AreTaken) {
    EXPECT_EQ(
        output_of(own("keras_configurations.py")),
        "True True True True True True True\n"
        "the argument of tensorflow.keras.layers.LSTM: depthwise_regularizer is not there under tilescope "
        "run; the nearest that is "
        "there is bias_regularizer" +
            asks +
            "[[[4.0, 5.0], [0.0, 1.0]]]\nTrue True True\nTrue\n"
            "the layer class Mine>Twice is not there under tilescope run: a class of the script's own goes "
            "into custom_objects" +
            asks +
            "[-41.08700180053711, -29.347999572753906] {}\nTwice 5 False True\n"
            "Adam 0.5 ExponentialDecay 0.25\nlast 3 0.5 [5.0] [4.0, 4.0]\n3 True 2 True 2 True \n");
}

TEST_F(RunScriptValues, ModelsOfOwnClassesAreMadeOfTheirConfigurations) {
    EXPECT_EQ(output_of(own("keras_own_models.py")),
              "4 Functional Stack Sequential\n"
              "Improper config format for a model: {}. Expecting python dict contains `layers` as keys\n"
              "Improper config format for a model: {'layers': []}. Expecting python dict contains "
              "`input_layers`, `layers`, `output_layers` as keys\n");
}

// By hand, over eight updates each.
TEST_F(RunScriptValues, RatesAndUpdatesFollowTheirFormulas) {
    EXPECT_EQ(output_of(own("rate_schedules.py")), "True 8 1 True 8 1 True 8 1 \n"
                                                   "True 8 1 True 8 1 True 8 1 \n"
                                                   "True 8 1 True 8 1 True 8 1 \n"
                                                   "True 8 1 True 8 1 True 8 1 \n"
                                                   "[1.0, 0.5, 0.5, 0.25, 0.25]\n"
                                                   "True True True True \n");
}

// By hand, in two steps.
TEST_F(RunScriptValues, LayersAndModelsAddToTheLoss) {
    EXPECT_EQ(
        output_of(own("keras_added_losses.py")),
        "layer True True\n"
        "evaluated True\n"
        "model True True\n"
        "alone True True\n"
        "Dense.add_loss() of a Keras tensor outside of call() is not there under tilescope run: give "
        "it to the model's add_loss()" +
            asks +
            "own step True\n"
            "replicas True\n"
            "pipeline True\n"
            "Vector.add_loss() of a tensor of shape (6, 3) is not there under tilescope run: give it one "
            "number, as tf.reduce_mean makes it" +
            asks + "half True\n");
}

// Against NumPy; the order is Keras' (base_layer.py, training.py: weights, trainable_weights).
TEST_F(RunScriptValues, WeightsAreListedAsTheirLayersWereMade) {
    const std::string line(40, '_');
    const auto row = [&](const std::string& text) {
        return text + std::string(40 - text.size(), ' ') + "\n";
    };
    const std::string head = row("Layer (type)      Output Shape    Param ") + std::string(40, '=') + "\n";
    EXPECT_EQ(output_of(own("keras_weight_order.py")),
              "outer/end/kernel outer/end/bias outer/inner/last/kernel outer/inner/last/bias "
              "outer/inner/norm/gamma outer/inner/norm/beta outer/inner/norm/moving_mean "
              "outer/inner/norm/moving_variance outer/block/scale outer/block/second/kernel "
              "outer/block/second/bias outer/block/first/gamma outer/block/first/beta "
              "outer/block/first/moving_mean outer/block/first/moving_variance outer/own\n"
              "[0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 15]\n"
              "outer/block/scale:0 outer/block/second/kernel:0 outer/block/second/bias:0 "
              "outer/block/first/gamma:0 outer/block/first/beta:0 outer/block/first/moving_mean:0 "
              "outer/block/first/moving_variance:0 5 2\n"
              "21 [(4, 3), (3,), (4,), (4,), (4,), (4,)]\n"
              "True\n[18.0, 18.0, 18.0, 18.0, 18.0]\n"
              "Model: \"outer\"\n" +
                  line + "\n" + head + row("end (Dense)       multiple        15") + line + "\n" +
                  row("inner (Inner)     multiple        31") + line + "\n" +
                  row("block (Block)     multiple        21") + std::string(40, '=') +
                  "\nTotal params: 74\nTrainable params: 60\nNon-trainable params: 14\n" + line +
                  "\nModel: \"sequential\"\n" + line + "\n" + head +
                  row("block (Block)     (None, 2)       27") + line + "\n" +
                  row("dense (Dense)     (None, 1)       3") + std::string(40, '=') +
                  "\nTotal params: 30\nTrainable params: 22\nNon-trainable params: 8\n" + line +
                  "\n1.0 [2.0, 3.0]\n");
}

// By hand: the evaluation is the mean of 12^2 and 44^2.
TEST_F(RunScriptValues, ModelsHaveShapesAndSubclassesNamesOfTheirOwn) {
    EXPECT_EQ(output_of(own("keras_shapes.py")),
              "(None, 8, 8, 3) (None, 6, 6, 4) [(None, 8, 8, 3), (None, 6, 6, 4)]\n"
              "(None, 4) (None, 3)\n"
              "1040.0 [12.0, 44.0]\n"
              "[[3.0, 3.0], [0.0], [1.0], True, True]\nTrue True\n");
}

// Against NumPy.
TEST_F(RunScriptValues, LossesOfTensorFlow1CompareInFloat32AndLastAxes) {
    EXPECT_EQ(output_of(own("mixed_losses.py")),
              "above ''\n"
              "mean_squared_error float32 True\nabsolute_difference float32 True\nhuber_loss float32 True\n"
              "hinge_loss float32 True\nlog_loss float32 True\nsigmoid_cross_entropy float16 True\n"
              "True True True\n");
}

// By hand in the script.
TEST_F(RunScriptValues, NamesOfContribAndOfPoplarsOperationsAreThere) {
    EXPECT_EQ(output_of(own("contrib_names.py")), "True\n[1.25, 0.75]\n[[1, 11, 2], [12, 3, 13]]\n"
                                                  "[[8.0, 8.0], [4.0, 4.0], [0, 1]]\n");
}

// Against NumPy, and gradients against differences of the losses of both replicas.
TEST_F(RunScriptValues, ReplicasSendEachOtherWhatTheyHave) {
    EXPECT_EQ(output_of(own("replica_exchanges.py")),
              "[0, 1] True int32 True True True\nTrue\nTrue True True True True True\n"
              "[0, 1, 2, 3] True int32 True True True\nTrue\nTrue True True True True True\n"
              "True\nTrue\nTrue\n"
              "0 [[1.0, 2.0]]\n"
              "replica_group_size 3 does not divide the 2 replicas\n"
              "all_to_all: dimension 0 of [4] is not a multiple of the 3 replicas\n"
              "ipu.reduce_scatter_op.reduce_scatter(op='COLLECTIVE_OP_LOCAL') is not there under tilescope "
              "run: use "
              "COLLECTIVE_OP_ADD, COLLECTIVE_OP_SQUARE_ADD, COLLECTIVE_OP_MEAN, COLLECTIVE_OP_MUL, "
              "COLLECTIVE_OP_MIN, COLLECTIVE_OP_MAX" +
                  asks);
    const std::string kinds =
        "SELECT DISTINCT o.kind, e.ring_phase FROM exchange e JOIN operation o ON o.id = e.operation_id "
        "WHERE o.kind LIKE 'group%' AND e.kind = 'inter_ipu' ORDER BY 1";
    EXPECT_EQ(printed({"query", "run.tilescope", kinds, "--format", "csv"}),
              "kind,ring_phase\ngroup_all_to_all,reduce_scatter\ngroup_gather,all_gather\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, ReplicasTakeTheirBatchesAndExchangeValues) {
    EXPECT_EQ(
        output_of(own("cross_replica.py")),
        "True True True True\n"
        "True True True True\n"
        "True True 2\n"
        "True\n"
        "True True\n"
        "an assignment to Variable_0 on 2 replicas, in a step in which they exchange values is not there "
        "under tilescope run: each would have a value of its own: assign what all of them have, or "
        "enqueue it to an outfeed queue" +
            asks +
            "ipu.cross_replica_ops.cross_replica_sum of int32 is not there under tilescope run: cast it to "
            "float32" +
            asks + "replica_group_size 3 does not divide the 2 replicas\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, ScopesAndNormsOfIpuTensorFlow) {
    EXPECT_EQ(output_of(own("ipu_scopes.py")),
              "True True True True\n"
              "Only support float16, float32 partials, not int32\n"
              "ipu.within_replica_ops.reduce_scatter is not there under tilescope run: which shard has "
              "which part "
              "is Poplar's choice; use all_reduce, and take a part of it" +
                  asks +
                  "ipu.internal_ops.fifo outside of a program of the IPU is not there under tilescope run: "
                  "call it in a function that ipu_compiler.compile or strategy.run is given" +
                  asks);
}

// Against NumPy in the script; each kernel is where its stage is.
TEST_F(RunScriptValues, LayersOfASubclassAreInTheStagesThatTheyAreAssignedTo) {
    EXPECT_EQ(output_of(own("keras_stages.py")), "[True, True, True]\n");
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT name, ipu FROM variable WHERE name LIKE '%kernel' OR name LIKE '%scale'",
                       "--format", "csv"}),
              "name,ipu\ndense/kernel,0\ndense_1/kernel,1\nscaled/scale,1\n");
}

// Configurations are Keras'; numbers against NumPy in the script.
TEST_F(RunScriptValues, KerasObjectsAreKnownByNameAndConfiguration) {
    EXPECT_EQ(output_of(own("keras_identifiers.py")),
              "initializers HeNormal [True, True, True, True, True, True, True] True True\n"
              "regularizers L2 [True, True, True, True, True, True, True] True True\n"
              "constraints MaxNorm [True, True, True, True, True, True, True] True True\n"
              "optimizers Adam [True, True, True, True, True, True, True] True True\n"
              "losses Huber [True, True, True, True, True] True True\n"
              "metrics AUC [True, True, True, True, True] True True\n"
              "Zeros None None None None True\n"
              "mean_squared_error True True categorical_crossentropy True True binary_accuracy True True "
              "relu True True \n"
              "ExponentialDecay 0.5 RMSprop\n"
              "[[4.0, 4.0, 4.0]]\n"
              "Twice Twice\n"
              "True True\n"
              "True True True True True [1.0, 0.0]\n"
              "the optimizer adamm is not there under tilescope run; the nearest that is there is Adam" +
                  asks + "the loss mze is not there under tilescope run; the nearest that is there is mse" +
                  asks +
                  "Could not interpret initializer identifier: 3\n"
                  "Improper config format for a loss: {}. Expecting python dict contains `class_name` and "
                  "`config` as keys\n"
                  "the argument of tensorflow.losses.categorical_crossentropy: delta is not there under "
                  "tilescope run; the nearest that is there is y_true, y_pred, from_logits, label_smoothing" +
                  asks +
                  "the regularizer L3 is not there under tilescope run: a class of the script's own goes "
                  "into custom_objects" +
                  asks +
                  "Could not interpret optimizer identifier: 3.5\n"
                  "True True True True True \n");
}

// Against NumPy and by hand in the script.
TEST_F(RunScriptValues, JacobiansOfTapesAreThoseOfEachNumber) {
    EXPECT_EQ(
        output_of(own("jacobians.py")),
        "True True True None (3, 3, 2)\n"
        "[[[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]], [[4.0, 3.0], [6.0, 0.0], [0.0, 1.0]]]\n"
        "True\n"
        "True\n"
        "[[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]\n"
        "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)\n"
        "tf.GradientTape.jacobian of more than 1,000 numbers is not there under tilescope run: take "
        "gradient() of what you need" +
            asks +
            "[[[0.0], [0.0]], [[0.0], [0.0]]] (2, 1, 2) None\n"
            "GradientTape takes sources that are tensors and variables, and got ndarray: make a tensor of it "
            "and watch that.\n"
            "GradientTape takes sources that are tensors and variables, and got ndarray: make a tensor of it "
            "and watch that.\n"
            "GradientTape takes sources that are tensors and variables, and got ndarray: make a tensor of it "
            "and watch that.\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, ConstraintsMayBeFunctionsOfTheScript) {
    EXPECT_EQ(
        output_of(own("own_constraints.py")),
        "True True True True\n"
        "True\n"
        "True True\n"
        "True True True True\n"
        "True\n"
        "True True\n"
        "the constraint of a weight of sequential_7, a function of the script's own, with accumulated "
        "gradients is not there under tilescope run: use those of keras.constraints, or an update for each "
        "step" +
            asks +
            "True True True True; True True True True; True True True True; True True True True; True True "
            "True True; True True True True; True True True True; True True True True; 1\n"
            "True True True True True True {'class_name': 'Clip', 'config': {'most': 0.1}}\n"
            "layer time_distributed_4/dense_18: \"kernel_constraint\": constraint \"clip\" is not supported; "
            "use max_norm, min_max_norm, non_neg, radial_constraint or unit_norm\n"
            "0.0 [-10.0, -10.0]\n"
            "TimeDistributed of a layer whose activation is a function of the script's own is not there "
            "under "
            "tilescope run: call that on what the wrapper makes, or give the layer one of keras.activations" +
            asks + "True\n");
}

// Against the same steps in one sequence, in the script.
TEST_F(RunScriptValues, StatefulLayersGoOnWhereTheBatchBeforeEnded) {
    EXPECT_EQ(output_of(own("stateful_layers.py")),
              "True True True 5 2 True True True 5 2 LSTM\n"
              "True True True 5 1 True True True 5 1 GRU\n"
              "True True True 5 1 True True True 5 1 SimpleRNN\n"
              "True True True\n"
              "True True\n"
              "Model: \"sequential_12\"\n"
              "_________________________________________________________________\n"
              "Layer (type)                 Output Shape              Param #   \n"
              "=================================================================\n"
              "lstm_4 (LSTM)                (2, 4, 4)                 128       \n"
              "_________________________________________________________________\n"
              "dense_12 (Dense)             (2, 4, 1)                 5         \n"
              "=================================================================\n"
              "Total params: 133\n"
              "Trainable params: 133\n"
              "Non-trainable params: 0\n"
              "_________________________________________________________________\n"
              "True True\n"
              "If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input "
              "tensors: \n"
              "the layer lstm_4 is stateful for batches of 2 samples, and gets 3: give fit(), evaluate() and "
              "predict() batch_size=2\n"
              "Layer lstm_4 expects 2 states, but it received 1 state values.\n"
              "Layer must be stateful.\n"
              "LSTM(stateful=True) called on values is not there under tilescope run: put it into a model, "
              "and call that" +
                  asks);
}

// Against workloads and NumPy in the script.
TEST_F(RunScriptValues, MasksGoFromLayerToLayer) {
    EXPECT_EQ(output_of(own("masked_steps.py")), "True True True True\n"
                                                 "True\n"
                                                 "True\n"
                                                 "True False True\n"
                                                 "True True\n"
                                                 "True\n"
                                                 "True True\n"
                                                 "True True True True [[1.0]]\n"
                                                 "0.5 0.5\n"
                                                 "[True, True, True, True, True, True] True\n"
                                                 "True True\n"
                                                 "True True True True False\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, ActivationsMayBeFunctionsOfTheScript) {
    EXPECT_EQ(output_of(own("own_activations.py")),
              "True True True True True True\n"
              "True ['kernel:0', 'bias:0'] True\n"
              "True 2\n"
              "Model: \"sequential_6\"\n"
              "_________________________________________________________________\n"
              "Layer (type)                 Output Shape              Param #   \n"
              "=================================================================\n"
              "activation (Activation)      (None, 3)                 0         \n"
              "_________________________________________________________________\n"
              "dense_13 (Dense)             (None, 2)                 8         \n"
              "=================================================================\n"
              "Total params: 8\n"
              "Trainable params: 8\n"
              "Non-trainable params: 0\n"
              "_________________________________________________________________\n"
              "True\n"
              "True\n"
              "True square\n"
              "True\n"
              "Cannot serialize  it has no name and no get_config()\n"
              "LSTM(activation=…) of a function of the script's own is not there under tilescope run: give "
              "one of keras.activations" +
                  asks);
}

// Against NumPy in the script.
TEST_F(RunScriptValues, MetricsAreOfSingleOutputs) {
    EXPECT_EQ(
        output_of(own("output_metrics.py")),
        "['kind_accuracy', 'kind_loss', 'loss', 'value_loss'] True\n"
        "['kind_accuracy', 'kind_loss', 'loss', 'value_loss', 'value_mae', 'value_mse'] True\n"
        "['kind_accuracy', 'kind_loss', 'loss', 'value_loss', 'value_mae'] True\n"
        "['kind_loss', 'kind_mae', 'loss', 'value_loss', 'value_mae']\n"
        "['loss', 'mae']\n"
        "['kind_accuracy', 'kind_loss', 'loss', 'value_loss'] ['k', 'v'] True True True True ['kind', "
        "'value'] ['value', 'kind']\n"
        "['kind_accuracy', 'kind_loss', 'loss', 'value_loss'] True\n"
        "['loss', 'value_loss'] True ('kind_loss', 0.0)\n"
        "None ['k_accuracy', 'k_loss', 'loss', 'v_loss'] ['k', 'v'] ['k', 'v'] True ['k', 'v'] True True\n"
        "['loss', 'v_loss', 'v_mae'] True\n"
        "True\n"
        "True\n"
        "tuple list (16, 1) (16, 2) ['output_1', 'output_2_1']\n"
        "Found unexpected keys that do not correspond to any Model output: ['typo']. Expected: ['k', 'v']\n"
        "Found unexpected keys that do not correspond to any Model output: ['typo']. Expected: ['k', 'v']\n"
        "Found unexpected keys that do not correspond to any Model output: ['w']. Expected: ['k', 'v']\n"
        "Found unexpected keys that do not correspond to any Model output: ['v', 'k', 'w']. Expected: ['k', "
        "'v']\n"
        "Found unexpected keys that do not correspond to any Model output: ['typo']. Expected: ['dense']\n"
        "Found unexpected keys that do not correspond to any Model output: ['typo']. Expected: ['dense']\n"
        "`loss` has 3 entries, and the model has 2 outputs: ['value', 'kind']\n"
        "`metrics` has 3 entries, and the model has 2 outputs: ['value', 'kind']\n"
        "True ['own/dense_5/kernel:0', 'own/dense_5/bias:0', 'own/dense_6/kernel:0', "
        "'own/dense_6/bias:0']\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, MetricsMayHaveVariablesOfTheirOwn) {
    EXPECT_EQ(output_of(own("own_metrics.py")), "['accuracy', 'largest', 'loss', 'share'] True True 2 True\n"
                                                "['accuracy', 'largest', 'loss', 'share'] True True 2 True\n"
                                                "True\n"
                                                "0.0\n"
                                                "True [False, False, False, True]\n"
                                                "True True True \n"
                                                "2 True [[0.6, 0.8], [0.0, 0.0]]\n"
                                                "True True True True\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, LayersTellOfTheirCallsAndModelsOfTheirLosses) {
    EXPECT_EQ(output_of(own("layer_ends.py")),
              "True True (None, 4) (None, 2) (None, 3) (None, 3)\n"
              "Layer \"dense\" has multiple inbound nodes, hence the notion of \"layer output\" is "
              "ill-defined. Use `get_output_at(node_index)` instead.\n"
              "Layer dense_1 has no inbound nodes: call it on Keras tensors first.\n"
              "'Dense' object has no attribute 'outputt'\n"
              "[TensorShape([None, 3]), TensorShape([None, 3]), TensorShape([None, 1])] 3 True 0.25 "
              "GlorotUniform ['input_3'] ['dense'] False 2\n"
              "True True True True True\n"
              "True (None, 5) (8, 5) True True\n"
              "2 True\n"
              "True\n"
              "True\n"
              "True True True True 2 True\n"
              "True True True True\n"
              "['loss', 'rmse', 'root_mean_squared_error'] True True\n"
              "True [0, 10, 11, 1] [0, 1, 3, 6] 5\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, OperationsAreMadeOfOthers) {
    EXPECT_EQ(
        output_of(own("more_operations.py")),
        "26 checked\ngradient True\ngradient True\ngradient True\ngradient True\ngradient True\n"
        "[3, 1, 2] [0, 1, 0, 2, 1] [2, 2, 1] [[1, 3], [0, 2]]\nFalse True [1, 2, 0] (3, 4) float16 2.0\n"
        "tf.unique in a program is not there under tilescope run: how many it finds is not known before it "
        "runs\nConv3D True\na window of [3, 2, 3] does not fit volumes of [2, 6, 5]\n");
}

// Against NumPy and colorsys in the script.
TEST_F(RunScriptValues, ImagesChangeTheirColours) {
    EXPECT_EQ(output_of(own("image_colours.py")),
              "16 checked\nuint8 True True\n[False, False] [True, True]\nmax_delta must be <= 0.5.\n"
              "upper must be > lower.\nimages of [5, 13] are smaller than the window of 11: give another "
              "filter_size\n");
}

// Against NumPy in the script.
TEST_F(RunScriptValues, MoreOfTensorFlow1IsThere) {
    EXPECT_EQ(
        output_of(own("more_names_1.py")),
        "['conv1d/bias:0', 'conv1d/kernel:0', 'conv3d/bias:0', 'conv3d/kernel:0', 'own/bias:0', "
        "'own/kernel:0', 'separable_conv2d/bias:0', 'separable_conv2d/depthwise_kernel:0', "
        "'separable_conv2d/pointwise_kernel:0']\n"
        "[True, True, True, True, True, True, True]\n"
        "['bidirectional_rnn/bw/basic_rnn_cell/bias:0', 'bidirectional_rnn/bw/basic_rnn_cell/kernel:0', "
        "'bidirectional_rnn/fw/basic_rnn_cell/bias:0', 'bidirectional_rnn/fw/basic_rnn_cell/kernel:0']\n"
        "[True, True, True, True]\n[] 9 True True True\nTrue\n21.0 ['shared/scale:0'] 1 True\nTrue False\n"
        "[[-1.0, 5.0], [-1.0, -1.0], [7.0, -1.0]] [1] 28.0\n4.0\n4.0\n"
        "Assignment map with scope or name none/ has no variables of this graph.\n"
        "Tensor must have rank at least 2. Received rank 1, shape (2,)\n"
        "Tensor must have rank in [0, 2]. Received rank 1, shape (2,)\n"
        "here : Tensor had NaN values\nTensor must be of type int32\n");
}

// Against NumPy.
TEST_F(RunScriptValues, CallsTakeWhatTheScriptsOwnModelsSay) {
    EXPECT_EQ(
        output_of(own("keras_calls.py")),
        "called True True 10 [True, True] True\n"
        "connected True\n"
        "loss doubled True\n"
        "loss None True\n"
        "loss None True\n"
        "trained True True\n"
        "Bidirectional of a layer whose regularizer is a function of the script's own is not there under "
        "tilescope run: use keras.regularizers.L1, L2 or L1L2; ask for it where Tilescope's issues are kept\n"
        "[(None, 5, 3), (None, 2, 5, 3), (None, 6), (None, 6)]\n"
        "scores True True True\n"
        "ranks True True True\n"
        "partial True True True\n"
        "generator 2 True\n"
        "within True True\n"
        "weights (4, 2) ['dense_5/kernel:0', 'dense_5/bias:0'] True\n"
        "<Policy \"mixed_float16\"> float16 int32\n"
        "by hand True True\n"
        "huber_loss mean_squared_error kullback_leibler_divergence\n");
}

// By hand, or against NumPy.
TEST_F(RunScriptValues, ClassesOfKerasMetricsAndLossesAreThoseThatTheyAreDerivedFrom) {
    EXPECT_EQ(output_of(own("derived_metrics.py")),
              "SparseTopKCategoricalAccuracy sparse_top_k_categorical_accuracy True\n"
              "TopKCategoricalAccuracy top_k_categorical_accuracy True\nBinaryAccuracy binary_accuracy True\n"
              "Accuracy accuracy True\nCategoricalCrossentropy categorical_crossentropy True\n"
              "MeanSquaredError mean_squared_error True\nmean_squared_error True\n"
              "['loss', 'top_k_categorical_accuracy', 'mean_squared_error'] True\n");
}

// Counts by hand; restored and set, metrics go on as those that they are of.
TEST_F(RunScriptValues, MetricsKeepVariablesThatCheckpointsHave) {
    EXPECT_EQ(
        output_of(own("metric_variables.py")),
        "{'auc': ['true_positives:0', 'true_negatives:0', 'false_positives:0', 'false_negatives:0'], "
        "'precision': ['true_positives:0', 'false_positives:0'], 'recall': ['true_positives:0', "
        "'false_negatives:0'], 'tp': ['accumulator:0'], 'fn': ['accumulator:0'], 'rms': ['total:0', "
        "'count:0'], 'iou': ['total_confusion_matrix:0'], 'rate': ['true_positives:0', 'true_negatives:0', "
        "'false_positives:0', 'false_negatives:0'], 'mean': ['total:0', 'count:0'], 'sum': ['total:0'], "
        "'hits': ['total:0', 'count:0'], 'own': ['seen:0']}\n"
        "[True, True, True, True] [[1.0, 1.0], [1.0, 5.0]]\n"
        "['_CHECKPOINTABLE_OBJECT_GRAPH', 'auc/false_negatives', 'auc/false_positives', "
        "'auc/true_negatives', 'auc/true_positives', 'fn/accumulator', 'hits/count', 'hits/total', "
        "'iou/total_confusion_matrix', 'mean/count', 'mean/total', 'own/seen', 'precision/false_positives', "
        "'precision/true_positives', 'rate/false_negatives', 'rate/false_positives', 'rate/true_negatives', "
        "'rate/true_positives', 'recall/false_negatives', 'recall/true_positives', 'rms/count', 'rms/total', "
        "'save_counter', 'sum/total', 'tp/accumulator']\n"
        "[]\n"
        "[]\n"
        "[] [] True\n");
}

} // namespace
} // namespace tilescope::tests
