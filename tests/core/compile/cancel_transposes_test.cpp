// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

namespace tilescope::compile {
namespace {

/// A graph that takes x, [2, 4, 4, 3] with channels last, to channels first and back, with operations
/// between.
std::string between(const std::string& operations, const std::string& more = "",
                    const std::string& last = "%out") {
    return R"(graph "g" {
  feed %x : float32 [2, 4, 4, 3]
)" + more + R"(  %first = transpose(%x) {permutation: [0, 3, 1, 2]}
)" + operations +
           "  %back = transpose(" + last + R"() {permutation: [0, 2, 3, 1]}
  fetch "y" = %back
})";
}

std::string left(const std::string& operations, const std::string& more = "") {
    return normal("graph \"g\" {\n  feed %x : float32 [2, 4, 4, 3]\n" + more + operations +
                  "  fetch \"y\" = %out\n}");
}

std::string cancelled(const std::string& text) {
    return after("cancel transposes", text);
}

} // namespace

TEST(CancelTransposes, DropsTwoThatUndoEachOther) {
    EXPECT_EQ(cancelled(between("", "", "%first")),
              normal("graph \"g\" { feed %x : float32 [2, 4, 4, 3] fetch \"y\" = %x }"));
}

TEST(CancelTransposes, MakesOneOfTwoInARow) {
    EXPECT_EQ(cancelled(R"(graph "g" {
  feed %x : float32 [2, 3, 4]
  %a = transpose(%x) {permutation: [1, 0, 2]}
  %b = transpose(%a) {permutation: [0, 2, 1]}
  fetch "y" = %b
})"),
              normal(R"(graph "g" {
  feed %x : float32 [2, 3, 4]
  %b = transpose(%x) {permutation: [1, 2, 0]}
  fetch "y" = %b
})"));
}

TEST(CancelTransposes, DoesOperationsOnEachElementBefore) {
    EXPECT_EQ(cancelled(between("  %half = cast(%first) {dtype: \"float16\"}\n"
                                "  %out = relu(%half)\n")),
              left("  %half = cast(%x) {dtype: \"float16\"}\n"
                   "  %out = relu(%half)\n"));
    EXPECT_EQ(cancelled(between("  %a = exp(%first)\n  %b = tanh(%first)\n  %out = multiply(%a, %b)\n")),
              left("  %a = exp(%x)\n  %b = tanh(%x)\n  %out = multiply(%a, %b)\n"));
}

// A bias [3, 1, 1] of channels first is [3] for channels last; a number is spread over either.
TEST(CancelTransposes, ReshapesWhatIsSpreadOverTheTensor) {
    const std::string more =
        "  variable %bias : float32 [3, 1, 1] = 0.5\n  constant %two : float32 [] = 2.0\n";
    EXPECT_EQ(cancelled(between("  %sum = add(%first, %bias)\n  %out = multiply(%two, %sum)\n", more)),
              left("  %sum/reshape = reshape(%bias) {shape: [3]}\n"
                   "  %sum = add(%x, %sum/reshape)\n  %out = multiply(%two, %sum)\n",
                   more));
}

// Constants are transposed while compiling; a variable would have to be in every step.
TEST(CancelTransposes, TransposesConstantsButNoVariables) {
    const std::string more = "  constant %c : float32 [3, 1, 4] = 0.5\n";
    EXPECT_EQ(cancelled(between("  %out = add(%first, %c)\n", more)),
              left("  %out/reshape = reshape(%c) {shape: [1, 3, 1, 4]}\n"
                   "  %out/transpose = transpose(%out/reshape) {permutation: [0, 2, 3, 1]}\n"
                   "  %out/reshape_1 = reshape(%out/transpose) {shape: [4, 3]}\n"
                   "  %out = add(%x, %out/reshape_1)\n",
                   more));
    const std::string variable =
        between("  %out = add(%first, %c)\n", "  variable %c : float32 [3, 1, 4] = 0.5\n");
    EXPECT_EQ(cancelled(variable), normal(variable));
}

