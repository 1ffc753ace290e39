// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the script's own.
#include "tests/app/run_script.h"

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
    EXPECT_TRUE(holds(outcome.err,
                      "tensorflow.keras.preprocessing.image.ImageDataGenerator is not there under "
                      "tilescope run: IPUs take no generators"))
        << outcome.err;
}

} // namespace
} // namespace tilescope::tests
