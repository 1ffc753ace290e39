// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/conv_candidates.h"
#include "ipu/conv_planner.h"
#include "ipu/convolution_cycles.h"
#include "ipu/elementwise_cycles.h"
#include "ipu/embedding_cycles.h"
#include "ipu/norm_cycles.h"
#include "ipu/reduction_cycles.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <vector>

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

// 50 pairs of floats a worker, or 25 quadruples of halves.
TEST(ElementwiseCycles, AnAngleAndARemainderTakeHundredsOfCycles) {
    EXPECT_EQ(elementwise_cycles(mk2(), "atan2", 4, true, 600), 11 + 6 * (29 + 50 * 272));
    EXPECT_EQ(elementwise_cycles(mk2(), "atan2", 2, true, 600), 11 + 6 * (26 + 25 * 578));
    EXPECT_EQ(elementwise_cycles(mk2(), "fmod", 4, true, 600), 11 + 6 * (29 + 50 * 133));
    EXPECT_EQ(elementwise_cycles(mk2(), "fmod", 2, true, 600), 11 + 6 * (26 + 25 * 300));
}

// One int a loop; the inversion a pair of words, as other unary operations.
TEST(ElementwiseCycles, BitsOfInts) {
    for (const char* kind : {"bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"})
        EXPECT_EQ(elementwise_cycles(mk2(), kind, 4, true, 600), 11 + 6 * (29 + 100 * 7)) << kind;
    EXPECT_EQ(elementwise_cycles(mk2(), "bitwise_not", 4, false, 600), 20 + 6 * (17 + 50 * 2));
}

TEST(ElementwiseCycles, OneElementMoreThanAMultipleCostsAWholeLoop) {
    EXPECT_EQ(elementwise_cycles(mk2(), "add", 4, true, 12), 11 + 6 * (29 + 3));
    EXPECT_EQ(elementwise_cycles(mk2(), "add", 4, true, 13), 11 + 6 * (29 + 6));
}

// The vertices of popnn for 600 elements, 100 a worker in k vectors of 2 floats or 4 halves:
// 9 + 6 (29 + 2 c1 + c2 (k - 1)), which the common form of all vertices gives to within a worker's cycle.
TEST(ElementwiseCycles, GeluByTheTanhAndSwishAreThoseOfPopnn) {
    const auto popnn = [](int c1, int c2, int vectors) { return 9 + 6 * (29 + 2 * c1 + c2 * (vectors - 1)); };
    EXPECT_NEAR(elementwise_cycles(mk2(), "gelu_tanh", 4, false, 600), popnn(10, 10, 50), 6);
    EXPECT_NEAR(elementwise_cycles(mk2(), "gelu_tanh", 2, false, 600), popnn(5, 5, 25), 6);
    EXPECT_NEAR(elementwise_cycles(mk2(), "swish", 4, false, 600), popnn(6, 11, 50), 6);
    EXPECT_NEAR(elementwise_cycles(mk2(), "swish", 2, false, 600), popnn(3, 5, 25), 6);
    // Gradients: 9 + 6 (29 + c (k - 1)), to within one vector.
    EXPECT_NEAR(elementwise_cycles(mk2(), "swish_gradient", 4, true, 600), 9 + 6 * (29 + 15 * 49), 6 * 16);
    EXPECT_NEAR(elementwise_cycles(mk2(), "gelu_tanh_gradient", 2, true, 600), 9 + 6 * (29 + 5 * 24), 6 * 6);
}

// min(max(x, 0), 6) of 600 floats: 50 pairs a worker, each one set of loads and stores (2) and a cycle for
// either comparison: 11 + 6 (29 + 50 4).
TEST(ElementwiseCycles, WhatHasNoFigureOfItsOwnCostsItsParts) {
    EXPECT_EQ(elementwise_cycles(mk2(), "relu6", 4, false, 600), 11 + 6 * (29 + 50 * 4));
    // Half, four at a time; there the comparison takes two cycles: 25 (2 + 1 + 2).
    EXPECT_EQ(elementwise_cycles(mk2(), "relu6", 2, false, 600), 11 + 6 * (29 + 25 * 5));
    // The sign takes one element at a time, so all loads do: 100 (2 + 3) and 50 of the product.
    EXPECT_EQ(elementwise_cycles(mk2(), "abs_gradient", 4, true, 600), 11 + 6 * (29 + 100 * 5 + 50));
    // An exp takes 16 cycles more to begin.
    EXPECT_EQ(elementwise_cycles(mk2(), "selu", 4, false, 600),
              11 + 6 * (29 + 16 + 50 * (2 + 1 + 4 + 1 + 1 + 1 + 1 + 1)));
}

