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
            "assign in a step of its own, or after the update\n"
            "host trains (True, 3)\nknown [1, 2, 1, 2]\nrate [0.1, 0.055, 0.01, 0.0325, 0.01]\n"
            "strided True\nin a row True\n");
}

TEST_F(RunScriptValues, KerasShowsAllStepsAndCallsBackAsDocumented) {
    EXPECT_EQ(
        output_of(own("keras_shown.py")),
        "after a stop True (16, 1)\nhooks ['test', 1, 3, 'test', 1, 3, 'predict', 'predicted']\n"
        "early 3 0.5 2\nearly again 3 0.3 0\nkept ['kept2.h5', 'kept3.h5']\n"
        "rates [1.0, 0.5, 0.25] ['epoch', 'loss', 'lr'] ['0', '1', '2'] True\n"
        "unreduced True True True\nhinge [True, True]\nclasses True\nweighted True\n"
        "a loss of dense_8, whose steps are masked is not there under tilescope run: give sample_weight "
        "[batch, step] to fit() and evaluate(), 0 where a step is masked\n"
        "tape [None, 2.0]\nwatched [3.0, None]\n");
}

TEST_F(RunScriptValues, LossesMoveWithinAnEngineRun) {
    output_of(own("slow_batches.py"));
    EXPECT_EQ(printed({"query", "run.tilescope",
                       "SELECT epoch, step, name, round(value, 3) FROM metric_within", "--format", "csv"}),
              "epoch,step,name,\"round(value, 3)\"\n0,1,loss,1.0\n0,2,loss,2.5\n0,3,loss,4.667\n");
}

} // namespace
} // namespace tilescope::tests
