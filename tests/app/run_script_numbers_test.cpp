// SPDX-License-Identifier: GPL-3.0-or-later
// Values and gradients that a script could see wrong without a word: of branches and of loops whose end the
// device finds, of numbers that the engine does not have, of statistics. The scripts work them out with
// NumPy, with Python's own statements, or by hand.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptNumbers = RunScript;

// By hand: slopes of a root, a logarithm, a quotient and a norm, where they are and where the other branch
// is.
TEST_F(RunScriptNumbers, ABranchThatIsNotTakenAddsNothingToGradients) {
    const std::string roots = " [[2.0, 0.25], [0.0, 3.0]]\n";
    EXPECT_EQ(output_of(own("branch_gradients.py")),
              "root [2.0, 0.25] [0.0, 3.0] [-3.0, 3.0]\n"
              "logarithm [2.0, 1.0] [10.0, [-1.0, -1.0]] [11.0, [-1.0, -1.0]]\n"
              "quotient [1.5, 0.5, -0.75] [21.0, 7.0, 1.0]\n"
              "length [0.0, [4.0, 4.0]] [1.0, [1.0, 0.0]] [1.0, [0.3333333432674408, 0.0]]\n"
              "own [2.0, 0.25] [0.0, 3.0]\n"
              "unlike [2.0, 0.25] [2.0, -0.25]\n"
              "weights [5.0, [[0.25], [0.75]]] [[0.0], [0.0]]\n"
              "compiled" +
                  roots + "session" + roots);
}

// Against the same functions of Python, which NumPy computes; slopes by hand.
TEST_F(RunScriptNumbers, StepsThatADeviceFindsToBeBehindTheEndDoNotCount) {
    const std::string outcome = " is not there under tilescope run: ";
    EXPECT_EQ(
        output_of(own("computed_ends.py")),
        "doubled True newton True left True skipped True both True nested True known_ends True searched True "
        "picked True chosen True \n"
        "0.0 0.0 9.0 90.0 30.0 300.0 \n"
        "slopes [True, True, True, True] [243.0, 405.0] [200.0, 1.0] [1.0, 9.0]\n"
        "arrays [3, 24.0, [3.0, 6.0, 12.0, 0.0]] 72.0 180.0\n"
        "version 1 [[[16.0, 32.0], 4], [[50.0, 0.0], 0], [[0.0, 0.0], 6]]\n"
        "endless tf.Tensor(128.0, shape=(), dtype=float32)\n"
        "stored NotThere a list, a dictionary, an attribute or a global name that a step of a `while` on "
        "a tensor "
        "changes" +
            outcome +
            "steps that do not count are computed, too\n"
            "other_type TypeError the branches of the `while` that gives 'y' a value give float32 (2,) and "
            "float32 ()\n"
            "only_inside UnboundLocalError 'y' must be given a value in both branches of an `if` on a "
            "tensor, "
            "or before it\n");
}

// Against the same functions over Python's range.
TEST_F(RunScriptNumbers, HandlersInLoopsReadWhatTheStepBeforeLeft) {
    std::string wanted;
    for (const char* const each : {"read_by_handler", "set_by_handler", "nested", "with_block"})
        for (int times = 0; times < 2; ++times)
            wanted += std::string(each) + " True ";
    EXPECT_EQ(output_of(own("range_loop_handlers.py")), wanted + "\n");
}

// Against NumPy, to 1e-13.
TEST_F(RunScriptNumbers, TheHostHasNumbersThatTheDeviceHasNot) {
    EXPECT_EQ(output_of(own("float64_on_host.py")),
              "products True True True True True True True\nof one []\nof two []\n"
              "reduced True True True True True True True True\n"
              "compared [True, False] [False, True] 1\n"
              "moved True True True True True True True True\nscattered True True True True\n"
              "whole 1099511627777 [3298534883328             9] 2199023255552 157073089682 2147483648 "
              "3000000001 True [1099511627776 1099511627777] [2199023255552]\n"
              "wrapped -2147483648 -740563387 0 [16777216 16777217 16777218] [[16777217]]\n"
              "session True 5497558138880\ntape True True\n"
              "beyond NotThere an operation on whole numbers beyond 32 bits (int64)\n");
}

// Against the engine's numerics, on numbers that both have.
TEST_F(RunScriptNumbers, TheHostComputesWideNumbersAsTheEngineItsOwn) {
    EXPECT_EQ(output_of(own("wide_numbers.py")), "of reals []\nof whole numbers []\nnot compared set()\n");
}