TEST(ElementwiseCycles, WhatHasNeitherIsRefused) {
    EXPECT_FALSE(has_elementwise_price("swosh"));
    EXPECT_DEATH(elementwise_cycles(mk2(), "swosh", 4, false, 600), "swosh has no price");
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
    EXPECT_EQ(byte_to_half_cycles(mk2(), 240), 12 + 6 * (18 + 4 + 14 + 9 * 9 + 2)); // ten fours a worker
    EXPECT_EQ(byte_to_half_cycles(mk2(), 11), 12 + 6 * (18 + 4 + 14));              // no four, two left
    EXPECT_EQ(fill_cycles(mk2(), 4, 100), 73);
    EXPECT_EQ(dropout_cycles(mk2(), 4, 1000), 6 + 144 + 2 * 500);
    EXPECT_EQ(scaled_add_cycles(mk2(), 4, 120), 50 + 6 * (15 + 6 + 27 + 3)); // ten vectors a worker
}

// 1,308 cycles were measured on a C600 for a panel of 8 KiB (osmarks/ipu-stack), 288 of them for the call.
TEST(ElementwiseCycles, ACopyIsACallAndItsBytesByPieces) {
    EXPECT_NEAR(static_cast<double>(copy_cycles(mk2(), 8192, 8192)), 1308, 0.01 * 1308);
    EXPECT_EQ(copy_cycles(mk2(), 96, 8), 288 + 12);
    EXPECT_EQ(copy_cycles(mk2(), 96, 4), 288 + 24);
    EXPECT_EQ(copy_cycles(mk2(), 96, 2), 288 + 48);
    EXPECT_EQ(copy_cycles(mk2(), 0, 8), 0);
}

// 1,200 bytes: 5/4 of them where 4 halves or 2 floats go together, else 5/3, an element each cycle.
TEST(ElementwiseCycles, AnOperandThatIsTurnedIsCopiedElementByElement) {
    EXPECT_EQ(transform_cycles(mk2(), 1200, 2, 16), 288 + 750);
    EXPECT_EQ(transform_cycles(mk2(), 1200, 2, 18), 288 + 1000);
    EXPECT_EQ(transform_cycles(mk2(), 1200, 4, 18), 288 + 375);
    EXPECT_EQ(transform_cycles(mk2(), 1200, 4, 9), 288 + 500);
}

TEST(NormCycles, AVectorAlongTheElementsCostsEightCyclesAndTwoForEachCopy) {
    // 240 floats, runs of 8: 30 copies, five a worker: 13 + 6 (17 + 7 + 8 (8 + 2 5)).
    EXPECT_EQ(broadcast_vector_cycles(mk2(), 4, 8, 240), 13 + 6 * (17 + 7 + 8 * 18));
    // Half, a multiple of 8: 13 + 6 (19 + 10 + 1 (15 + 2 4)); of 4: 13 + 6 (19 + 1 (13 + 10)).
    EXPECT_EQ(broadcast_vector_cycles(mk2(), 2, 8, 240), 13 + 6 * (19 + 10 + 23));
    EXPECT_EQ(broadcast_vector_cycles(mk2(), 2, 4, 240), 13 + 6 * (19 + 23));
    EXPECT_EQ(broadcast_vector_cycles(mk2(), 2, 3, 18), 13 + 6 * (19 + 3 * 14));
    // One number for a run: 40 a worker, two at a time.
    EXPECT_EQ(broadcast_vector_cycles(mk2(), 4, 1, 240), 11 + 6 * (15 + 7 + 40));
    EXPECT_EQ(broadcast_vector_cycles(mk2(), 4, 8, 0), 0);
    EXPECT_EQ(inverse_deviation_cycles(7), 4 + 5 * 4);
}