// Axis 1, the channels, is axis 3 before; heights and widths are 1 and 2.
TEST(CancelTransposes, DoesOperationsAlongAxesBefore) {
    EXPECT_EQ(cancelled(between("  %a = exp(%first)\n  %out = concatenate(%first, %a) {axis: 1}\n")),
              left("  %a = exp(%x)\n  %out = concatenate(%x, %a) {axis: 3}\n"));
    EXPECT_EQ(cancelled(between("  %out = reduce_mean(%first) {axes: [2, 3], keep_dims: true}\n")),
              left("  %out = reduce_mean(%x) {axes: [1, 2], keep_dims: true}\n"));
    EXPECT_EQ(cancelled(between("  %out = slice(%first) {begin: [0, 1, 2, 3], size: [2, 2, 2, 1]}\n")),
              left("  %out = slice(%x) {begin: [0, 2, 3, 1], size: [2, 2, 1, 2]}\n"));
    EXPECT_EQ(cancelled(between("  %out = pad(%first) {after: [0, 0, 1, 2], before: [0, 0, 3, 4]}\n")),
              left("  %out = pad(%x) {after: [0, 1, 2, 0], before: [0, 3, 4, 0]}\n"));
    EXPECT_EQ(cancelled(between("  %out = take(%first) {axis: -1, indices: [3, 0]}\n")),
              left("  %out = take(%x) {axis: 2, indices: [3, 0]}\n"));
    EXPECT_EQ(cancelled(between("  %out = take(%first) {indices: [1]}\n")),
              left("  %out = take(%x) {axis: 0, indices: [1]}\n"));
}

// As ONNX models have it: each convolution is done with channels last, all between them with channels first.
TEST(CancelTransposes, TurnsAModelWithChannelsFirstOnce) {
    EXPECT_EQ(cancelled(R"(graph "g" {
  feed %image : float32 [2, 3, 8, 8]
  variable %w : float32 [3, 3, 3, 4] = 0.5
  variable %bias : float32 [1, 4, 1, 1] = 0.5
  variable %v : float32 [3, 3, 4, 5] = 0.5
  %last = transpose(%image) {permutation: [0, 2, 3, 1]}
  %conv = conv2d(%last, %w)
  %first = transpose(%conv) {permutation: [0, 3, 1, 2]}
  %sum = add(%first, %bias)
  %relu = relu(%sum)
  %last_again = transpose(%relu) {permutation: [0, 2, 3, 1]}
  %second = conv2d(%last_again, %v)
  %y = transpose(%second) {permutation: [0, 3, 1, 2]}
  fetch "y" = %y
})"),
              normal(R"(graph "g" {
  feed %image : float32 [2, 3, 8, 8]
  variable %w : float32 [3, 3, 3, 4] = 0.5
  variable %bias : float32 [1, 4, 1, 1] = 0.5
  variable %v : float32 [3, 3, 4, 5] = 0.5
  %last = transpose(%image) {permutation: [0, 2, 3, 1]}
  %conv = conv2d(%last, %w)
  %sum/reshape = reshape(%bias) {shape: [4]}
  %sum = add(%conv, %sum/reshape)
  %relu = relu(%sum)
  %second = conv2d(%relu, %v)
  %y = transpose(%second) {permutation: [0, 3, 1, 2]}
  fetch "y" = %y
})"));
}

// A mask would fall on other elements; softmax and reductions that drop axes know no other order.
TEST(CancelTransposes, LeavesWhatDependsOnTheOrder) {
    for (const char* operation :
         {"  %out = dropout(%first) {rate: 0.5}\n", "  %out = softmax(%first)\n",
          "  %out = exp(%first) on \"/device:CPU:0\"\n",
          "  %other = transpose(%x) {permutation: [0, 3, 2, 1]}\n  %out = add(%first, %other)\n"}) {
        const std::string text = between(operation);
        EXPECT_EQ(cancelled(text), normal(text));
    }
}

