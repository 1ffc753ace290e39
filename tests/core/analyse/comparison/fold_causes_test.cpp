// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/cause_sum.h"
#include "analyse/comparison.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

Cause cause(const std::string& what, const std::string& why, double cycles, std::vector<Cause> parts = {},
            CauseKind kind = CauseKind::Layer) {
    return {what, why, cycles, {}, 0.1, kind, std::move(parts)};
}

TEST(CauseSum, AddsUpWhatCausesChange) {
    const CauseSum sum =
        sum_of({cause("a", "", 30), cause("b", "", -50), {"clock", "", {}, 8.0, 0.2}}, &Cause::cycles);
    EXPECT_DOUBLE_EQ(sum.amount, -20);
    EXPECT_DOUBLE_EQ(sum.share, 0.1 + 0.1 + 0.2);
    EXPECT_EQ(sum_of({}, &Cause::bytes).amount, 0);
}

TEST(FoldedCauses, LayersOfAStackAreOne) {
    const auto layer = [](const std::string& number, double cycles, const std::string& ipu) {
        return cause("layer_" + number + "_conv2d", "op: waits 1,245 on IPU " + ipu, cycles,
                     {cause("layer_" + number + "_conv2d/op", "1,024 more", cycles - 1, {}, CauseKind::Plan),
                      cause("layer_" + number + "_conv2d/add", "", 1, {}, CauseKind::Size)});
    };
    Cause clock{"the clock", "1.85 GHz", {}, {}, {}, CauseKind::Clock};
    const auto all = folded(
        {clock, cause("dense", "", -50), layer("0", -10, "0"), layer("1", -30, "0"), layer("11", -20, "1")},
        &Cause::cycles);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].what, "the clock");
    EXPECT_EQ(all[1].what, "layer_*_conv2d");
    EXPECT_EQ(name_text(all[1]), "layer_*_conv2d × 3");
    EXPECT_EQ(all[1].why, "op: waits 1,245 on IPU *");
    EXPECT_EQ(all[1].cycles, -60);
    EXPECT_DOUBLE_EQ(*all[1].share, 0.3);
    EXPECT_EQ(all[1].largest, "layer_1_conv2d");
    ASSERT_EQ(all[1].parts.size(), 2U);
    EXPECT_EQ(name_text(all[1].parts[0]), "layer_*_conv2d/op × 3");
    EXPECT_EQ(all[1].parts[0].why, "1,024 more");
    EXPECT_EQ(all[1].parts[0].cycles, -63);
    EXPECT_EQ(all[1].parts[1].cycles, 3);
    EXPECT_EQ(reason_text(all[1].parts[0]), "1,024 more") << "a sentence about its name, which is told";
    EXPECT_EQ(reason_text(all[1].parts[1]), "size");
    EXPECT_EQ(name_text(all[2]), "dense");
    EXPECT_EQ(all[2].cycles, -50);
}

TEST(FoldedCauses, TwoOrWhatDiffersInWordsOrDirectionStayWhatTheyAre) {
    const std::vector<Cause> causes{cause("conv_1", "+3", 9), cause("conv_2", "+4", 8),
                                    cause("conv_3", "\u22124", 7), cause("conv_4", "another", 6),
                                    cause("conv_5", "+5", 5, {}, CauseKind::Fusion)};
    const auto all = folded(causes, &Cause::cycles);
    ASSERT_EQ(all.size(), causes.size());
    for (std::size_t i = 0; i < causes.size(); ++i) {
        EXPECT_EQ(name_text(all[i]), causes[i].what);
        EXPECT_EQ(all[i].why, causes[i].why);
        EXPECT_EQ(all[i].cycles, causes[i].cycles);
    }
}

} // namespace
} // namespace tilescope::analyse