TEST(EmbeddingCycles, EveryOffsetCopiesOrAddsItsRow) {
    // 60 rows of 8 elements, ten a worker: 6 (30 + 10 (19 + 2 4)).
    EXPECT_EQ(multi_slice_cycles(mk2(), 60, 8), 6 * (30 + 10 * 27));
    // Rows of four atoms of 8 bytes, ten offsets of a worker and fifty of others: 6 (40 + 10 (11 + 3 3) + 50
    // 5).
    EXPECT_EQ(multi_update_add_cycles(mk2(), 4, 60, 8), 6 * (40 + 10 * 20 + 250));
    EXPECT_EQ(multi_update_add_cycles(mk2(), 2, 60, 4), 6 * (40 + 10 * 13 + 250));
    EXPECT_EQ(multi_slice_cycles(mk2(), 0, 8), 0);
}

TEST(ElementwiseCycles, NoiseIsMadeAndAdded) {
    EXPECT_EQ(normal_noise_cycles(mk2(), 4, 120), 4 + 22 * 6 + 4 * 60 + scaled_add_cycles(mk2(), 4, 120));
    EXPECT_EQ(normal_noise_cycles(mk2(), 2, 120), 4 + 24 * 6 + 4 * 30 + scaled_add_cycles(mk2(), 2, 120));
    // 4.55 % lie beyond two deviations: of 100,000 fewer than ten do in three draws.
    EXPECT_EQ(normal_noise_cycles(mk2(), 4, 120, 2),
              4 + 26 * 6 + (11 * 3 + 5) * 60 + scaled_add_cycles(mk2(), 4, 120));
    EXPECT_EQ(normal_noise_cycles(mk2(), 2, 120, 2),
              4 + 28 * 6 + (12 * 3 + 5) * 30 + scaled_add_cycles(mk2(), 2, 120));
}

TEST(ConvolutionCycles, AMatrixProductInHalfWithEightRowsPerWorkerIsHalfEfficient) {
    // 48 rows over six workers, eight each; z = 1: 38 - 1 + 4 (8 - 3) - 7 = 50, so
    // T = max(6 * 50, 6 * 50 + 14) = 314. One input group, 16 output channels in one pass, L = 64:
    // 50 + 6 (7) + 12 + 1 + 11 + (19 - 1 + 7 + 64 + 314).
    const ConvGrouping amp{ConvVertex::Amp1x1, 16, 1, 16, 16};
    ConvWork work;
    work.row_length = 48;
    EXPECT_EQ(conv_partial_cycles(mk2(), amp, {2, 2}, work), 50 + 42 + 24 + 403);
    // Many groups and passes: the rule of thumb is 51 % of the peak.
    work.in_groups = 100;
    const ConvGrouping passes{ConvVertex::Amp1x1, 16, 1, 16, 160};
    const double share =
        48.0 * 160 * 16 * 100 / 64 / static_cast<double>(conv_partial_cycles(mk2(), passes, {2, 2}, work));
    EXPECT_NEAR(share, 0.51, 0.05);
}

TEST(ConvolutionCycles, LongRowsApproachThePeak) {
    for (const ConvTypes types : {ConvTypes{2, 2}, ConvTypes{2, 4}, ConvTypes{4, 4}}) {
        const std::int64_t units = conv_units(mk2(), types);
        const ConvGrouping amp{ConvVertex::Amp1x1, units, 1, weights_per_unit(types), units};
        ConvWork work;
        work.row_length = 6000;
        work.in_groups = 32; // the first of many groups also sets the sums to zero
        work.out_groups = 4;
        const double macs = 6000.0 * 32 * static_cast<double>(weights_per_unit(types) * 4 * units);
        const double share = macs / static_cast<double>(peak_macs(mk2(), amp, types)) /
                             static_cast<double>(conv_partial_cycles(mk2(), amp, types, work));
        EXPECT_GT(share, 0.9);
        EXPECT_LE(share, 1);
    }
}

TEST(ConvolutionCycles, ThePeakOfTheAmpIsThatOfTheTarget) {
    EXPECT_EQ(peak_macs(mk2(), {ConvVertex::Amp1x1, 16, 1, 16, 16}, {2, 2}), 64);
    EXPECT_EQ(peak_macs(mk2(), {ConvVertex::Amp1x1, 8, 1, 16, 8}, {2, 4}), 32);
    EXPECT_EQ(peak_macs(mk2(), {ConvVertex::Amp1x1, 16, 1, 8, 16}, {4, 4}), 16);
    EXPECT_EQ(peak_macs(mk2(), {ConvVertex::HorizontalMac, 0, 1, 8, 1}, {4, 4}), 2);
}

