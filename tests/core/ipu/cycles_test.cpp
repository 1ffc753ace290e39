// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/conv_planner.h"
#include "ipu/convolution_cycles.h"
#include "ipu/elementwise_cycles.h"
#include "ipu/reduction_cycles.h"

#include <gtest/gtest.h>

using namespace tilescope::ipu;

namespace {

const Target& mk2() {
    static const Target target = *find_target("ipu2");
    return target;
}

} // namespace

// The expected numbers are worked out by hand from the formulas that the headers cite.

TEST(ElementwiseCycles, AnAddOf600FloatsTakesFiftyLoopsOfThreePerWorker) {
    // 100 elements per worker, 50 pairs of 3 cycles: 11 + 6 (29 + 150).
    EXPECT_EQ(elementwise_cycles(mk2(), "add", 4, true, 600), 1085);
    // Half: 25 loops: 11 + 6 (26 + 75).
    EXPECT_EQ(elementwise_cycles(mk2(), "add", 2, true, 600), 617);
    // Unary: 20 + 6 (17 + 150).
    EXPECT_EQ(elementwise_cycles(mk2(), "relu", 4, false, 600), 1022);
    EXPECT_EQ(elementwise_cycles(mk2(), "add", 4, true, 0), 0);
}

TEST(ElementwiseCycles, OneElementMoreThanAMultipleCostsAWholeLoop) {
    EXPECT_EQ(elementwise_cycles(mk2(), "add", 4, true, 12), 11 + 6 * (29 + 3));
    EXPECT_EQ(elementwise_cycles(mk2(), "add", 4, true, 13), 11 + 6 * (29 + 6));
}

TEST(ElementwiseCycles, FusionSavesTheLoadsAndStoresBetweenOperations) {
    for (const std::int64_t n : {100, 1000, 10000})
        EXPECT_LT(fused_elementwise_cycles(mk2(), {"multiply", "add", "tanh"}, 4, n),
                  elementwise_cycles(mk2(), "multiply", 4, true, n) +
                      elementwise_cycles(mk2(), "add", 4, true, n) +
                      elementwise_cycles(mk2(), "tanh", 4, false, n));
}

TEST(ElementwiseCycles, CastsFillsAndDropout) {
    EXPECT_EQ(cast_cycles(mk2(), 4, 2, 240), 12 + 6 * (37 + 2 * 10)); // 40 a worker, four at a time
    EXPECT_EQ(fill_cycles(mk2(), 4, 100), 73);
    EXPECT_EQ(dropout_cycles(mk2(), 4, 1000), 6 + 144 + 2 * 500);
    EXPECT_EQ(scaled_add_cycles(mk2(), 4, 120), 50 + 6 * (15 + 6 + 27 + 3)); // ten vectors a worker
}

TEST(ConvolutionCycles, AMatrixProductInHalfWithEightRowsPerWorkerIsHalfEfficient) {
    // 48 rows over six workers, eight each; z = 1: 38 - 1 + 4 (8 - 3) - 7 = 50, so
    // T = max(6 * 50, 6 * 50 + 14) = 314. One input group, 16 output channels in one pass, L = 64:
    // 50 + 6 (7) + 12 + 1 + 11 + (19 - 1 + 7 + 64 + 314).
    ConvWork work;
    work.batch = 48;
    work.in_channels = 16;
    work.out_channels = 16;
    const std::int64_t cycles = conv_partial_cycles(mk2(), ConvVertex::Amp1x1, {2, 2}, work);
    EXPECT_EQ(cycles, 50 + 42 + 24 + 403);
    // Many groups and passes: the rule of thumb is 51 % of the peak.
    work.in_channels = 16 * 100;
    work.out_channels = 160;
    const double share = 48.0 * 160 * 16 * 100 / 64 /
                         static_cast<double>(conv_partial_cycles(mk2(), ConvVertex::Amp1x1, {2, 2}, work));
    EXPECT_NEAR(share, 0.51, 0.05);
}

TEST(ConvolutionCycles, LongRowsApproachThePeak) {
    for (const ConvTypes types : {ConvTypes{2, 2}, ConvTypes{2, 4}, ConvTypes{4, 4}}) {
        ConvWork work;
        work.batch = 6000;
        work.in_channels = 256; // the first of many groups also sets the sums to zero
        work.out_channels = 64;
        const double macs = 6000.0 * 256 * 64;
        const std::int64_t per_cycle = types.input_bytes == 4 ? 16 : types.partial_bytes == 2 ? 64 : 32;
        const double share = macs / static_cast<double>(per_cycle) /
                             static_cast<double>(conv_partial_cycles(mk2(), ConvVertex::Amp1x1, types, work));
        EXPECT_GT(share, 0.9);
        EXPECT_LE(share, 1);
    }
}

