// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/like_names.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {

TEST(LikeNames, FoldThoseThatDifferInNumbersAlone) {
    const std::vector<LikeNames> folded =
        fold_names({"layer_0/kernel", "pooler/kernel", "layer_1/kernel", "layer_11/kernel", "layer_0/bias"});
    ASSERT_EQ(folded.size(), 3U);
    EXPECT_EQ(text_of(folded[0]), "layer_*/kernel × 3");
    EXPECT_EQ(folded[0].members, (std::vector<std::size_t>{0, 2, 3}));
    EXPECT_EQ(text_of(folded[1]), "pooler/kernel");
    EXPECT_EQ(text_of(folded[2]), "layer_0/bias");
}

TEST(LikeNames, KeepTheNumbersThatAllShareAndTellTwoOneByOne) {
    const std::vector<LikeNames> folded =
        fold_names({"a_1_x2", "a_1_x3", "b_1", "a_1_x4", "b_2", "1,024 bytes", "7 bytes", "0.5 bytes"});
    ASSERT_EQ(folded.size(), 4U);
    EXPECT_EQ(folded[0].name, "a_1_x*");
    EXPECT_EQ(folded[1].name, "b_1");
    EXPECT_EQ(folded[2].name, "b_2");
    EXPECT_EQ(text_of(folded[3]), "* bytes × 3");
}

TEST(LikeNames, WhatAllHaveInCommonKeepsTheirWords) {
    EXPECT_EQ(common_text({"float32 [3,3]", "float32 [3,3]"}), "float32 [3,3]");
    EXPECT_EQ(common_text({"layer_0", "layer_11"}), "layer_*");
    EXPECT_EQ(common_text({"float32 [3]", "int32 [3]"}), "–");
}

} // namespace tilescope::analyse
