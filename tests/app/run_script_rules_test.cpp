// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of TensorFlow that a script relies on without saying so: indices, what tapes watch, branches, loops.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptRules = RunScript;

// By hand; what the host says is TensorFlow's.
TEST_F(RunScriptRules, IndicesOutsideReadZerosOnTheDeviceAndAreErrorsOnTheHost) {
    const std::string rows = "indices[1] = -1 is not in [0, 3)\n"
                             "indices = 3 is not in [0, 3)\n"
                             "indices[1,0] = 2 is not in [0, 2)\n"
                             "indices[1] = [-1, 0] does not index into param shape [3,2]\n"
                             "indices[0] = [-1] does not index into shape [3,2]\n"
                             "indices[0,1] = [3] does not index into shape [3,2]\n"
                             "segment_ids[2] = 2 is out of range [0, 2)\n";
    EXPECT_EQ(
        output_of(own("outside_indices.py")),
        "float32\n" + rows + "float64\n" + rows + "int32\n" + rows +
            "[[6, 8], [0, 0]]\n"
            "indices[0] = 7 is not in [0, 3)\n"
            "indices[0] = -1 is not in [0, 3)\n"
            "indices[0] = [2] does not index into shape [2]\n"
            "indices[1,0] = 7 is not in [0, 5)\n"
            "Received a label value of -1 which is outside the valid range of [0, 2).  Label values: 1 -1\n"
            "indices[0] = [-1] does not index into param shape [3,2]\n"
            "[[0, 0], [0, 0], [3, 4]]\n"
            "[[0, 0], [0, 0], [3, 4]]\n"
            "[[0, 0], [0, 0], [3, 4]]\n"
            "[[0, 0], [0, 0], [3, 4]]\n"
            "[[0, 0], [0, 0], [3, 4]]\n"
            "[[1, 2], [50, 60], [5, 6]]\n"
            "[[0, 0], [5, 6], [0, 0]]\n"
            "[[0, 0], [5, 6], [0, 0]]\n"
            "[[0, 0], [100, 100], [0, 0]]\n"
            "[[1, 1], [0, 0], [11, 11]]\n"
            "[[0, 0], [0, 0], [1, 1]]\n"
            "[5, 6]\n");
}

// By hand.
TEST_F(RunScriptRules, ModelsOfTheHostTellOfNumbersThatTheirTablesHaveNot) {
    std::string of_a_model;
    for (const char* shape : {"(2, 1)", "(2, 1)", "()", "(1,)"})
        of_a_model += shape + std::string("\nindices[1,1] = 7 is not in [0, 5)\n");
    EXPECT_EQ(output_of(own("embedded_outside.py")),
              of_a_model + of_a_model +
                  "(2, 3, 3)\n"
                  "indices[1,0] = 9 is not in [0, 9)\n"
                  "indices[1,0] = -1 is not in [0, 5)\n"
                  "[[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]]\n");
}

// By hand, for weights of 1.
TEST_F(RunScriptRules, TapesWatchTheWeightsOfFrozenLayers) {
    const std::string kernel =
        "[[[16.0, 16.0], [16.0, 16.0], [16.0, 16.0]], [16.0, 16.0], [[12.0, 36.0], [12.0, 36.0]]";
    EXPECT_EQ(output_of(own("keras_frozen_tapes.py")),
              "host 4 [True, True, True, False, True, True, False, False, True, True]\n" + kernel +
                  ", None, None, None]\n"
                  "[False, False, False, False, True, True] [24.0, 72.0]\n"
                  "[False, False, False, True, True, True] " +
                  kernel +
                  "]\n"
                  "[False, False, False, False, True, True] " +
                  kernel +
                  ", [24.0, 72.0]]\n"
                  "[False, False, False, False, False, True, True, True, False, True]\n");
}

// The same functions in Python; the slopes by hand.
TEST_F(RunScriptRules, ManyBranchesAndFunctionsThatCallThemselvesAreOfTheDevice) {
    EXPECT_EQ(output_of(own("long_chains.py")),
              "chain True\npower True\nnested True\nmixed True\n[1.0, 4.0, 24.0, 60.0]\n");
}

// Against differences of first gradients, which test_operators holds to those of values; the last by hand.
TEST_F(RunScriptRules, GradientsOfGradientsGoThroughWhatNetworksAreMadeOf) {
    std::string expected;
    for (const char* name : {"gelu", "gelu_tanh", "elu", "selu", "softsign", "max", "overlapping", "average",
                             "own", "sums", "largest", "labels", "batch", "layer", "dense", "pool"})
        expected += std::string(name) + " [True, True]\n";
    EXPECT_EQ(output_of(own("second_gradients_more.py")),
              expected + "[True, True]\n[True, True]\n"
                         "[[0.25, 0.75]]\n[[0.25, 0.75]]\n[[0.25, 0.75]]\n[1.0, 0.0, 5.0, 0.0, 1.0]\n");
}