// Of 4 rows of 12 results each position of a kernel reaches 2 rows of 6, two results for each worker:
// 17 + 1 + 3 + 34 - 9. Three rows of the kernel of 14 + 3 (12 + 64 + 15 + 3), nine times 6 * 46 + 9 of
// workers, 14 + 14 + 16 around them; 109 + 54 + 60 + 17 + 1 + 1 before them; and all 768 sums, 128 a worker,
// zeroed two at once: 6 (64 + 5).
TEST(ConvolutionCycles, OverADilatedInputAKernelsPositionReachesSomeResults) {
    const ConvGrouping grouping{ConvVertex::AmpNx1, 16, 1, 16, 16};
    ConvWork work;
    work.rows = 4;
    work.row_length = 12;
    work.kernel_height = work.kernel_width = 3;
    work.row_step = work.step = 2;
    EXPECT_EQ(conv_partial_cycles(mk2(), grouping, {2, 2}, work),
              3 * (14 + 3 * 94) + 9 * (6 * 46 + 9) + 44 + 242 + 6 * 69);
    // Its lists: three pointers, and for each of nine positions of the kernel six lists of one piece.
    EXPECT_EQ(conv_list_bytes(mk2(), grouping, {2, 2}, work), 3 * 4 + 9 * (6 * 4 + 6 * 6));
    // A vertex that takes four rows of the kernel at once reads rows of zeros, too: 4 rows of 6, four results
    // a worker of one row or of two.
    ConvWork written = work;
    written.row_step = 1;
    const ConvGrouping high{ConvVertex::AmpNx1, 16, 1, 4, 16};
    EXPECT_EQ(conv_partial_cycles(mk2(), high, {2, 2}, work),
              conv_partial_cycles(mk2(), high, {2, 2}, written));
}

// 28 rows, zeros between them, padded by 1: result 4 reads 5 - k, which is a row for k = 1 only, and result 5
// reads 6 and 4, rows 3 and 2.
TEST(ConvAxis, AGradientsRowsReadTheEvenRowsOfTheKernelOrTheOddOnes) {
    const ConvAxis axis{28, 1, 1, 2, 1, true, 3};
    const auto expect = [&](const Range& result, const Range& kernel, const Range& used, const Range& rows) {
        const Range got = axis.kernel_rows(result, kernel);
        const Range read = axis.input_rows(result, kernel);
        EXPECT_EQ(std::pair(got.begin, got.end), std::pair(used.begin, used.end));
        EXPECT_EQ(std::pair(read.begin, read.end), std::pair(rows.begin, rows.end));
    };
    expect({4, 5}, {0, 3}, {1, 2}, {2, 3});
    expect({5, 6}, {0, 3}, {0, 3}, {2, 4});
    expect({0, 2}, {0, 3}, {0, 3}, {0, 2});
    expect({0, 1}, {2, 3}, {3, 3}, {0, 0});
    expect({-1, 0}, {2, 3}, {2, 3}, {-1, 0}); // above the first
    EXPECT_EQ(axis.most_kernel_rows(1, 3), 3);
    EXPECT_EQ(axis.most_kernel_rows(1, 2), 1) << "of an even and an odd one";
    EXPECT_EQ(axis.most_kernel_rows(2, 2), 2);
    EXPECT_EQ(axis.most_input_rows(2, 3), 2);
    EXPECT_EQ(axis.most_input_rows(56, 3), 28);
}

// A transposed convolution with a kernel of 2 and a stride of 2, as U-Net has: results 2i and 2i + 1 read row
// i each. Eight from an even one on read four rows; three read two from wherever they begin. Padded by 1,
// results 2i - 1 and 2i read row i, and eight from an even one on read five.
TEST(ConvAxis, PartsThatBeginAlikeReadTheSameNumberOfRows) {
    const ConvAxis axis{16, 1, 1, 2, 0, true, 2};
    for (const std::int64_t first : {0, 8, 24})
        EXPECT_EQ(axis.input_rows({first, first + 8}, {0, 2}).length(), 4);
    EXPECT_EQ(axis.most_input_rows(8, 2), 4);
    EXPECT_EQ(axis.most_input_rows(32, 2), 16);
    EXPECT_EQ(axis.most_input_rows(3, 2), 2);
    EXPECT_EQ(axis.most_input_rows(8, 1), 4) << "of a part of the kernel";
    const ConvAxis padded{16, 1, 1, 2, 1, true, 2};
    EXPECT_EQ(padded.input_rows({8, 16}, {0, 2}).length(), 5);
    EXPECT_EQ(padded.most_input_rows(8, 2), 5);
}

