// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the script's own.
#include "tests/app/run_script.h"

#include <regex>

namespace tilescope::tests {
namespace {

using RunScriptData = RunScript;

// By hand; the order of words is that of their counts, and back through the alphabet among equal ones.
TEST_F(RunScriptData, TablesAndTextsBecomeTensors) {
    const Outcome outcome = run({"run", "-o", "run.tilescope", own("tables_and_texts.py")});
    const std::string expected =
        "[[1, 7], [2.5, 0.5], [b'x', b'y']] ['int32', 'float32', 'string']\n"
        "[5, 9]\n"
        "[3, b'none']\n"
        "Field 1 is required but missing in record!\n"
        "Field 1 in record is not a valid float32: b\n"
        "Expect 2 fields but have 1 in record\n"
        "unexpected end of data in record '\"a'\n"
        "[(1.5, b'a, \"b\"', 0), (0.25, b'c', 1), (-20.0, b'd', 1), (3.0, b'two\\nlines', 0)] "
        "(TensorSpec(shape=(), dtype=tf.float32, name=None), TensorSpec(shape=(), dtype=tf.string, "
        "name=None), TensorSpec(shape=(), dtype=tf.int32, name=None))\n"
        "[0, 1, 1, 0]\n"
        "{'width': [1.5, 0.25], 'name': [b'a, \"b\"', b'c']} [0, 1]\n"
        "{'width': [-20.0, 3.0], 'name': [b'd', b'two\\nlines']} [1, 0]\n"
        "{'width': ([3], 'float32'), 'class': ([3], 'int32')}\n"
        "{'?': 1, 'the': 2, 'cat': 3, 'sat': 4, 'dog': 5, 'ran': 6, 'a': 7} [[2, 3, 4, 2, 3, 1], [1, 1, 2, "
        "1, 4], [1, 1]] ['cat the ?']\n"
        "True [[0.0, 0.0, 2.0, 1.0, 0.0]]\n"
        "['hello', 'world'] [2, 8, 2]\n"
        "['', '[UNK]', 'the', 'sat', 'dog', 'cat'] [[2, 1, 3, 0], [4, 4, 4, 4]]\n"
        "[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]\n"
        "b'abc' [b'a+b'] [b'a', b'b'] 2.5 [2 1] [b'a/b' b'a/c']\n"
        "[b'1.500000' b'2.000000'] [[b'true'], [b'false']] b'7'\n"
        "True True False {} True True\n"
        "False\n"
        "Found 16 files belonging to 2 classes.\n"
        "['bad', 'good'] [(b'it is bad bad 0', 0), (b'it is good good 0', 1)]\n"
        "[([[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]], [0.0, 10.0]), ([[2.0, 4.0, 6.0], [3.0, 5.0, 7.0]], [20.0, "
        "30.0])]\n"
        "1.0\n"
        "TextVectorization in a model is not there under tilescope run: IPUs have no texts: call it in "
        "Dataset.map(), and give the model the numbers" +
        asks;
    EXPECT_EQ(outcome.out, expected) << outcome.err;
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(holds(outcome.err, "tensorflow.strings.to_hash_bucket is not there under tilescope run: use "
                                   "keras.preprocessing.text.Tokenizer"))
        << outcome.err;
}

// By hand and against NumPy in the script.
TEST_F(RunScriptData, RareNamesComputeWhatTensorFlowDoes) {
    EXPECT_EQ(
        output_of(own("rare_names.py")),
        "parts True (1, 1, 1, 3)\n"
        "kept [1, 2] [1, 2]\n"
        "[[[0.949999988079071, 0.8999999761581421, 0.699999988079071]], [[1.0, 0.0, 0.0]], [3]]\n"
        "drawn True True True\n"
        "turned True True\n"
        "sparse True True [2.0, 7.0] [4.0, 9.0, 16.0]\n"
        "ValueError The two structures don't have the same nested structure.\n"
        "InvalidArgumentError assertion failed: [3]\n"
        "InvalidArgumentError none: Condition x > 0 did not hold: [0.]\n"
        "messages ['loss', 'more', 'spread'] [3.0] 3 5 False\n"
        "threads True None True b'a' 2 0\n"
        "InputSpec(ndim=4, axes={-1: 3}) ['given']\n"
        "pixels True True\n"
        "wrapped 3.0\n"
        "layers (2, 10, 14, 4) True ['conv2d_transpose/kernel:0', 'conv2d_transpose/bias:0']\n"
        "tensorflow.compat.v1.graph_util is not there under tilescope run: graphs are neither frozen nor "
        "read here\n"
        "tensorflow.compat.v1.GraphDef is not there under tilescope run: graphs are neither frozen nor read "
        "here\n"
        "tensorflow.compat.v1.profiler is not there under tilescope run: tilescope report has the floating "
        "point operations of each operation (operation.flops)\n"
        "tensorflow.compat.v1.bfloat16 is not there under tilescope run: the IPU has no bfloat16\n"
        "tensorflow.compat.v1.strings.to_hash_bucket_fast is not there under tilescope run: use "
        "keras.preprocessing.text.Tokenizer, or numbers of your own\n");
}

TEST_F(RunScriptData, PartsOfKerasModelsMayBeTheScriptsOwn) {
    EXPECT_EQ(output_of(own("own_parts.py")),
              "replicas True True\n"
              "{'class_name': 'Filled', 'config': {'by': 0.25}} threes {'class_name': 'Constant', 'config': "
              "{'value': [[1.0], [2.0]]}}\n"
              "[[0.25], [3.0], [1.0, 2.0], [0.0]]\n"
              "[[0.25], [3.0], [1.0, 2.0], [0.0]]\n"
              "[[0.25], [3.0], [1.0, 2.0], [0.0]]\n"
              "a class of the script's own goes into custom_objects\n"
              "layer dense_1: initialiser \"filled\" is not supported\n"
              "frozen [2, 2, 0] [True, True, False, False] 4\n");
}

// Against NumPy in the script.
TEST_F(RunScriptData, ReplicasSumTheMeansOfTheirMicroBatches) {
    EXPECT_EQ(
        output_of(own("keras_reductions.py")),
        "plain mean [True, True]\nplain sum [True, True]\nscaled mean [True, True]\nscaled sum [True, True]\n"
        "piped mean [True, True]\npiped sum [True, True]\nown step mean [True, True]\nown step sum [True, "
        "True]\n");
}

// Against NumPy in the script.
TEST_F(RunScriptData, LayersChangeImagesAtRandom) {
    EXPECT_EQ(
        output_of(own("random_images.py")),
        "rotation True True\nTrue\nreflect True\nwrap True\nnearest True\nzoom True True\nflip True True\n"
        "contrast True True\ncrop True\ndrawn False True\nmodel True True\nbatch 2\n"
        "Unknown `fill_mode` odd. Only `reflect`, `wrap`, `constant` and `nearest` are supported.\n"
        "RandomFlip layer random_flip_2 received an unknown mode argument sideways\n"
        "RandomCrop(9, 9) of images of [6, 6] is not there under tilescope run: make them larger beforehand, "
        "with Resizing\n"
        "tensorflow.keras.layers.RandomHeight is not there under tilescope run: shapes are static on the "
        "IPU\n"
        "crop True True brightness True True contrast True True flip_left_right True True hue True True "
        "saturation True True True 6\nTrue True True (3, 2)\n");
}

// Against NumPy in the script.
TEST_F(RunScriptData, KerasBackendHasItsNames) {
    EXPECT_EQ(
        output_of(own("keras_backend.py")),
        "[] 20\nmodel True\n[3.0, 2.5] [7.0, 8.0] False float32\n[True, False]\n"
        "keras.backend.set_epsilon(0.0001) is not there under tilescope run: losses of the engine keep "
        "shares "
        "1e-07 from 0 and 1\n"
        "keras.backend.set_image_data_format('channels_first') is not there under tilescope run: give layers "
        "data_format='channels_first'\n"
        "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch dimension "
        "to "
        "your inputs.\n");
}

TEST_F(RunScriptData, LoopsOfTheScriptsOwnHaveBarsAndGenerators) {
    const std::string out = output_of(own("own_loops.py"));
    EXPECT_EQ(std::regex_replace(out, std::regex(" \\d+(s|ms|us)/batch"), " T/batch"),
              "4/4 [==========] - 0s T/batch - mean: 1.5000 - last: 3.0000\n8/8 - 0s - loss: 2.0000\n"
              "True False True True\nTrue False\n[2, 3, 4] int32 True (2, 3)\nTrue False True True True\n"
              "True (2, 3) True\nFalse True True\n2.0 1 0.0\n");
}

// Against NumPy and by hand in the script.
TEST_F(RunScriptData, LayersAndImagesOfOtherAxesAndSizes) {
    EXPECT_EQ(output_of(own("other_axes.py")),
              "True (4, 4, 3, 3)\nTrue True True\n"
              "None [[8.0, 52.0], [2.0, 6.0], [1.0, 10.0]] [[0.0, 0.0], [2.0, 4.0]]\n"
              "Passed 1 grad_ys for 2 ys\n[True, True, True, True] True (1, 5)\n"
              "[0.0, 0.21875, 1.0, 2.125] [2.125, 6.125] [2.125, 6.125]\n"
              "[0.3333333432674408, 3.0] [0.333333, 3.0]\n");
    EXPECT_EQ(output_of(own("resized.py")),
              "bicubic True True\narea True\n(2, 5, 8, 3)\nnearest True True\n");
}

// Against NumPy in the script.
TEST_F(RunScriptData, CellsOfTensorFlow1HaveTheirSettings) {
    EXPECT_EQ(output_of(own("lstm_cells_1.py")),
              "True ['bias', 'kernel', 'w_f_diag', 'w_i_diag', 'w_o_diag']\nTrue ['bias', 'kernel', "
              "'projection/kernel']\n"
              "True ['bias', 'kernel']\n"
              "True ['bias', 'kernel', 'projection/kernel', 'w_f_diag', 'w_i_diag', 'w_o_diag']\n"
              "True ['bias', 'kernel']\nTrue {0.25, -0.5}\n");
}

// By hand.
TEST_F(RunScriptData, DataSetsAreMadeOfOthersWithTheirPassesAndOptions) {
    EXPECT_EQ(output_of(own("data_inputs.py")),
              "[True, True, True, True]\n[True, True, True, True]\n[True, True, True, True]\n"
              "[[1, 2], [3, 4], [5]] 1 [0, 1, 2, 3, 4] 2\n"
              "[False, None] [False, None] [False, None] [None, None]\n"
              "[False, True] [False, True] [None, True] [None, True] [False, None] [False, True] "
              "[False, None] [None, True]\n[[0, 2, 4, 6], [8, 10]] 2\n");
}

TEST_F(RunScriptData, CallbacksOfAnEstimateAreToldEachStepOfEachReplica) {
    const auto told = [](const std::string& names) {
        std::string steps;
        for (const char* step : {"0", "0", "1", "1", "2", "2", "3", "3"})
            steps += (steps.empty() ? "[" : ", ") + ("[" + std::string(step)) + ", " + names + ", True]";
        return steps + "]\n";
    };
    EXPECT_EQ(output_of(own("keras_estimated_steps.py"), {"--estimate"}),
              told("'loss', 'mean'") + told("'loss'"));
}

// By hand, or against NumPy.
TEST_F(RunScriptData, LayersTakeWhatTheyKnowFromData) {
    EXPECT_EQ(
        output_of(own("keras_lookups.py")),
        "['[UNK]', 'b', 'c', 'a'] [[3, 0], [1, 2]] 1\n"
        "['', '[UNK]', 'x', 'y'] [0, 3, 1] [b'y', b'[UNK]', b''] [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]\n"
        "[2, 3] True\n"
        "[-1, 5, 7] [2, 1, 0]\n"
        "ValueError The passed vocabulary has at least one repeated term. Please uniquify your dataset. The "
        "repeated terms are ['a']\n"
        "RuntimeError StringLookup has no vocabulary: give it one, or call `adapt()` first.\n"
        "ValueError When `num_oov_indices=0` all inputs should be in vocabulary, found 2.\n"
        "NotThere StringLookup in a model is not there under tilescope run: IPUs have no texts: call it in "
        "Dataset.map(), and give the model the numbers; ask for it where Tilescope's issues are kept\n"
        "NotThere CategoryEncoding(num_tokens=None) is not there under tilescope run: give it num_tokens, as "
        "shapes are static on the IPU; ask for it where Tilescope's issues are kept\n"
        "NotThere StringLookup(num_oov_indices=3) is not there under tilescope run: use 0 or 1; ask for it "
        "where Tilescope's issues are kept\n"
        "[[1, 0], [2, 2]]\n"
        "[[2, 0], [3, 3]]\n"
        "[[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]]\n"
        "[[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]\n"
        "normal True True True 16.0\n"
        "[[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]], [[5, 5, 5, 5, 5, 0], [6, 6, 6, 6, 6, 6]], [[7, 7, "
        "7, 7, 7, 7, 7]]]\n"
        "[[3, 3], [1, 5]]\n"
        "[3, 5, 7] 20000\n"
        "[0, 1]\n"
        "predicted 0 True\n"
        "predicted 1 True\n"
        "predicted 2 True\n"
        "predicted 3 True\n");
}

TEST_F(RunScriptData, InputsMayLeaveExtentsOpen) {
    EXPECT_EQ(output_of(own("keras_open.py")),
              "['8)', '400']\n"
              "['8)', '416']\n"
              "['8)', '0']\n"
              "['1)', '9']\n"
              "(None, None, 8) (None, None) (None, 1) 825\n"
              "True (2, 1) True\n"
              "(None, None, None, 4) (None, 4)\n"
              "within True\n"
              "again (None, None, None, 3) True\n"
              "python (None, 3) True\n"
              "The weights of the layer dense_2 follow from an extent that an Input leaves open: the last "
              "dimension of its inputs should be defined. Found `None`.\n"
              "Scaled.call() missing 1 required positional argument: 'scale'\n"
              "Scaled.call() takes 3 positional arguments but 4 were given\n"
              "(4, 6, 2) 2\n");
}

// By hand, or against NumPy.
TEST_F(RunScriptData, SeriesPairsTablesAndTextsAreOfTheHost) {
    EXPECT_EQ(output_of(own("keras_sequences.py")),
              "True True (5, 2)\n"
              "3 [[0, 2], [3, 5]] [4, 7] [16, 19]\n"
              "[[1, 2], [2, 1], [2, 3], [3, 2]] 4 8 [0.00315 0.00315 0.00548 0.00742]\n"
              "[[ 2 -1]] 1 2 [1, -1]\n"
              "[b'y' b'?']\n"
              "[ 1 -1]\n"
              "b'ell' [b'bc' b'yz'] b'a 3 b t' [b'a-b' b'c-d'] b'xy'\n"
              "InvalidArgumentError Condition x near y did not hold: 1.0 and 1.1\n"
              "ValueError Dimension N of a tensor of shape [2, 3] must have size 2. Received size 3\n"
              "InvalidArgumentError here : Tensor had NaN values\n"
              "InvalidArgumentError Dataset had more than one element.\n"
              "[1]\n"
              "3 True 1\n");
}

// Against NumPy in the script, drawn and moved as Keras does, and by hand.
TEST_F(RunScriptData, TheHostMakesWhatModelsTake) {
    EXPECT_EQ(output_of(own("host_side.py")),
              "[True, True, True, True, True, True] 2\n"
              "[2 3 4 5 6 7] True\n"
              "NotThere keras.preprocessing.image.ImageDataGenerator(rotation_range=10) is not there under "
              "tilescope run: use keras.layers.RandomRotation in the model\n"
              "ValueError Input data in `NumpyArrayIterator` should have rank 4. You passed an array with "
              "shape (4, 6, 1)\n"
              "True\n"
              "[2. 4.] (None,) [6.]\n"
              "8.0 8.0\n"
              "[3. 6.] [3. 3.]\n"
              "[3.0, 6.0] 1\n"
              "ValueError Python inputs incompatible with input_signature:\n"
              "ValueError Python inputs incompatible with input_signature:\n"
              "InvalidArgumentError 0-th value returned by pyfunc_0 is double, but expects float\n"
              "float32 float32\n"
              "[[1, 2, 3], [0, 0, 0], [4, 0, 0]] [[1, 2], [-1, -1], [4, -1]] [3 0 1] (3, None)\n"
              "[[1.0, 2.0], [3.0, 0.0]] [[b'a', b''], [b'b', b'c']]\n"
              "NotThere a RaggedTensor as a tensor is not there under tilescope run: the device's shapes are "
              "static: pad it with to_tensor(), keras.preprocessing.sequence.pad_sequences or "
              "Dataset.padded_batch\n"
              "NotThere tf.ragged.constant of rows of rows is not there under tilescope run: pad the inner "
              "ones first, as with keras.preprocessing.sequence.pad_sequences\n"
              "[4 6] [0. 1.] (1, 2, 2)\n"
              "3.0\n5.160247\n"
              "NotThere tf.experimental.numpy.sort within a program is not there under tilescope run: use an "
              "operation of tf, or compute it before\n"
              "True (4, 4) True\n"
              "True True True\n"
              "NotThere tensorflow.signal.mdct is not there under tilescope run: compute it on the "
              "host, with NumPy\n"
              "[2.5 5. ] [4. 2.]\n"
              "ValueError MeanTensor input values must always have the same shape. Expected shape (set "
              "during the first call): (2,). Got: (1,)\n"
              "ValueError MeanTensor does not have any result yet. Please call the MeanTensor instance or "
              "use `.update_state(value)` before retrieving the result.\n"
              "norm [[4.0], [14.0]]\n"
              "NotThere SyncBatchNormalization on 2 replicas is not there under tilescope run: set "
              "IPUConfig.norms.experimental.distributed_batch_norm_replica_group_size to 2, by which all "
              "batch norms have the statistics of all\n"
              "True {'end': True} True\n"
              "NotThere tf.saved_model.save() of a Module is not there under tilescope run: functions are "
              "not written; keep its variables with tf.train.Checkpoint\n");
}

// Against NumPy and the definitions.
TEST_F(RunScriptData, SpectraAreOfTheHost) {
    EXPECT_EQ(
        output_of(own("spectra.py")),
        "True True True True True True complex64\n"
        "True True True True True True True True True True True float32\n"
        "True True True\n"
        "[True, True, True, True] [True, True, True] True\n"
        "(9, 4) [True, True, True, True] True\n"
        "True\n"
        "True\n"
        "NotThere tf.signal.rfft of what the device or a GradientTape computes is not there under tilescope "
        "run: the device has no complex numbers: compute spectra on the host, as in Dataset.map, and give "
        "the model their absolute values; ask for it where Tilescope's issues are kept\n"
        "TypeError Value for attr 'Tcomplex' of float32 is not in the list of allowed values: complex64, "
        "complex128\n"
        "NotThere top_k of complex numbers is not there under tilescope run: compute it of their parts, "
        "tf.math.real and tf.math.imag; ask for it where Tilescope's issues are kept\n");
}

// By hand: of three texts "the" is in two, log(1 + 3 / 3) = 0.6931, and the others are in one, log(1 + 3 / 2)
// = 0.9163; a word that is none of them counts as they do in the mean.
TEST_F(RunScriptData, TextsAreWordsInARowAndWeighed) {
    EXPECT_EQ(
        output_of(own("weighed_texts.py")),
        "['', '[UNK]', 'the', 'the cat', 'cat', 'the mouse', 'sat', 'mouse', 'dog', 'cat sat', 'cat ate', "
        "'ate the', 'ate', 'a dog', 'a'] [[2.0, 4.0, 2.0, 1.0, 3.0, 1.0, 1.0], [6.0, 0.0, 0.0, 0.0, 0.0, "
        "0.0, 0.0]]\n"
        "['', '[UNK]', 'the cat', 'the mouse', 'cat sat', 'cat ate', 'ate the', 'a dog'] [[2.0, 1.0, 1.0], "
        "[0.0, 0.0, 0.0]]\n"
        "['[UNK]', 'the', 'cat', 'sat', 'mouse', 'dog', 'ate', 'a'] [[0.8525, 1.3863, 0.6931, 0.0, 0.0, 0.0, "
        "0.0, 0.0], [0.0, 0.0, 0.0, 0.9163, 0.0, 0.0, 0.0, 0.0]]\n"
        "['[UNK]', 'the', 'cat', 'sat'] [[0.7675, 1.3863, 0.6931, 0.0], [0.0, 0.0, 0.0, 0.9163]]\n"
        "['[UNK]', 'the', 'cat', 'sat', 'mouse', 'dog', 'ate', 'a'] [[0.8525, 1.3863, 0.6931, 0.0, 0.0, 0.0, "
        "0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.9163, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]\n"
        "['[UNK]', 'the', 'cat', 'sat', 'mouse', 'dog', 'ate', 'a'] [[1.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, "
        "0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]\n"
        "['', '[UNK]', 't', ' ', 'e', 'a', 'h', 's', 'o', 'c', 'u', 'm', 'g', 'd'] [[2.0, 6.0, 4.0, 3.0, "
        "9.0, 5.0, 2.0, 3.0, 2.0, 6.0, 4.0, 3.0, 1.0, 1.0, 1.0, 13.0], [7.0, 5.0, 2.0, 0.0, 0.0, 0.0, 0.0, "
        "0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]\n"
        "['', '[UNK]', 'the', 'cat', 'sat', 'mouse!', 'dog', 'ate', 'a'] [[2.0, 3.0, 2.0, 1.0], [4.0, 0.0, "
        "0.0, 0.0]]\n"
        "['', '[UNK]', 'the', 'cat', 'sat', 'mouse', 'dog', 'ate', 'a', 'The'] [[2.0, 3.0, 2.0, 1.0], [4.0, "
        "0.0, 0.0, 0.0]]\n"
        "[[1.25, 0.5, 4.0]]\n"
        "ValueError `idf_weights` must be set if output_mode is TF_IDF.\n"
        "ValueError `idf_weights` should only be set if output_mode is TF_IDF, output_mode is int.\n"
        "RuntimeError TextVectorization has no vocabulary: give it one, or call `adapt()` first.\n"
        "ValueError `ngrams` must be None, an integer, or a tuple of integers. Got two\n");
}

// By hand.
TEST_F(RunScriptData, RowsOfTextsAreSplitAndDevicesHaveTheirOwnIpus) {
    EXPECT_EQ(output_of(own("split_texts.py")),
              "[[b'one', b'two', b'three'], [], [b'four']] [b'a', b'b'] [[b'a', b'b'], [b'c']] [3, 0, 1]\n"
              "[1, 4]\n"
              "/device:IPU:2 is none of the 2 devices that are configured\n");
}

} // namespace
} // namespace tilescope::tests
