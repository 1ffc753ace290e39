// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/cuts.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

profile::OperationRecord operation(std::int64_t id, std::int64_t layer, std::int64_t ipu,
                                   std::vector<std::int64_t> inputs, std::vector<std::int64_t> outputs) {
    profile::OperationRecord op;
    op.id = id;
    op.name = "op_" + std::to_string(id);
    op.layer_id = layer;
    op.ipu = ipu;
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    return op;
}

} // namespace

// Two layers on IPU 0, one on IPU 1, whose gradient comes back without a layer.
TEST(Cuts, AreNamedByTheLayersOfTheirLargestTensor) {
    const std::vector<profile::LayerRecord> layers{
        {0, "first", "Dense", "", 0}, {1, "second", "Dense", "", 0}, {2, "third", "Dense", "", 0}};
    const std::vector<profile::TensorRecord> tensors{{0, "a", DType::Float32, "[1]", 4},
                                                     {1, "b", DType::Float32, "[8]", 32},
                                                     {2, "c", DType::Float32, "[2]", 8},
                                                     {3, "d", DType::Float32, "[8]", 32}};
    const auto found = analyse::cuts({operation(0, 0, 0, {}, {0}), operation(1, 1, 0, {0}, {1}),
                                      operation(2, 2, 1, {0, 1}, {2}), operation(3, 2, 1, {1}, {3}),
                                      operation(4, -1, 0, {3}, {})},
                                     layers, tensors);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].from_ipu, 0);
    EXPECT_EQ(found[0].to_ipu, 1);
    EXPECT_EQ(found[0].tensors, 2) << "what two use crosses once";
    EXPECT_EQ(found[0].bytes, 36);
    EXPECT_EQ(found[0].text(), "second → third and 1 tensor more");
    EXPECT_EQ(found[1].from_ipu, 1);
    EXPECT_EQ(found[1].text(), "third → op_4") << "what is of no layer has its own name";
    EXPECT_TRUE(
        analyse::cuts({operation(0, 0, 0, {}, {0}), operation(1, 1, 0, {0}, {})}, layers, tensors).empty());
}

} // namespace tilescope
