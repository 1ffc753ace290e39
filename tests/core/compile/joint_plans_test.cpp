// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/cycles_of.h"
#include "tests/core/compile/pass_text.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::compile {
namespace {

/// Two dense layers of one row.
Executable layers(const std::string& train, const Options& options = options_for(64)) {
    return *compile(graph_of(R"(graph "g" {
  feed %x : float16 [1, 512]
  variable %v : float16 [512, 64] = 0.5
  variable %w : float16 [64, 32] = 0.5
  %h = matmul(%x, %v)
  %y = matmul(%h, %w)
  %loss = reduce_sum(%y)
  fetch "loss" = %loss loss
)" + train + "}"),
                    registry(), options);
}

std::size_t joint_plans_of(const Executable& e) {
    return static_cast<std::size_t>(std::count_if(e.plans.begin(), e.plans.end(), [](const auto& product) {
        return product.plans.at(0).transform.joint;
    }));
}

/// Exchanges that read a variable.
std::size_t exchanges_of(const Executable& e, const std::string& name) {
    const program::Variable* variable = &named(e.program, name);
    const auto id = static_cast<program::VariableId>(variable - e.program.variables.data());
    std::size_t count = 0;
    for (const program::StepId leaf : e.program.leaves()) {
        const program::Step& step = e.program.step(leaf);
        count += step.exchange >= 0 && std::find(step.uses.begin(), step.uses.end(), id) != step.uses.end();
    }
    return count;
}

} // namespace

TEST(JointPlans, GradientsAreMadeWhereTheWeightsLie) {
    const Executable e = layers("  train %loss \"sgd\"\n");
    EXPECT_EQ(joint_plans_of(e), 5U) << "nobody wants the gradient of x";
    for (const auto& [weights, gradient] :
         {std::pair{"v", "h/gradient/matmul_1"}, {"w", "y/gradient/matmul_1"}}) {
        EXPECT_EQ(named(e.program, weights).tile_bytes, named(e.program, gradient).tile_bytes) << weights;
        EXPECT_EQ(exchanges_of(e, weights), 0U) << weights;
        EXPECT_EQ(exchanges_of(e, gradient), 0U) << weights;
    }
}

TEST(JointPlans, AreOfLayersInTraining) {
    EXPECT_EQ(joint_plans_of(layers("")), 0U);
    Options apart = options_for(64);
    apart.planning.rules.push_back({.of = ipu::ProductKind::Matmul, .clear_pass_type = true});
    EXPECT_EQ(joint_plans_of(layers("  train %loss \"sgd\"\n", apart)), 0U);
}

} // namespace tilescope::compile
