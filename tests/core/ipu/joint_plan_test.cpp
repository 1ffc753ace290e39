// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellation.h"
#include "ipu/conv_planner.h"
#include "ipu/joint_plan.h"

#include <gtest/gtest.h>
#include <limits>

using namespace tilescope::ipu;

namespace {

const Target& layer_target() {
    static const Target target = *find_target("ipu2");
    return target;
}

/// y [m, n] = x [m, k] w [k, n] of a layer in training.
ConvProblem dense(std::int64_t m, std::int64_t k, std::int64_t n, ConvTypes types) {
    ConvProblem p;
    p.matrices = p.trained = true;
    p.in_width = p.out_width = m;
    p.in_channels = k;
    p.out_channels = n;
    p.types = types;
    return p;
}

std::vector<JointPlan> all_joint(const ConvProblem& forward) {
    return joint_plans(layer_target(), forward, std::numeric_limits<double>::max(), 100);
}

} // namespace

// dx [m, k] = dy [m, n] w^T, dw [k, n] = x^T dy [m, n].
TEST(JointPlan, AnyProductOfALayerTellsTheOthers) {
    const ConvProblem forward = dense(2, 3, 5, {2, 4});
    const LayerProducts layer = products_of_layer(forward);
    EXPECT_EQ(layer.forward, forward);
    EXPECT_EQ(layer.data.pass, ConvPass::DataGradient);
    EXPECT_EQ(std::tuple(layer.data.out_width, layer.data.in_channels, layer.data.out_channels),
              std::tuple(2, 5, 3));
    EXPECT_EQ(layer.weights.pass, ConvPass::WeightGradient);
    EXPECT_EQ(std::tuple(layer.weights.out_width, layer.weights.in_channels, layer.weights.out_channels),
              std::tuple(3, 2, 5));
    for (const ConvProblem& one : {layer.data, layer.weights}) {
        EXPECT_EQ(products_of_layer(one).forward, forward);
        EXPECT_EQ(products_of_layer(one).data, layer.data);
        EXPECT_EQ(products_of_layer(one).weights, layer.weights);
    }
}

// Rows and columns of the weights are cut alike by all three, and rows of x by none.
TEST(JointPlan, EachWeightLiesOnOneTile) {
    for (const ConvTypes& types : {ConvTypes{2, 4}, ConvTypes{2, 2}, ConvTypes{4, 4}})
        for (const std::int64_t rows : {1, 2, 48}) {
            const auto plans = all_joint(dense(rows, 500, 96, types));
            ASSERT_FALSE(plans.empty());
            for (const JointPlan& plan : plans) {
                const ConvSplits& s = plan.forward.splits;
                EXPECT_EQ(s.out_channels, 1);
                EXPECT_EQ(s.width_group, plan.forward.grouping.in_channels);
                EXPECT_EQ(plan.data.splits.width, s.in_channels);
                EXPECT_EQ(plan.data.splits.in_channels, s.width);
                EXPECT_EQ(plan.data.grouping.in_channels, s.width_group);
                EXPECT_EQ(plan.weights.splits.width, s.width);
                EXPECT_EQ(plan.weights.splits.out_channels, s.in_channels);
                EXPECT_EQ(plan.weights.splits.in_channels, 1);
            }
        }
}

// 16 units of floats take 8 input channels, which would not fill them as the gradient's output channels.
TEST(JointPlan, InputChannelsAreWholeSetsOfUnitsOrOne) {
    for (const JointPlan& plan : all_joint(dense(16, 512, 64, {4, 4}))) {
        const ConvGrouping& g = plan.forward.grouping;
        if (g.vertex == ConvVertex::Amp1x1) {
            EXPECT_EQ(g.units, 8);
        } else
            EXPECT_TRUE(g.in_channels == 1 || g.in_channels % 16 == 0) << g.in_channels;
    }
}

TEST(JointPlan, TheWeightsOfOneRowHaveAnOuterProduct) {
    for (const JointPlan& plan : all_joint(dense(1, 512, 64, {2, 4}))) {
        const ConvGrouping& forward = plan.forward.grouping;
        const ConvGrouping& weights = plan.weights.grouping;
        if (forward.vertex == ConvVertex::HorizontalMac)
            EXPECT_EQ(weights, (ConvGrouping{ConvVertex::OuterProduct, 0, 1, 1, forward.in_channels}));
        else // its rows are padded to groups that the AMP reads
            EXPECT_EQ(std::pair(weights.in_channels, weights.out_channels),
                      std::pair(forward.out_channels, forward.in_channels));
    }
}