TEST(CancelTransposes, LeavesTheGraphWhereNothingIsSaved) {
    const std::string text = R"(graph "g" {
  feed %x : float32 [2, 3]
  %t = transpose(%x) {permutation: [1, 0]}
  %y = relu(%t)
  fetch "y" = %y
})";
    EXPECT_EQ(cancelled(text), normal(text));
}

TEST(CancelTransposes, DoesOnceWhatStaysForAllThatNeedIt) {
    EXPECT_EQ(
        cancelled(between("  %out = relu(%first)\n  %sums = softmax(%out)\n  fetch \"a\" = %sums\n"
                          "  fetch \"b\" = %out\n  %again = transpose(%out) {permutation: [0, 2, 3, 1]}\n"
                          "  fetch \"c\" = %again\n")),
        normal(R"(graph "g" {
  feed %x : float32 [2, 4, 4, 3]
  %out = relu(%x)
  %out/transpose = transpose(%out) {permutation: [0, 3, 1, 2]}
  %sums = softmax(%out/transpose)
  fetch "a" = %sums
  fetch "b" = %out/transpose
  fetch "c" = %out
  fetch "y" = %out
})"));
}

// What is trained by stays, with all that it is made of, where no one fetches it.
TEST(CancelTransposes, LeavesALossThatNoOneFetches) {
    const std::string head = R"(graph "g" {
  feed %x : float32 [2, 3]
  variable %w : float32 [2, 3] = 0.5
)";
    const std::string tail = R"(
  %loss = reduce_sum(%scaled)
  fetch "x" = %x
  train %loss "sgd" {learning_rate: 0.1}
})";
    EXPECT_EQ(cancelled(head +
                        "  %there = transpose(%x) {permutation: [1, 0]}\n"
                        "  %back = transpose(%there) {permutation: [1, 0]}\n"
                        "  %scaled = multiply(%back, %w)" +
                        tail),
              normal(head + "  %scaled = multiply(%x, %w)" + tail));
}

// A product reads the matrix as it lies; what else is turned stays so.
TEST(CancelTransposes, ProductsReadTheTranspositionOfAVariableThemselves) {
    const std::string head =
        "graph \"g\" {\n  feed %x : float32 [2, 3]\n  variable %w : float32 [5, 3] = 1.0\n";
    EXPECT_EQ(cancelled(head + R"(  %t = transpose(%w) {permutation: [1, 0]}
  %y = matmul(%x, %t)
  fetch "y" = %y
})"),
              normal(head + "  %y = matmul(%x, %w) {transpose_b: true}\n  fetch \"y\" = %y\n}"));
    EXPECT_EQ(cancelled(head + R"(  %half = cast(%w) {dtype: "float16"}
  %t = transpose(%half) {permutation: [1, 0]}
  %back = cast(%x) {dtype: "float16"}
  %y = matmul(%t, %back) {transpose_a: true, transpose_b: true}
  fetch "y" = %y
})"),
              normal(head + R"(  %half = cast(%w) {dtype: "float16"}
  %back = cast(%x) {dtype: "float16"}
  %y = matmul(%half, %back) {transpose_a: false, transpose_b: true}
  fetch "y" = %y
})"));
    const std::string fed = R"(graph "g" {
  feed %x : float32 [2, 3]
  feed %w : float32 [5, 3]
  %t = transpose(%w) {permutation: [1, 0]}
  %y = matmul(%x, %t)
  fetch "y" = %y
})";
    EXPECT_EQ(cancelled(fed), normal(fed));
    const std::string batches = R"(graph "g" {
  feed %x : float32 [5, 4, 3]
  variable %w : float32 [3, 5, 4] = 1.0
  %t = transpose(%w) {permutation: [1, 0, 2]}
  %y = matmul(%x, %t)
  fetch "y" = %y
})"; // of another dimension than the last two
    EXPECT_EQ(cancelled(batches), normal(batches));
}

} // namespace tilescope::compile
