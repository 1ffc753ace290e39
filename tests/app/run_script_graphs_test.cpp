// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs of TensorFlow 1 and what sessions, data sets and estimators make of them.
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

TEST_F(RunScriptGraphs, SessionsFeedTheSizesOfDataSets) {
    EXPECT_EQ(output_of(own("fed_counts.py")),
              "(None, 2) [[0.0, 1.0], [2.0, 3.0]]\n[(3, 2), (1, 2)]\n8 {3} True\nTrue\n");
}

TEST_F(RunScriptGraphs, TensorsArePrintedInEachStep) {
    EXPECT_EQ(output_of(own("printed.py")),
              "a [1 2.5] {'k': 3} [[0 1 2 ... 7 8 9], 's'] [[0 1]\n [2 3]] None 1\n"
              "in [1 2]\ntwice: [2.0000000 4.0000000]\nlambda [[0]\n [1]]\nlambda [[2]\n [3]]\n"
              "tape 9\n"
              "[array([2., 3.], dtype=float32)] [None, array([2., 6.], dtype=float32)] [3]\n"
              "triple: [3.0000000 6.0000000]\nv: [1.0000000 2.0000000]\na: [1.0000000 3.0000000]\n"
              "i: 1\ni: 2\ni: 3\n"
              "[2. 2.] None\nhost [[1 1]\n ...\n [1 1]]\nhost [[1 1]]\n"
              "[2. 2.]\nmessage: [[1 1]\n [1 1]][2]\n");
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

} // namespace
} // namespace tilescope::tests