TEST(ConvolutionCycles, NoVertexBeatsItsPeak) {
    ConvProblem p;
    p.kernel_height = p.kernel_width = 3;
    p.groups = 16;
    p.in_height = p.out_height = p.in_width = p.out_width = 20;
    for (const ConvTypes types : {ConvTypes{2, 2}, ConvTypes{2, 4}, ConvTypes{4, 4}})
        for (const std::int64_t channels : {1, 4, 40}) {
            p.types = types;
            p.in_channels = p.out_channels = channels;
            for (const ConvGrouping& grouping : conv_groupings(mk2(), p)) {
                const ConvWork work = largest_work(p, grouping, {});
                const std::int64_t macs = work.conv_groups * grouping.conv_groups * work.positions() *
                                          work.kernel_height * work.kernel_width * work.in_groups *
                                          grouping.in_channels * work.out_groups * grouping.out_channels;
                EXPECT_GE(conv_partial_cycles(mk2(), grouping, types, work) *
                              peak_macs(mk2(), grouping, types),
                          macs)
                    << to_string(grouping.vertex);
            }
        }
}

// Positions 0 3 6 10 13 16 20 of four rows of five: two of the six workers have pieces of two rows.
TEST(ConvolutionLists, AVertexPointsToItsGroupsAndListsThePiecesOfItsWorkers) {
    ConvWork work;
    work.rows = 4;
    work.row_length = 5;
    work.kernel_width = 3;
    work.in_groups = 2;
    EXPECT_EQ(conv_list_bytes(mk2(), {ConvVertex::AmpNx1, 16, 1, 16, 16}, {2, 2}, work),
              (2 + 2 + 1) * 4 + 3 * (6 * 4 + 8 * 6));
    // Few channels leave room for rows of the kernel, which go together.
    work.kernel_height = 4;
    EXPECT_EQ(conv_list_bytes(mk2(), {ConvVertex::AmpNx1, 16, 1, 4, 16}, {2, 2}, work),
              (2 + 2 + 1) * 4 + 3 * (6 * 4 + 8 * 6));
    work.kernel_width = work.kernel_height = 1;
    work.out_groups = 3;
    EXPECT_EQ(conv_list_bytes(mk2(), {ConvVertex::Amp1x1, 16, 1, 16, 16}, {2, 2}, work),
              (2 + 6 + 3) * 4 + 6 * 6)
        << "one list of a piece for each worker";
    EXPECT_EQ(conv_list_bytes(mk2(), {ConvVertex::HorizontalMac, 0, 1, 16, 1}, {2, 4}, work),
              (2 + 6 + 3) * 4 + 6 * 6);
    EXPECT_EQ(conv_list_bytes(mk2(), {ConvVertex::HorizontalMac, 0, 1, 16, 1}, {4, 4}, work),
              (2 + 6 + 3) * 4 + 6 * 4 + 8 * 6);
    work.in_groups = work.out_groups = 1;
    work.kernel_width = 6;
    EXPECT_EQ(conv_list_bytes(mk2(), {ConvVertex::Slic, 16, 4, 1, 1}, {2, 4}, work),
              (1 + 2 + 1) * 4 + 2 * (6 * 4 + 8 * 6))
        << "two windows of four";
    EXPECT_EQ(conv_list_bytes(mk2(), {ConvVertex::VerticalMac, 0, 4, 1, 1}, {2, 4}, work),
              3 * 4 + 6 * 4 + 20 * 8);
    work.out_groups = 40;
    EXPECT_EQ(conv_list_bytes(mk2(), {ConvVertex::OuterProduct, 0, 1, 1, 16}, {2, 2}, work), 40 * 4);
}

