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

} // namespace
} // namespace tilescope::tests
