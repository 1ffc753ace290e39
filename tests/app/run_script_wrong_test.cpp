// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts for IPU TensorFlow that ask for what is not there, or give what is not taken.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

TEST_F(RunScript, WhatIsNotThereIsToldInOneLineWithWhatIsNearestAndWhereToAsk) {
    const std::string missing = " is not there under tilescope run; the nearest that is there is ";
    EXPECT_EQ(output_of(own("missing_names.py")),
              "[]\n[]\n[]\n[]\n[]\n[]\n"
              "tensorflow.linalg.sqrtm" +
                  missing + "tensorflow.linalg, which has qr and 33 more" + asks +
                  "tensorflow.keras.layers.experimental.preprocessing.Dense" + missing +
                  "tensorflow.keras.layers.Dense" + asks + "the argument of tensorflow.nn.relu(): alpha" +
                  missing + "x, name" + asks + "the argument of tensorflow.keras.Model.fit(): epoch" +
                  missing + "epochs" + asks +
                  "layer dense_16: \"kernel_regularizer\": regulariser \"l3\" is not supported; did you mean "
                  "\"l1\"?" +
                  asks + "Own.add_weigth" + missing + "Own.add_weight" + asks +
                  "no line: AttributeError(\"'Own' object has no attribute 'valeu'\")\n"
                  "no line: TypeError(\"repeat() got an unexpected keyword argument 'm'\")\n"
                  "what is not supported.h5: there is no such file; check the path\n"
                  "no line: AttributeError(\"'Dense' object has no attribute 'kernel': it is made when the "
                  "layer is called\")\n"
                  "no line: AttributeError('Layer apart has no inbound nodes: call it on Keras tensors "
                  "first.')\n"
                  "no line: AttributeError(\"Unknown command line flag 'nothing'\")\n");
}

// Messages are TensorFlow's, Keras' and IPU TensorFlow's.
TEST_F(RunScript, WhatTensorFlowDoesNotTakeIsNotTaken) {
    const auto iterations = [](const std::string& multiple, const std::string& given) {
        return "FailedPreconditionError " + pipeline_iterations(multiple, given);
    };
    EXPECT_EQ(
        output_of(own("wrong_input.py")),
        "InvalidArgumentError Expected multiples argument to be a vector of length 2 but got length 1\n"
        "InvalidArgumentError Tried to expand dim index 9 for tensor with 2 dimensions.\n"
        "ValueError Got 1 inputs for equation 'ab,cd', expecting 2\n"
        "ValueError padding must be either 'SAME' or 'VALID', got 'SAMEE'\n"
        "InvalidArgumentError transpose_a cannot be of the class Standin; give it a number, a truth "
        "value, a text or "
        "a list of numbers\n"
        "taken (4, 1)\n"
        "ValueError initial_value must be specified.\n"
        "ValueError Shape of a new variable (a) must be fully defined, but instead was <unknown>.\n"
        "ValueError Invalid Reduction Key: summ. Expected keys are ('auto', 'none', 'sum', "
        "'sum_over_batch_size')\n"
        "ValueError `y` argument is not supported when using dataset as input.\n"
        "ValueError `sample_weight` argument is not supported when using dataset as input.\n"
        "ValueError slice index 9 of dimension 0 out of bounds.\n"
        "taken tf.Tensor(1.0, shape=(), dtype=float32)\n"
        "taken [[[1.0, 2.0], [3.0, 4.0]]]\n"
        "InvalidArgumentError Cannot batch tensors with different shapes in component 0. First element "
        "had shape [2] and element 1 had shape [1].\n"
        "TypeError `generator` yielded an element of shape (1,) where an element of shape (2,) was "
        "expected.\n"
        "TypeError `generator` yielded an element that did not match the expected structure. The "
        "expected structure was (TensorSpec(shape=<unknown>, dtype=tf.float32, name=None), "
        "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)), but the yielded element was 1.\n"
        "taken tf.Tensor([4.], shape=(1,), dtype=float32)\n"
        "taken tf.Tensor([0. 2.], shape=(2,), dtype=float32)\n"
        "ValueError The output of the equation 'ij,jk->il' has 'l', which none of its inputs has.\n"
        "TypeError Value passed to parameter 'indices' has DataType float32 not in list of allowed values: "
        "uint8, int32, int64\n"
        "TypeError 'float' object cannot be interpreted as an integer\n"
        "ValueError Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, "
        "found: (1, 2, 3, 4)\n"
        "TypeError call() takes from 0 to 2 positional arguments but 3 were given\n" +
            iterations("4", "6") + "taken 1\n" + iterations("2", "1"));
}