// Against the same loops in Python.
TEST_F(RunScriptRules, WhileLoopsEndWhereTheirStepsSay) {
    const std::string refused =
        "a `while` on a tensor whose number of steps the device decides is not there under tilescope run: "
        "let a counter end it, too, as in `while i < 10 and …`, or make it a loop over tf.range with a "
        "`break`\n";
    const std::string newton = "newton [True, True]\n";
    const std::string by_loop = "by_loop [True, True, True]\n";
    EXPECT_EQ(output_of(own("found_whiles.py")),
              newton + newton + newton +
                  "two [True]\ntwo [True]\n"
                  "to_variable [True]\nto_variable [True]\n" +
                  by_loop + by_loop + by_loop +
                  "matrix [True]\n192.0\n1536.0\n"
                  "grows TypeError 'x' has dtype float32 and shape () before the loop, but dtype float32 and "
                  "shape (2,) after one iteration\n"
                  "trained NotThere " +
                  refused +
                  "never InvalidArgumentError a while loop that has not ended after 100,000 steps\n"
                  "(<tf.Tensor: shape=(), dtype=int32, numpy=111>, {'last': <tf.Tensor: shape=(), "
                  "dtype=float32, numpy=1.5>})\n");
    // The device has made as many steps: of Newton's for 2, which come by 1.5 and 1.4167, three.
    EXPECT_EQ(
        printed({"query", "run.tilescope", "SELECT steps FROM execution_group LIMIT 2", "--format", "csv"}),
        "steps\n3\n8\n");
}

// Against the same functions in Python.
TEST_F(RunScriptRules, WhileLoopsEndByBreakAndReturnOnTensors) {
    std::string expected;
    for (const char* name : {"last", "last", "between", "between", "between", "returned", "returned",
                             "returned_before", "returned_before", "returned_before", "returned_before",
                             "continued", "continued", "twice", "twice", "twice", "counted", "vector"})
        expected += std::string(name) + " True\n";
    EXPECT_EQ(
        output_of(own("ended_whiles.py")),
        expected +
            "assigned a `while` on a tensor whose number of steps the device decides is not there under "
            "tilescope run: let a counter end it, too, as in `while i < 10 and …`, or make it a loop "
            "over tf.range with a `break`\n"
            "listed a list, a dictionary, an attribute or a global name that a step of a `while` on a "
            "tensor changes is not there under tilescope run: steps that do not count are computed, "
            "too\n");
}

// By hand, and by NumPy.
TEST_F(RunScriptRules, ASessionMakesTheStepsOfAWhileLoopOnTheHostAndFactorsMatrices) {
    EXPECT_EQ(output_of(own("host_whiles_1.py")),
              "True 3 120 5000 [0.0, 0.0, 1.0, 3.0] 64.0\n"
              "5 10 {'a': 16.0, 'b': 4}\n"
              "6\n"
              "NotThere a gradient through tf.while_loop whose end nothing bounds, in a session is not there "
              "under tilescope run: give it maximum_iterations\n"
              "ValueError Input tensor 'while/Merge:0' enters the loop with shape (1,), but has shape (2,) "
              "after one iteration. To allow the shape to vary across iterations, use the "
              "`shape_invariants` argument of tf.while_loop to specify a less-specific shape.\n"
              "TypeError Input tensor 'while/Merge:0' enters the loop with type int32, but has type float32 "
              "after one iteration.\n"
              "(2,) (3, 2) (2, 3)\n"
              "True True True True\n"
              "a gradient of tf.linalg.svd is not there under tilescope run: the engine has none\n");
}

// By hand: of a sum of three weights the loss is (3 w - 1)^2, and a step adds 0.2 (1 - 3 w) to each w.
TEST_F(RunScriptRules, AStepCounterOnTheIpuSwapsTheEngine) {
    const std::string insight = "The step counter swaps the program out of the IPU";
    const auto report = [&](const Arguments& more) {
        EXPECT_EQ(output_of(own("step_on_ipu_1.py"), {}, more), "[1.0, 0.16, 0.0256] 3\n");
        return printed({"report", "run.tilescope", "--section", "insights"});
    };
    EXPECT_TRUE(holds(report({}), insight));
    EXPECT_FALSE(holds(report({"cpu"}), insight));
}