TEST(ConvCandidates, EachKindOfVertexIsTriedWhereItApplies) {
    const auto kinds = [](const ConvProblem& p) {
        std::set<ConvVertex> result;
        for (const ConvTransform& transform : conv_transforms(p))
            for (const ConvGrouping& grouping : conv_groupings(mk2(), transformed(p, transform)))
                result.insert(grouping.vertex);
        return result;
    };
    ConvProblem depthwise;
    depthwise.groups = 32;
    depthwise.in_height = depthwise.in_width = 22;
    depthwise.out_height = depthwise.out_width = 20;
    depthwise.kernel_height = depthwise.kernel_width = 3;
    depthwise.types = {2, 4};
    EXPECT_TRUE(kinds(depthwise).contains(ConvVertex::Slic));
    EXPECT_TRUE(kinds(depthwise).contains(ConvVertex::VerticalMac));
    EXPECT_TRUE(kinds(depthwise).contains(ConvVertex::AmpNx1));
    ConvProblem product;
    product.in_width = product.out_width = 64;
    product.in_channels = product.out_channels = 64;
    EXPECT_TRUE(kinds(product).contains(ConvVertex::Amp1x1));
    EXPECT_FALSE(kinds(product).contains(ConvVertex::Slic));
    product.in_channels = 1;
    EXPECT_TRUE(kinds(product).contains(ConvVertex::OuterProduct));
}

// Of 36 half channels: pairs, and each even number that makes fewer groups than the one before.
TEST(ConvCandidates, HorizontalVerticesHaveEachNumberOfGroups) {
    ConvProblem p;
    p.in_channels = 36;
    p.types = {2, 4};
    const auto channels = [&] {
        std::vector<std::int64_t> result;
        for (const ConvGrouping& grouping : conv_groupings(mk2(), p))
            if (grouping.vertex == ConvVertex::HorizontalMac)
                result.push_back(grouping.in_channels);
        return result;
    };
    EXPECT_EQ(channels(), (std::vector<std::int64_t>{2, 4, 6, 8, 10, 12, 18, 36}));
    p.types = {4, 4};
    p.in_channels = 5;
    EXPECT_EQ(channels(), (std::vector<std::int64_t>{1, 2, 3, 5}));
}

// 64 positions of 16 floats are 4,096 bytes: copied 8 at a time, 5 / 4 of them, where the next product reads
// groups of 8 channels; an element at a time, and over the exchange, where positions and channels change
// places, as inputs do: 64 positions of 8 floats and 8 x 16 weights.
TEST(ConvCost, ResultsInAnotherOrderAreCopied) {
    ConvProblem p;
    p.in_width = p.out_width = 64;
    p.in_channels = 8;
    p.out_channels = 16;
    const ConvTransform flat{.flatten = true};
    EXPECT_EQ(conv_cost(mk2(), p, flat, {ConvVertex::Amp1x1, 8, 1, 8, 8}, {}).rearrange, 0);
    EXPECT_EQ(conv_cost(mk2(), p, flat, {ConvVertex::Amp1x1, 16, 1, 8, 16}, {}).rearrange, 5 * 4096 / 4 / 8);
    const auto turned = [](std::int64_t bytes) { return 288 + 5 * bytes / 4 / 4 + bytes / 4; };
    EXPECT_EQ(
        conv_cost(mk2(), p, {.flatten = true, .swap = true}, {ConvVertex::Amp1x1, 8, 1, 8, 8}, {}).rearrange,
        turned(8 * 64 * 4) + turned(8 * 16 * 4) + 5 * 4096 / 4 / 4 + 4096 / 4);
}

// The gradient of 64 x 32 weights, on 4 tiles: 2,048 bytes of floats each.
TEST(ConvCost, AGradientThatIsPlannedByItselfIsBroughtToItsWeights) {
    ConvProblem p;
    p.pass = ConvPass::WeightGradient;
    p.matrices = true;
    p.in_width = p.out_width = 64;
    p.in_channels = 4;
    p.out_channels = 32;
    ConvSplits splits;
    splits.width = 4;
    const auto rearranged = [&](bool trained, bool joint) {
        p.trained = trained;
        return conv_cost(mk2(), p, {.flatten = true, .swap = true, .joint = joint},
                         {ConvVertex::HorizontalMac, 0, 1, 4, 1}, splits)
            .rearrange;
    };
    EXPECT_EQ(rearranged(true, false) - rearranged(false, false), 5 * 2048 / 4 / 4 + 2048 / 4);
    EXPECT_EQ(rearranged(true, true), rearranged(false, false));
}

