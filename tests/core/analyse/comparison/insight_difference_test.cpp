// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/insight_difference.h"
#include "analyse/summary.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

Insight finding(const std::string& code, const InsightSubject& subject, std::optional<InsightCost> cost) {
    Insight insight;
    insight.code = code;
    insight.subject = subject;
    insight.cost = std::move(cost);
    return insight;
}
InsightSubject operation(const std::string& name, std::int64_t id, std::int64_t ipu = 0) {
    return {SubjectKind::Operation, {ipu}, id, name};
}
InsightSubject tile(std::int64_t id) {
    return {SubjectKind::Tile, {0}, id, {}};
}
InsightCost cycles(double value, const std::string& per = "step") {
    return {value, FigureUnit::Cycles, per};
}

TEST(CostOfAFinding, IsAShareOfTheTimeThatPassesOrIsPlanned) {
    Insight insight = finding("uneven", {}, InsightCost{500, FigureUnit::Cycles, "step", true});
    Summary summary;
    EXPECT_EQ(cost_share(insight, summary), std::nullopt);
    summary.planned = 1000;
    EXPECT_EQ(cost_share(insight, summary), 0.5);
    insight.cost->planned = false;
    EXPECT_EQ(cost_share(insight, summary), std::nullopt);
    summary.elapsed = 2000;
    EXPECT_EQ(cost_share(insight, summary), 0.25);
    insight.cost->unit = FigureUnit::Bytes;
    EXPECT_EQ(cost_share(insight, summary), std::nullopt) << "bytes are no share of time";
}

TEST(FindingDifference, TheSameRuleOnTheSameOperationIsOneFinding) {
    const std::vector<Insight> base{finding("uneven", operation("a/op", 7), cycles(100)),
                                    finding("uneven", operation("b/op", 9), cycles(50)),
                                    finding("gone", {}, cycles(30)),
                                    finding("full_tile", tile(3), InsightCost{64, FigureUnit::Bytes, ""})};
    const std::vector<Insight> now{finding("uneven", operation("b/op", 2), cycles(80)),
                                   finding("uneven", operation("a/op", 1), cycles(60)),
                                   finding("full_tile", tile(5), InsightCost{96, FigureUnit::Bytes, ""}),
                                   finding("new", {}, cycles(10))};
    const auto pairs = match_findings(base, now, {});
    ASSERT_EQ(pairs.size(), 5U);
    EXPECT_EQ(pairs[0].base->subject.name, "b/op");
    EXPECT_EQ(pairs[0].change(), 30);
    EXPECT_EQ(pairs[1].base->subject.name, "a/op");
    EXPECT_EQ(pairs[1].change(), -40);
    EXPECT_EQ(pairs[2].base->subject.id, 3) << "another tile is the fullest";
    EXPECT_EQ(pairs[2].change(), 32);
    EXPECT_FALSE(pairs[3].base);
    EXPECT_EQ(pairs[3].change(), 10);
    EXPECT_FALSE(pairs[4].now);
    EXPECT_EQ(pairs[4].either().code, "gone");
    EXPECT_EQ(pairs[4].change(), -30);
}

TEST(FindingDifference, CostsPerOtherThingsAreNotSubtracted) {
    const auto pairs =
        match_findings({finding("a", {}, cycles(100)), finding("b", {}, {})},
                       {finding("a", {}, cycles(100, "execution")), finding("b", {}, cycles(1))}, {});
    ASSERT_EQ(pairs.size(), 2U);
    EXPECT_TRUE(pairs[0].base);
    EXPECT_FALSE(pairs[0].change());
    EXPECT_FALSE(pairs[1].change()) << "what it cost in the base is not known";
}

} // namespace
} // namespace tilescope::analyse