// Eight rows fill groups of 4, 8 and 16 half channels alike or less: PopLibs takes the first, the smallest.
TEST(JointPlan, TheGradientOfAHorizontalProductReadsTheSmallestGroupsOfRowsThatPadLeast) {
    std::size_t seen = 0;
    for (const JointPlan& plan : all_joint(dense(8, 512, 64, {2, 4})))
        if (plan.forward.grouping.vertex == ConvVertex::HorizontalMac &&
            plan.forward.grouping.in_channels > 1) {
            EXPECT_EQ(plan.weights.grouping.in_channels, 4);
            ++seen;
        }
    EXPECT_GT(seen, 0U);
}

TEST(JointPlan, ACancelEndsTheSearch) {
    tilescope::CancelToken cancel;
    cancel.cancel();
    EXPECT_TRUE(joint_plans(layer_target(), dense(16, 512, 64, {2, 4}), std::numeric_limits<double>::max(), 4,
                            &cancel)
                    .empty());
}

TEST(JointPlan, TheBoundKeepsPlansOut) {
    const ConvProblem p = dense(64, 4096, 512, {2, 4});
    constexpr double bound = 30000;
    const auto plans = joint_plans(layer_target(), p, bound, 4);
    EXPECT_LE(plans.size(), 4U);
    for (const JointPlan& plan : plans)
        for (const ConvPlan* of : {&plan.forward, &plan.data, &plan.weights})
            EXPECT_LE(static_cast<double>(of->cost.temporary_bytes), bound);
    EXPECT_TRUE(joint_plans(layer_target(), p, 100, 4).empty());
}

TEST(ConvPlanner, ATrainedLayerHasOnePlanWhereThatIsFaster) {
    std::size_t joint = 0;
    std::size_t apart = 0;
    for (const std::int64_t rows : {1, 32, 512}) {
        ConvPlanner planner(layer_target());
        const ConvProblem p = dense(rows, 1024, 1024, {4, 4});
        const LayerProducts layer = products_of_layer(p);
        const bool one = planner.plan(layer.forward).front().transform.joint;
        (one ? joint : apart) += 1;
        EXPECT_EQ(planner.plan(layer.data).front().transform.joint, one);
        EXPECT_EQ(planner.plan(layer.weights).front().transform.joint, one);
        const auto plans = joint_plans(layer_target(), p, 0.6 * 638976, 4);
        ASSERT_FALSE(plans.empty());
        const std::int64_t taken = planner.plan(layer.forward).front().cost.cycles() +
                                   planner.plan(layer.data).front().cost.cycles() +
                                   planner.plan(layer.weights).front().cost.cycles();
        if (one)
            EXPECT_EQ(taken, plans.front().cycles());
        else
            EXPECT_LT(taken, plans.front().cycles());
        ConvProblem single = p;
        single.trained = false;
        EXPECT_FALSE(planner.plan(single).front().transform.joint);
    }
    EXPECT_GT(joint, 0U);
    EXPECT_GT(apart, 0U);
}

// 4 + 4 bytes of each weight of a part: 64 x 32 of them in floats, over the exchange at 4 a cycle, then
// element by element (PopLibs lib/poplin/ConvModel.cpp, addRearrangeBeforeSliceEstimate).
TEST(ConvPlanner, WeightsOfALayerInTrainingAreLaidOutBeforeTheyAreSliced) {
    const Target target = *find_target("ipu2");
    ConvProblem of;
    of.matrices = true;
    of.in_width = of.out_width = 64;
    of.in_channels = 64;
    of.out_channels = 64;
    const ConvTransform transform{.flatten = true, .swap = true};
    const ConvGrouping grouping{ConvVertex::Amp1x1, 16, 1, 8, 16};
    ConvSplits splits;
    splits.serial_out = 2;
    const ConvCost other = conv_cost(target, of, transform, grouping, splits);
    of.trained = true;
    const ConvCost layer = conv_cost(target, of, transform, grouping, splits);
    EXPECT_EQ(layer.rearrange - other.rearrange, 64 * 32 + 64 * 32);
    EXPECT_EQ(layer.temporary_bytes - other.temporary_bytes, 64 * 32 * 4);
    splits.serial_out = 1;
    of.trained = false;
    const ConvCost whole = conv_cost(target, of, transform, grouping, splits);
    of.trained = true;
    EXPECT_EQ(conv_cost(target, of, transform, grouping, splits).rearrange, whole.rearrange);
}

TEST(ConvPlanner, PlansALayerAheadByAnyOfItsProducts) {
    tilescope::WorkerPool pool(2);
    const LayerProducts layer = products_of_layer(dense(1, 256, 64, {2, 4}));
    ConvPlanner ahead(layer_target());
    ahead.plan_ahead({layer.weights, layer.data}, pool);
    ConvPlanner later(layer_target());
    for (const ConvProblem& product : {layer.forward, layer.data, layer.weights})
        EXPECT_EQ(describe(ahead.plan(product).front()), describe(later.plan(product).front()));
}