// Six positions a worker, 40 channels each: 6 (25 + 10 + 6 (6 + 28 / 4)) for the one row of groups.
TEST(ConvolutionCycles, AnOuterProductOfFortyChannels) {
    ConvWork work;
    work.row_length = 32;
    EXPECT_EQ(conv_partial_cycles(mk2(), {ConvVertex::OuterProduct, 0, 1, 1, 40},
                                  vertex_types({ConvVertex::OuterProduct}, {2, 4}), work),
              6 * (25 + 10 + 6 * (6 + 28 / 4)));
}

TEST(ConvTransform, ExpansionMakesTheKernelChannelsAndKeepsTheWork) {
    ConvProblem p;
    p.batch = 4;
    p.in_height = p.in_width = 28;
    p.out_height = p.out_width = 26;
    p.kernel_height = p.kernel_width = 3;
    p.out_channels = 32;
    for (const ConvTransform& t : conv_transforms(p)) {
        const ConvProblem turned = transformed(p, t);
        EXPECT_EQ(turned.macs(), p.macs());
        if (t.expand_height && t.expand_width) {
            EXPECT_EQ(turned.in_channels, 9);
            EXPECT_TRUE(t.flatten);
            EXPECT_EQ(t.swap ? turned.out_channels : turned.out_width, 4 * 26 * 26);
        }
    }
}

TEST(ReductionCycles, SumsOfManyPartials) {
    // Four accumulators, one group of outputs for each worker, seven partials from elsewhere:
    // 33 + 6 (20 + (2 * 7 + 8)).
    EXPECT_EQ(conv_reduce_cycles(mk2(), {4, 4}, 24, 8), 33 + 6 * (20 + 22));
    EXPECT_EQ(conv_reduce_cycles(mk2(), {4, 4}, 24, 1), 0);
    // Contiguous rows of 64: two rows a worker, 32 vectors and 12 each.
    EXPECT_EQ(reduce_cycles(mk2(), 4, 12, 64, true), 6 * (2 * (32 + 12) + 17));
}

TEST(ReductionShare, DealsWholeGrainsAndEachSumOnce) {
    // 20 sums are three grains of 8, the last one of 4: two to the first tile, the rest to the second.
    const Range first = reduction_share(20, 8, 2), second = reduction_share(20, 8, 2, 1);
    EXPECT_EQ(first.begin, 0);
    EXPECT_EQ(first.end, 16);
    EXPECT_EQ(second.begin, 16);
    EXPECT_EQ(second.end, 20);
    EXPECT_TRUE(reduction_share(20, 8, 4, 3).empty()) << "there are three grains";
    EXPECT_TRUE(reduction_share(0, 8, 4).empty());
}

TEST(ReductionCycles, PoolingCostsMoreForMoreOfAnything) {
    const auto cycles = [](std::int64_t outputs, std::int64_t channels, std::int64_t window) {
        return pool_cycles(mk2(), PoolVertex::Max, 4, outputs, channels, window);
    };
    EXPECT_LT(cycles(10, 8, 4), cycles(100, 8, 4));
    EXPECT_LT(cycles(10, 8, 4), cycles(10, 64, 4));
    EXPECT_LT(cycles(10, 8, 4), cycles(10, 8, 9));
}

TEST(ReductionStages, AddUpAllPartialsInOneTwoOrThreeStages) {
    for (const std::int64_t depth : {2, 15, 16, 100, 124, 125, 1000}) {
        const auto stages = reduction_stages(depth);
        EXPECT_EQ(stages.size(), depth < 16 ? 1U : depth < 125 ? 2U : 3U);
        std::int64_t all = 1;
        for (const std::int64_t stage : stages)
            all *= stage;
        EXPECT_GE(all, depth);
        EXPECT_LT(all, 2 * depth);
    }
}