// Against the sum over all alignments, or by hand.
TEST_F(RunScriptNumbers, LabellingsAreSearched) {
    EXPECT_EQ(
        output_of(own("ctc_beams.py")),
        "all True True <dtype: 'float32'>\nby hand [[0]] [[]] True\n"
        "merged [[[0, 0]], [[0]], [[0, 0]], [[0, 0]]]\nkeras [[[0, -1, -1]], [[0, -1, -1]]] (1, 2)\n"
        "InvalidArgumentError requested more paths than the beam width.\n"
        "InvalidArgumentError Less leaves in the beam search than requested.\n"
        "FailedPreconditionError sequence_length(0) <= 3\n"
        "FailedPreconditionError len(sequence_length) != batch_size.  len(sequence_length):  2 batch_size: "
        "1\n");
}

// Against NumPy.
TEST_F(RunScriptNumbers, LossesThatNoOneFetchesTrain) {
    EXPECT_EQ(output_of(own("segments_trained.py")), "sums True True\nrows True True\nshares True True\n");
}

// Against NumPy, by the formulas of TensorFlow 2.6.
TEST_F(RunScriptNumbers, NormsKeepTheVarianceOfThePopulationAndRenormalise) {
    std::string names;
    for (const char* const each :
         {"gamma", "beta", "moving_mean", "moving_variance", "moving_stddev", "renorm_mean", "renorm_stddev"})
        names += (names.empty() ? "'batch_normalization_8/" : ", 'batch_normalization_8/") +
                 std::string(each) + ":0'";
    EXPECT_EQ(output_of(own("keras_norms.py")),
              "fused True True True True\nnot True True True True\nversion 1 [True, True, True]\n"
              "renorm [True, True, True, True, True, True, True, True] [" +
                  names + "]\nevaluated True ['renorm', 'renorm_clipping', 'renorm_momentum'] []\n" +
                  own("keras_norms.py") +
                  ": layer batch_normalization_10: \"renorm_clipping\" has max = 1.0; give rmin, rmax and "
                  "dmax numbers\nhalf float16 {'float16'} True [1.5, 1.5, 1.5]\nhalf {'float16'}\nmixed "
                  "{'float32'}\n");
}

// Against NumPy.
TEST_F(RunScriptNumbers, ExpressionsOfVerticesAreTheScriptsOwn) {
    EXPECT_EQ(output_of(own("codelet_expressions.py")),
              "True True True\nNone\ncodelet_expression_op makes float32 () of float32 (2, 3)\n"
              "codelet_expression_op makes int32 (2, 3) of float32 (2, 3)\n");
}

// Against NumPy.
TEST_F(RunScriptNumbers, LayersMergeInputsOfDifferentRanks) {
    EXPECT_EQ(output_of(own("merged_ranks.py")), "True True True True True True True\nTrue True\n");
}

// Against differences by NumPy.
TEST_F(RunScriptNumbers, GradientsOfGradientsGoThroughLosses) {
    EXPECT_EQ(output_of(own("second_gradients.py")), "sparse [True, True, True, True]\n"
                                                     "dense [True, True, True, True]\n"
                                                     "keras [True, True, True, True]\n"
                                                     "shares [True, True, True, True]\n"
                                                     "softmax [True, True, True, True]\n"
                                                     "log_softmax [True, True, True, True]\n"
                                                     "binary [True, True, True, True]\n"
                                                     "softplus [True, True, True, True]\n"
                                                     "log_sigmoid [True, True, True, True]\n"
                                                     "swish [True, True, True, True]\n");
}

// Against NumPy; the loss by hand.
TEST_F(RunScriptNumbers, OddNumbersAndWeightsAreAsInTensorFlow) {
    EXPECT_EQ(
        output_of(own("odd_numbers.py")),
        "host True\ndevice True\nunconnected [[6.0], [0.0, 0.0]]\nweights [True, True]\n"
        "sample_weight of shape (2, 2) does not go with losses of shape (2,): give a weight for each sample\n"
        "given [[[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]]\nremainders 1.0 5.0 (0,)\n");
}

// By hand; the metric is that of the last replica, which adds 2 * 2 and 2 * 4 in each epoch.
TEST_F(RunScriptNumbers, ReplicasHaveStatisticsOfTheirOwn) {
    EXPECT_EQ(output_of(own("replica_statistics.py")),
              "workload True None\nmetric True [12.0, 12.0]\nlayer True [12.0, 12.0]\n");
}

} // namespace
} // namespace tilescope::tests
