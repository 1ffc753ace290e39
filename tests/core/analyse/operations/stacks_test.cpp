// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/stacks.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

/// A part for each letter; each uses the one before it.
PartSequence chain(const std::string& letters) {
    PartSequence parts;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        parts.structure.emplace_back(1, letters[i]);
        if (i > 0)
            parts.edges.emplace_back(i - 1, i);
    }
    return parts;
}

TEST(Stacks, AreTheBlocksThatRepeat) {
    // An embedding, four blocks of three, and a head.
    EXPECT_EQ(find_stacks(chain("eabcabcabcabch")), (std::vector<Stack>{{1, 3, 4}}));
    EXPECT_EQ(find_stacks(chain("xdddddddy")), (std::vector<Stack>{{1, 1, 7}}));
    EXPECT_EQ(find_stacks(chain("abcdef")), std::vector<Stack>{});
    EXPECT_EQ(find_stacks(chain("")), std::vector<Stack>{});
}

TEST(Stacks, AreNotMadeOfAFewParts) {
    EXPECT_EQ(find_stacks(chain("xabcabcy")), std::vector<Stack>{}) << "it folds three parts";
    EXPECT_EQ(find_stacks(chain("xdddy")), std::vector<Stack>{});
    EXPECT_EQ(find_stacks(chain("xabcdefabcdefy")), (std::vector<Stack>{{1, 6, 2}}));
}

TEST(Stacks, StandSideBySideAsTheStagesOfAResNetDo) {
    // Convolutions c (the third of a block is like the second) and an addition a, which uses the addition
    // before it, too. The first block of a stage has a projection p and is none of the equal ones.
    PartSequence parts = chain("scpcacccacccacccacccaCPCACCCACCCACCCA");
    std::size_t before = 4;
    for (std::size_t i = 5; i < parts.structure.size(); ++i)
        if (parts.structure[i] == "a" || parts.structure[i] == "A") {
            parts.edges.emplace_back(before, i);
            before = i;
        }
    EXPECT_EQ(find_stacks(parts), (std::vector<Stack>{{5, 4, 4}, {25, 4, 3}}));
}

TEST(Stacks, FoldTheWholeBlockAndNotWhatRepeatsWithin) {
    EXPECT_EQ(find_stacks(chain("qqqoqqqoqqqoqqqo")), (std::vector<Stack>{{0, 4, 4}}));
}

TEST(Stacks, BeginWhereEachBlockHasANameOfItsOwn) {
    // addition, norm | attention, addition, norm | …: blocks could begin with each of the three.
    PartSequence parts = chain("anTanTanTanTan");
    for (std::size_t attention = 2; attention < 14; attention += 3)
        parts.edges.emplace_back(attention - 1, attention + 1);
    // Two edges lead on from blocks that begin with an addition, one from others.
    EXPECT_EQ(find_stacks(parts), (std::vector<Stack>{{1, 3, 4}}));
    parts.names = {"embeddings", "embeddings_norm"};
    for (const char* layer : {"layer_0_", "layer_1_", "layer_2_", "layer_3_"})
        for (const char* part : {"attention", "add", "norm"})
            parts.names.push_back(std::string(layer) + part);
    EXPECT_EQ(find_stacks(parts), (std::vector<Stack>{{2, 3, 4}}));
}

TEST(Stacks, NeedEqualEdgesWithinTheirBlocks) {
    PartSequence parts = chain("abcabcabcabcabc");
    parts.edges.emplace_back(0, 2); // the first block alone has a way around its b
    EXPECT_EQ(find_stacks(parts), (std::vector<Stack>{{3, 3, 4}}));
}

TEST(Stacks, AreNamedByWhatTheirPartsShare) {
    const Stack two{0, 2, 2};
    EXPECT_EQ(stack_name(two, {"layer_0_attention", "layer_0_output", "layer_1_attention", "layer_1_output"}),
              "layer_*");
    EXPECT_EQ(stack_name(two, {"conv4_block2_1_conv", "conv4_block2_out", "conv4_block3_1_conv",
                               "conv4_block3_out"}),
              "conv4_block*");
    EXPECT_EQ(stack_name({0, 1, 3}, {"dense", "dense_1", "dense_2"}), "dense");
    EXPECT_EQ(stack_name({0, 1, 3}, {"dense_1", "dense_2", "dense_3"}), "dense_*");
    EXPECT_EQ(stack_name(two, {"dense", "dropout", "dense_1", "dropout_1"}), "");
    EXPECT_EQ(block_name({"layer_3_attention", "layer_3_output", "layer_3_output_norm"}), "layer_3");
    EXPECT_EQ(block_name({"layer_3_output", "layer_3_output_norm"}), "layer_3_output");
    EXPECT_EQ(block_name({"encoder/attention", "encoder/add"}), "encoder");
    EXPECT_EQ(block_name({"dense", "dropout"}), "") << "the shared letter is no name";
}

} // namespace
} // namespace tilescope::analyse