TEST_F(RunScriptRules, SmallThingsAreAsInTensorFlow) {
    const std::string texts =
        "texts as the data of a model is not there under tilescope run: the layers of a program have no "
        "texts: call "
        "TextVectorization or StringLookup on them, as in Dataset.map(), and give the model the numbers" +
        asks;
    EXPECT_EQ(output_of(own("small_conventions.py")),
              "False True None\n"
              "'auto_select_ipu' is not a valid attribute of IPUConfig. Did you mean 'auto_select_ipus'?\n"
              "[3, 0.5, True, [0, 1]] (None, 'text')\n" +
                  texts + texts);
}

// Each of two ways against the other, on the host and on the device.
TEST_F(RunScriptRules, ModelsWithLayersOfTheSameNamesHaveTheirOwnWeights) {
    const std::string eight = "[True, True, True, True, True, True, True, True]\n";
    const std::string each = "True [True] " + eight + eight + "[True, True, True, True]\n";
    EXPECT_EQ(output_of(own("cloned_models.py")),
              each + each + "[True, True] [True, True] 4\n[True, True] [True, True] 4\n");
}

// Against models of other names.
TEST_F(RunScriptRules, OneOptimiserTrainsAModelAndItsClone) {
    const std::string each =
        "[True, True, True, True, True, True, True, True, True, True, True, True, True] 17 17\n";
    EXPECT_EQ(output_of(own("cloned_updates.py")), each + each);
}

// What TensorFlow says.
TEST_F(RunScriptRules, BracketsTellOfNumbersThatLieOutside) {
    std::string expected;
    for (const char* said :
         {"slice index 5 of dimension 0 out of bounds.", "slice index 3 of dimension 1 out of bounds.",
          "slice index -4 of dimension 1 out of bounds.", "slice index 7 of dimension 1 out of bounds.",
          "Index out of range using input dim 2; input has only 2 dims"})
        expected += "InvalidArgumentError " + std::string(said) + "\nValueError " + said + "\n";
    EXPECT_EQ(output_of(own("brackets_outside.py")),
              expected + "[[[1.0], [4.0]]]\n[[[1.0], [4.0]]]\n5.0\n5.0\n");
}

// By hand.
TEST_F(RunScriptRules, ProgramsAndSessionsCountPairsOfLabels) {
    EXPECT_EQ(output_of(own("counted_pairs.py")),
              "int32 [[1, 0, 0], [0, 1, 2], [0, 0, 1]]\n"
              "float32 [[1.0, 0.0, 0.0], [0.0, 3.0, 2.5], [0.0, 0.0, 4.0]]\n"
              "[[1, 0, 0], [0, 1, 2], [0, 0, 1]]\n"
              "[[1, 0, 0], [3, 0, 0], [0, 1, 0]]\n");
}

TEST_F(RunScriptRules, DiagonalsLieBesideTheMainOne) {
    const std::string all = "[True, True, True, True, True]\n";
    EXPECT_EQ(output_of(own("diagonals.py")), all + all + "[1.0, 5.0]\n");
}

// By hand: 1 + 2 * 3, 3 + 2 * 7, 7 + 2 * 17; by NumPy.
TEST_F(RunScriptRules, FunctionsAssignToVariablesThatTheyAreGiven) {
    EXPECT_EQ(output_of(own("given_variables.py")), "[7.0, 10.0] [7.0, 10.0] [3.0, 4.0]\n"
                                                    "[17.0, 24.0] [7.0, 10.0] [17.0, 24.0]\n"
                                                    "[41.0, 58.0] [41.0, 58.0] [17.0, 24.0]\n"
                                                    "[True, True]\n[True, True]\n[True, True]\n");
}

