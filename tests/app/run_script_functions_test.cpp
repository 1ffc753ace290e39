// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of tf.function with branches and loops on tensors, which their source tells.
#include "tests/app/run_script.h"

namespace tilescope::tests {
namespace {

using RunScriptFunctions = RunScript;

// Against the same functions on NumPy's numbers in the script; loops by hand.
TEST_F(RunScriptFunctions, NamesThatBranchesGiveNoOneValueAreToldWhereTheyAreRead) {
    const std::string both = " must be given a value in both branches of an `if` on a tensor, or before it\n";
    const std::string tensor = "is a tensor of dtype float32 and shape ";
    const std::string branch = " in one branch of an `if` on a tensor, but ";
    const std::string other = " in the other: give it tensors of the same dtypes and shapes in both\n";
    EXPECT_EQ(output_of(own("names_in_branches.py")),
              "shaped True kinds_apart True of_loops True nested True matched True defaults True \n"
              "compared UnboundLocalError 'mode'" +
                  both + "is_there TypeError 'h' " + tensor + "()" + branch + "None" + other +
                  "of_kind TypeError 'kind' is 'up'" + branch + "'down'" + other +
                  "counted_on UnboundLocalError 'total'" + both + "in_list UnboundLocalError 'k'" + both +
                  "choice_of_none TypeError `… if … else …` " + tensor + "()" + branch + "None" + other +
                  "for_another TypeError 'mode' is 'up'" + branch + "'down'" + other +
                  "[[39.0, 47.0], [216.0, 432.0], [72.0, 144.0], [242.0, 286.0]]\nTypeError 'k' " + tensor +
                  "(2,)" + branch + "None" + other);
}

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
