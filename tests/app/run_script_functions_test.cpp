// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of tf.function with branches and loops on tensors, which their source tells.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptFunctions = RunScript;

TEST_F(RunScriptFunctions, EffectsOfBranchesAreRefusedWhereverTheyAre) {
    const std::string changes =
        " NotThere a list, a dictionary, an attribute or a global name that a branch of an `if` on a tensor "
        "changes is not there under tilescope run: both branches are computed\n";
    EXPECT_EQ(output_of(own("effects_of_branches.py")),
              "logged" + changes + "of_own" + changes + "elsewhere" + changes + "counts" + changes + "keeps" +
                  changes + "by_layer" + changes + "6.0 -2.0\n");
}

TEST_F(RunScriptFunctions, FunctionsThatAreNotConvertedStayAsTheyAre) {
    const std::string no_truth = "TypeError using a `tf.Tensor` as a Python `bool`\n";
    EXPECT_EQ(output_of(own("kept_functions.py")), "6.0\n3.0\n" + no_truth + no_truth + no_truth + "6.0\n");
}

} // namespace
} // namespace tilescope::tests