TEST(ConvPlanner, TheChosenPlanIsTheFastestItFoundAndFits) {
    ConvPlanner planner(mk2());
    ConvProblem p;
    p.in_width = p.out_width = 900;
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

// Two of the ten columns of one row stay together where results are half: they are positions of the swapped
// product, of one channel.
TEST(ConvPlanner, HalfResultsGoInPairs) {
    ConvProblem p;
    p.matrices = true;
    p.in_channels = 6;
    p.out_channels = 10;
    for (const std::int64_t bytes : {2, 4}) {
        p.types = {bytes, 4};
        std::size_t horizontal = 0;
        ConvPlanner planner(mk2());
        for (const ConvPlan& plan : planner.plan(p))
            if (plan.grouping.vertex == ConvVertex::HorizontalMac && plan.transform.swap) {
                ++horizontal;
                EXPECT_EQ(plan.splits.width_group, bytes == 2 ? 2 : 1);
                const ConvWork work =
                    largest_work(transformed(p, plan.transform), plan.grouping, plan.splits);
                EXPECT_EQ(work.row_length % plan.splits.width_group, 0);
                EXPECT_GE(work.row_length * plan.splits.width, 10);
            }
        EXPECT_GT(horizontal, 0U) << bytes;
    }
}

TEST(ConvPlanner, MoreTilesNeverMakeALargeProductSlower) {
    ConvProblem p;
    p.in_width = p.out_width = p.in_channels = p.out_channels = 1024;
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t tiles : {46, 92, 184, 368, 736, 1472}) {
        TargetOverrides overrides;
        overrides.figures["tiles_per_ipu"] = static_cast<double>(tiles);
        ConvPlanner planner(*find_target("ipu2", overrides));
        const std::int64_t cycles = planner.plan(p).front().cost.cycles();
        EXPECT_LE(cycles, before) << tiles << " tiles";
        before = cycles;
    }
}

TEST(ConvPlanner, LessAvailableMemoryGivesPlansThatNeedLess) {
    ConvProblem p;
    p.in_width = p.out_width = p.in_channels = p.out_channels = 512;
    ConvProblem less = p;
    less.memory_proportion = 0.05;
    ConvPlanner planner(mk2());
    const ConvPlan narrow = planner.plan(less).front();
    EXPECT_LE(static_cast<double>(narrow.cost.temporary_bytes), 0.05 * 638976);
    EXPECT_GE(narrow.cost.cycles(), planner.plan(p).front().cost.cycles());
}

TEST(ConvPlanner, AProductThatIsTooLargeForTheBoundIsDoneInParts) {
    ConvProblem p;
    p.in_width = p.out_width = p.in_channels = p.out_channels = 4096;
    ConvPlanner planner(mk2());
    const ConvPlan& plan = planner.plan(p).front();
    EXPECT_GT(plan.splits.serial(), 1);
    EXPECT_LE(static_cast<double>(plan.cost.temporary_bytes), 0.6 * 638976);
}

// On Mk1 a tile has 131,072 bytes of interleaved memory, and its partial sums must lie there. Of a product
// with short sums a tile holds little else: it would take more, and does where half of the memory is not kept
// apart.
TEST(ConvPlanner, PartialSumsThatInterleavedMemoryHasNoRoomForAreDoneInParts) {
    constexpr std::int64_t memory = 262144;
    constexpr std::int64_t interleaved = 131072;
    ConvProblem p;
    p.matrices = true;
    p.in_width = p.out_width = p.out_channels = 6432;
    p.in_channels = 16;
    p.types = {2, 4};
    TargetOverrides overrides;
    overrides.figures["interleaved_bytes_per_tile"] = static_cast<double>(memory);
    const Target mk1 = *find_target("ipu1");
    ASSERT_EQ(mk1.bytes_per_tile, memory);
    ASSERT_EQ(mk1.interleaved_bytes_per_tile, interleaved);
    const ConvPlan without = ConvPlanner(*find_target("ipu1", overrides)).plan(p).front();
    const ConvPlan with = ConvPlanner(mk1).plan(p).front();
    const auto sums = [&p](const ConvPlan& plan) { // bytes of the fullest tile
        const ConvWork work = largest_work(transformed(p, plan.transform), plan.grouping, plan.splits);
        return work.positions() * work.out_groups * plan.grouping.out_channels * 4;
    };
    EXPECT_GT(sums(without), interleaved) << describe(without);
    EXPECT_EQ(without.cost.interleaved_bytes, sums(without));
    EXPECT_LE(static_cast<double>(without.cost.temporary_bytes), 0.6 * memory) << "the other bound takes it";
    EXPECT_LE(sums(with), interleaved) << describe(with);
    EXPECT_GT(with.cost.cycles(), without.cost.cycles());
}