// By hand, of the sum of the results, each times its number: all that are the largest or the smallest share a
// gradient, and a factor has the product of the others.
TEST_F(RunScriptRules, GradientsGoThroughScattersSegmentsAndProductsWithZeros) {
    EXPECT_EQ(output_of(own("scattered_gradients.py")),
              "largest [[3.0, 1.0, 5.0, 1.0], [0.5, 2.0, 0.0, 4.0], [0.5, 1.5, 1.5, 0.0]] True\n"
              "smallest [[3.0, 0.0, 4.0, 1.0], [0.5, 0.0, 3.0, 4.0], [0.5, 0.0, 0.0, 2.0]] True\n"
              "update [[3.0, 5.0, 5.0, 1.0], [0.0, 0.0, 0.0, 4.0], [1.0, 3.0, 2.0]] True\n"
              "segment_max [[2.0, 5.0], [1.0, 1.0, 1.0, 0.0, 0.0]] True\n"
              "segment_min [[-1.0, 5.0], [0.0, 1.0, 1.0, 1.0, 0.0]] True\n"
              "segment_prod [[-2.0, 25.0, 1.0, 7.0], [-1.0, 10.0, 10.0, 2.0, 4.0]] True\n"
              "a_zero [[-0.0, 0.0, 1.0, 7.0], [-1.0, 0.0, 10.0, 0.0, 4.0]] True\n"
              "two_zeros [[-3.0, 0.0, 1.0, 7.0], [-1.0, 0.0, 0.0, 3.0, 4.0]] True\n"
              "sorted_max [[5.0, 5.0, 0.0, 7.0], [0.0, 1.0, 2.0, 0.0, 4.0]] True\n"
              "sorted_min [[-5.0, -5.0, 0.0, -7.0], [0.0, 1.0, 2.0, 0.0, 4.0]] True\n"
              "sorted_prod [[10.0, -5.0, 1.0, 7.0], [5.0, 2.0, -2.0, 10.0, 4.0]] True\n"
              "prod [0.0, [0.0, 8.0, 0.0]] True\n"
              "prod_0 [0.0, [0.0, 0.0, 0.0]] True\n"
              "rows [[0.0, 0.0, 12.0], [[0.0, 0.0, 2.0], [0.0, 0.0, 0.0], [18.0, 18.0, 12.0]]] True\n"
              "cumprod [[2.0, 0.0, 0.0], [1.0, 28.0, 0.0]] True\n"
              "cumprod_0 [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]] True\n"
              "exclusive [[1.0, 2.0, 0.0], [2.0, 6.0, 0.0]] True\n"
              "reverse [[0.0, 0.0, 4.0], [0.0, 16.0, 3.0]] True\n");
}

// Against NumPy, what they undo, and by hand.
TEST_F(RunScriptRules, NamesThatFewScriptsUseAreMadeByFormulas) {
    std::string expected;
    for (const char* name : {"erfinv", "ends", "ndtri", "erfcinv", "transposed", "largest", "means", "yiq",
                             "grey", "bins", "discrete", "passed"})
        expected += std::string(name) + " [True, True]\n";
    EXPECT_EQ(output_of(own("rare_formulas.py")),
              expected + "[[[3, 4]], [[1, 2], [5, 6]], []] 3 [b'1', b'2']\n[[1, 2], [2, 2]] [2, 3]\n"
                         "(1, 2000) True True\nTrue\n");
}

// Against NumPy, gradients against differences of it.
TEST_F(RunScriptRules, ProgramsFactorAndInvertMatrices) {
    std::string expected;
    for (const char* name :
         {"cholesky", "triangular", "upper", "adjoint", "by_cholesky", "solve", "inv", "det", "of_upper",
          "slogdet", "logdet", "tall", "wide", "of_triangle", "of_one", "full"})
        expected += std::string(name) + " True True [True, True]\n";
    EXPECT_EQ(output_of(own("program_linalg.py")),
              expected + "NotThere tf.linalg.inv of more than 64 rows in a program or a GradientTape is not "
                         "there under tilescope run: it is made row after row\n"
                         "InvalidArgumentError Input matrices must be squares, got 2 != 3\n"
                         "NotThere tf.linalg.svd of what the device or a GradientTape computes is not there "
                         "under tilescope run: the device has no operator for it\n");
}

// By hand.
TEST_F(RunScriptRules, GradientsAtKinksAreTensorFlows) {
    const std::string binary = " [[0.5, -0.5, 0.25]]\n";
    const std::string step = "[[1.0, 1.5], [0.5]]";
    EXPECT_EQ(output_of(own("gradients_at_kinks.py")),
              "binary" + binary + "keras" + binary + "of_sigmoid" + binary +
                  "hinge [[-1.0, 1.0]]\nselu [1.0506999492645264]\nhard_sigmoid [0.20000000298023224, "
                  "0.20000000298023224, 0.0]\n"
                  "erfinv [0.8862299919128418]\nlargest [1.0, 10.0] [0.0, 0.0]\nof_all [0.0, 0.5, 0.5]\n"
                  "clipped [0.0, 1.0, 1.0, 0.0]\nproduct [6.0, 0.0, 0.0]\n" +
                  step + " " + step + "\n" + step + " " + step + "\n");
}

// Against the same layers in a model; the last by NumPy.
TEST_F(RunScriptRules, LayersOfOperationsAreCalledOnValues) {
    std::string expected;
    for (const char* name : {"LocallyConnected1D", "LocallyConnected2D", "ConvLSTM1D", "ConvLSTM2D", "RNN",
                             "RandomFlip", "RandomCrop"})
        expected += std::string(name) + " True True\n";
    EXPECT_EQ(output_of(own("layers_at_once.py")), expected + "True\nTrue True\nTrue\n");
}

} // namespace
} // namespace tilescope::tests