// By hand each output is 4, and the loss 16. Keras says what it says on IPUs.
TEST_F(RunScript, ModelsRunWhereTheirVariablesAreMade) {
    const Outcome outcome = run({"run", "-o", "run.tilescope", own("outside_scopes.py")});
    const auto elsewhere = [](const std::string& variable) {
        return "Variable ('" + variable +
               "/kernel:0') was not created in the distribution strategy scope of (…)\n";
    };
    const std::string first = elsewhere("dense");
    EXPECT_EQ(outcome.out,
              "outside [16.0] [16.0]\n" + first + first + first + first + "late [16.0]\nlater [16.0]\n" +
                  elsewhere("dense_2") + elsewhere("dense_3") + elsewhere("dense_4") +
                  "inside [16.0]\nMetric (…) passed to model.compile was created inside of a different "
                  "distribution strategy scope than the model\nagain [16.0]\n");
    const auto note = [](const std::string& model) {
        return "tilescope: note: the model " + model +
               " was made outside of an IPUStrategy's scope: it runs on the computer's own processor, as "
               "with IPU TensorFlow\n";
    };
    EXPECT_TRUE(holds(outcome.err, note("sequential"))) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, note("sequential_2"))) << outcome.err;
    EXPECT_FALSE(holds(outcome.err, note("sequential_1"))) << outcome.err;
    EXPECT_FALSE(holds(outcome.err, note("sequential_5"))) << outcome.err;
}

// The ranks and extents are Keras' InputSpec of each layer, and the texts those of Keras 2.6.
TEST_F(RunScript, ShapesThatALayerDoesNotTakeAreToldWhereItIsCalled) {
    EXPECT_EQ(
        output_of(own("keras_ranks.py")),
        "1 (4, 2) (3, 4, 2) (None, 4, 2)\n"
        "Input 0 of layer d is incompatible with the layer: expected min_ndim=2, found ndim=1. Full shape "
        "received: (None,)\n"
        "Input 0 of layer dense is incompatible with the layer: expected axis -1 of input shape to have "
        "value 8 but received input with shape (None, 9)\n"
        "Input 0 of layer dense is incompatible with the layer: expected axis -1 of input shape to have "
        "value 8 but received input with shape (3, 9)\n"
        "Layer dense expects 1 input(s), but it received 2 input tensors.\n"
        "Input 0 of layer c is incompatible with the layer: expected min_ndim=4, found ndim=2. Full shape "
        "received: (None, 4)\n"
        "Input 0 of layer conv2d is incompatible with the layer: expected axis -1 of input shape to have "
        "value 3 but received input with shape (None, 8, 8, 4)\n"
        "layer e: expects a kernel that fits its input, got [None, 3, 3, 1] and [5, 5, 1, 2]\n"
        "Input 0 of layer batch_normalization is incompatible with the layer: expected ndim=4, found ndim=2. "
        "Full shape received: (None, 2)\n"
        "Input 0 of layer batch_normalization is incompatible with the layer: expected axis -1 of input "
        "shape to have value 2 but received input with shape (None, 4, 4, 3)\n"
        "Input 0 of layer lstm is incompatible with the layer: expected ndim=3, found ndim=2. Full shape "
        "received: (None, 3)\n"
        "Input 0 is incompatible with layer lstm: expected shape=(None, None, 3), found shape=(None, 5, 4)\n"
        "Input 0 of layer p is incompatible with the layer: expected ndim=4, found ndim=3. Full shape "
        "received: (None, 8, 8)\n"
        "Input 0 of layer g is incompatible with the layer: expected ndim=3, found ndim=2. Full shape "
        "received: (None, 8)\n"
        "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 dimensions, received: "
        "[None, 4]\n"
        "Input 0 of layer o is incompatible with the layer: expected ndim=3, found ndim=4. Full shape "
        "received: (None, 4, 3, 2)\n"
        "total size of new array must be unchanged, input_shape = [8], output_shape = [3, 3]\n"
        "total size of new array must be unchanged, input_shape = [8], output_shape = [3, -1]\n"
        "Operands could not be broadcast together with shapes (4,) (5,)\n"
        "A merge layer should be called on a list of at least 2 inputs. Got 1 inputs.\n"
        "A `Subtract` layer should be called on exactly 2 inputs\n"
        "A `Concatenate` layer requires inputs with matching shapes except for the concat axis. Got inputs "
        "shapes: [(None, 4, 2), (None, 5, 3)]\n"
        "Input 0 of layer s is incompatible with the layer: expected min_ndim=3, found ndim=2. Full shape "
        "received: (None, 4)\n"
        "Input 0 is incompatible with layer sequential: expected shape=(None, 8, 8, 1), found shape=(None, "
        "64)\n"
        "Input 0 is incompatible with layer sequential: expected shape=(None, 8, 8, 1), found shape=(None, "
        "64)\n"
        "Input 0 is incompatible with layer sequential: expected shape=(None, 8, 8, 1), found shape=(4, 64)\n"
        "Input 0 is incompatible with layer sequential: expected shape=(None, 8, 8, 1), found shape=(None, "
        "64)\n"
        "Input 0 is incompatible with layer sequential: expected shape=(None, 8, 8, 1), found shape=(None, "
        "8, 9, 1)\n"
        "(None, 2, 4) (None, 9, 2) (None, 4, 3) (None, None, None, 3) (None, 2)\n");
}

} // namespace
} // namespace tilescope::tests