TEST(ConvolutionCycles, NoVertexBeatsThePeak) {
    for (const ConvVertex vertex : {ConvVertex::Amp1x1, ConvVertex::AmpNx1, ConvVertex::HorizontalMac})
        for (const std::int64_t positions : {1, 7, 40, 500})
            for (const std::int64_t in : {1, 8, 33})
                for (const std::int64_t out : {1, 16, 40})
                    for (const std::int64_t bytes : {2, 4}) {
                        ConvWork work;
                        work.row_length = positions;
                        work.in_channels = in;
                        work.out_channels = out;
                        if (vertex != ConvVertex::Amp1x1)
                            work.kernel_height = work.kernel_width = 3;
                        const std::int64_t macs =
                            positions * in * out * work.kernel_height * work.kernel_width;
                        EXPECT_GE(conv_partial_cycles(mk2(), vertex, {bytes, 4}, work) *
                                      mk2().peak_macs(bytes),
                                  macs);
                    }
}

TEST(ReductionCycles, SumsOfManyPartials) {
    // Four accumulators, one group of outputs for each worker: 33 + 6 (20 + (2 * 8 + 8)).
    EXPECT_EQ(conv_reduce_cycles(mk2(), {4, 4}, 24, 8), 33 + 6 * (20 + 24));
    EXPECT_EQ(conv_reduce_cycles(mk2(), {4, 4}, 24, 1), 0);
    // Contiguous rows of 64: two rows a worker, 32 vectors and 12 each.
    EXPECT_EQ(reduce_cycles(mk2(), 4, 12, 64, true), 6 * (2 * (32 + 12) + 17));
}

TEST(ReductionCycles, PoolingCostsMoreForMoreOfAnything) {
    const auto cycles = [](std::int64_t outputs, std::int64_t channels, std::int64_t window) {
        return pool_cycles(mk2(), PoolVertex::Max, 4, outputs, channels, window);
    };
    EXPECT_LT(cycles(10, 8, 4), cycles(100, 8, 4));
    EXPECT_LT(cycles(10, 8, 4), cycles(10, 64, 4));
    EXPECT_LT(cycles(10, 8, 4), cycles(10, 8, 9));
}

TEST(ConvPlanner, TheChosenPlanIsTheFastestItFoundAndFits) {
    ConvPlanner planner(mk2());
    ConvProblem p;
    p.batch = 900;
    p.in_channels = 600;
    p.out_channels = 300;
    const auto& plans = planner.plan(p);
    ASSERT_GE(plans.size(), 2U);
    for (std::size_t i = 1; i < plans.size(); ++i)
        EXPECT_LE(plans[0].cost.cycles(), plans[i].cost.cycles());
    for (const ConvPlan& plan : plans) {
        EXPECT_LE(plan.splits.tiles(), 1472);
        EXPECT_LE(static_cast<double>(plan.cost.temporary_bytes), 0.6 * 638976);
    }
}

TEST(ConvPlanner, MoreTilesNeverMakeALargeProductSlower) {
    ConvProblem p;
    p.batch = p.in_channels = p.out_channels = 1024;
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t tiles : {46, 92, 184, 368, 736, 1472}) {
        TargetOverrides overrides;
        overrides.tiles_per_ipu = tiles;
        ConvPlanner planner(*find_target("ipu2", overrides));
        const std::int64_t cycles = planner.plan(p).front().cost.cycles();
        EXPECT_LE(cycles, before) << tiles << " tiles";
        before = cycles;
    }
}

TEST(ConvPlanner, LessAvailableMemoryGivesPlansThatNeedLess) {
    ConvProblem p;
    p.batch = p.in_channels = p.out_channels = 512;
    ConvPlanner wide(mk2(), 0.6);
    ConvPlanner narrow(mk2(), 0.05);
    EXPECT_LE(static_cast<double>(narrow.plan(p).front().cost.temporary_bytes), 0.05 * 638976);
    EXPECT_GE(narrow.plan(p).front().cost.cycles(), wide.plan(p).front().cost.cycles());
}
