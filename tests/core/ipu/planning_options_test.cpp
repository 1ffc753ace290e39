// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/planning_options.h"

#include <gtest/gtest.h>

namespace tilescope::ipu {
namespace {

double proportion(const PlanningOptions& options, const ProductPlace& product) {
    return options.planning_of(product).available_memory_proportion;
}

const ProductPlace matmul{ProductKind::Matmul, 2, Phase::Forward, "layer_7_query"};

} // namespace

TEST(PlanningOptions, ARuleHoldsWhereAllItsConditionsDo) {
    const PlanningRule rule{ProductKind::Matmul, {{}, {1, 2}, "layer_*_query"}, {Phase::Forward}, 0.1, {}};
    EXPECT_TRUE(rule.holds_for(matmul));
    EXPECT_TRUE(rule.holds_for({ProductKind::Matmul, 1, Phase::Recompute, "layer_7_query"}))
        << "what is computed again is of the forward pass";
    EXPECT_FALSE(rule.holds_for({ProductKind::Convolution, 2, Phase::Forward, "layer_7_query"}));
    EXPECT_FALSE(rule.holds_for({ProductKind::Matmul, 0, Phase::Forward, "layer_7_query"}));
    EXPECT_FALSE(rule.holds_for({ProductKind::Matmul, 2, Phase::Backward, "layer_7_query"}));
    EXPECT_FALSE(rule.holds_for({ProductKind::Matmul, 2, Phase::Forward, "layer_7_key"}));
    EXPECT_TRUE(PlanningRule{}.holds_for(matmul)) << "without conditions it holds for any";
}

TEST(PlanningOptions, LaterRulesPrevailInWhatTheySet) {
    PlanningOptions options{{0.6, false}, {{.available_memory_proportion = 0.2, .half_partials = true}}};
    options.rules.push_back({.part = {.stages = {2}}, .available_memory_proportion = 0.3});
    EXPECT_EQ(proportion(options, matmul), 0.3);
    EXPECT_TRUE(options.planning_of(matmul).half_partials) << "which the later rule does not set";
    options.rules.push_back({.of = ProductKind::Convolution, .gather_output = true});
    EXPECT_FALSE(options.planning_of(matmul).gather_output);
    options.rules.push_back({.gather_output = true});
    EXPECT_TRUE(options.planning_of(matmul).gather_output);
    EXPECT_FALSE(options.planning_of(matmul).clear_pass_type);
    options.rules.push_back({.clear_pass_type = true});
    EXPECT_TRUE(options.planning_of(matmul).clear_pass_type);
    options.rules.push_back({.of = ProductKind::Matmul, .clear_pass_type = false});
    EXPECT_FALSE(options.planning_of(matmul).clear_pass_type);
    EXPECT_EQ(proportion(options, {ProductKind::Matmul, 0, Phase::Forward, ""}), 0.2);
    EXPECT_EQ(proportion({{0.4, false}, {}}, matmul), 0.4);
}

} // namespace tilescope::ipu
