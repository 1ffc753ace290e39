// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/distribution.h"

#include <gtest/gtest.h>
#include <limits>

namespace tilescope::analyse {
namespace {

using Counts = std::vector<std::int64_t>;

Counts counts(const Distribution& of) {
    Counts result;
    for (const Distribution::Class& each : of.classes)
        result.push_back(each.count);
    return result;
}

std::vector<double> edges(const Distribution& of) {
    std::vector<double> result;
    for (const Distribution::Class& each : of.classes)
        result.push_back(each.from);
    if (!of.classes.empty())
        result.push_back(of.classes.back().to);
    return result;
}

/// Sixty whole numbers of a logarithmic normal distribution.
const std::vector<double> amounts{
    1787,  8290, 1897, 1587, 464,   1946, 27552, 6962, 23713, 4904,  6565,  4318,  106,   16490, 8207,
    8084,  101,  91,   503,  1169,  5491, 2719,  8450, 825,   5527,  6557,  795,   92509, 9074,  32663,
    862,   679,  1498, 2409, 10553, 4899, 1218,  440,  1052,  34264, 592,   4864,  6996,  151,   3284,
    40639, 53,   1567, 2411, 581,   8061, 2632,  159,  15610, 11369, 19765, 53167, 6152,  3784,  222};

} // namespace

// Figures of NumPy 1.24: percentile(amounts, 50, method="inverted_cdf"), mean, and histogram with these bins.
TEST(Distribution, IsThatOfNumPy) {
    const Distribution equal = distribution(amounts, {});
    EXPECT_EQ(equal.count, 60);
    EXPECT_EQ(equal.least, 53);
    EXPECT_EQ(equal.most, 92509);
    EXPECT_EQ(equal.median, 3284);
    EXPECT_NEAR(equal.mean, 8821.316666666668, 1e-9);
    EXPECT_EQ(counts(equal), (Counts{35, 13, 2, 3, 1, 1, 2, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(equal.classes.back().to, 95000) << "steps of 5,000: 2,000 would be more than twenty";
    const Distribution growing = distribution(amounts, {.grow = true});
    EXPECT_EQ(edges(growing),
              (std::vector<double>{50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000}));
    EXPECT_EQ(counts(growing), (Counts{2, 4, 3, 7, 9, 10, 13, 5, 5, 2}));
    const Distribution bytes = distribution(amounts, {.binary = true});
    EXPECT_EQ(bytes.classes.front().to, 8192);
    EXPECT_EQ(counts(bytes), (Counts{44, 7, 3, 2, 2, 0, 1, 0, 0, 0, 0, 1}));
    const Distribution doubling = distribution(amounts, {.grow = true, .binary = true});
    EXPECT_EQ(doubling.classes.front().from, 32);
    EXPECT_EQ(counts(doubling), (Counts{1, 3, 3, 3, 6, 9, 6, 13, 7, 5, 3, 1}));
}

TEST(Distribution, WholeAmountsHaveNoSmallerClassesThanOne) {
    EXPECT_EQ(edges(distribution({3, 5, 5}, {})), (std::vector<double>{3, 4, 5, 6}));
    EXPECT_EQ(counts(distribution({3, 5, 5}, {})), (Counts{1, 0, 2}));
    EXPECT_EQ(edges(distribution({7, 7}, {})), (std::vector<double>{7, 8}));
    EXPECT_EQ(edges(distribution({0, 0}, {})), (std::vector<double>{0, 1}));
}

// 0.3 / 0.1 is less than 3 in doubles.
TEST(Distribution, AnAmountOnAnEdgeBelongsToTheClassThatBeginsThere) {
    const Distribution shares = distribution({0.3, 0.35, 0.4, 2.2}, {});
    ASSERT_EQ(shares.classes.size(), 20U);
    EXPECT_EQ(shares.classes.front().from, 0.3);
    EXPECT_EQ(shares.classes[0].count, 2);
    EXPECT_EQ(shares.classes[1].count, 1);
    EXPECT_EQ(shares.classes.back().from, 2.2);
}

TEST(Distribution, ZeroIsApartWhereClassesGrow) {
    const Distribution growing = distribution({0, 0, 3, 40}, {.grow = true});
    EXPECT_EQ(edges(growing), (std::vector<double>{0, 2, 5, 10, 20, 50}));
    EXPECT_EQ(counts(growing), (Counts{2, 1, 0, 0, 1}));
    EXPECT_EQ(edges(distribution({0, 0}, {.grow = true})), (std::vector<double>{0, 1})) << "nothing grows";
    EXPECT_EQ(distribution({-2, 5}, {.grow = true}).classes.front().from, -2) << "nor below 0";
    // Twelve decades: 1, 2 and 5 of each are too many.
    const Distribution wide = distribution({1, 3e12}, {.grow = true});
    EXPECT_EQ(wide.classes.size(), 13U);
    EXPECT_EQ(wide.classes[1].from, 10);
}

// 13.3e6 cycles at 1.33 GHz are 10 ms.
TEST(Distribution, ClassesBeginAtWholeNumbersOfWhatIsShown) {
    const double ms = 1.33e6;
    const Distribution cycles = distribution({1.33e6, 4e6, 26.6e6}, {.unit = ms});
    EXPECT_EQ(cycles.classes.size(), 20U);
    EXPECT_DOUBLE_EQ(cycles.classes.front().from, ms);
    EXPECT_DOUBLE_EQ(cycles.classes.front().to, 2 * ms);
    EXPECT_EQ(cycles.classes.back().count, 1);
    EXPECT_DOUBLE_EQ(cycles.classes.back().from, 20 * ms);
}

TEST(Distribution, WhatIsNoNumberIsNotCounted) {
    EXPECT_EQ(distribution({}, {}).count, 0);
    EXPECT_TRUE(distribution({}, {.grow = true}).classes.empty());
    EXPECT_EQ(distribution({1, std::numeric_limits<double>::quiet_NaN()}, {}).count, 1);
}

// However near they are to each other, and however large.
TEST(Distribution, HasFewClassesOfAllAmounts) {
    for (const double least : {-5e17, -3.0, 0.0, 1e-12, 0.1, 7.0, 1e6, 9e17})
        for (const double span : {0.0, 1e-14, 0.5, 19.0, 20.0, 1e5, 3e18})
            for (const bool grow : {false, true})
                for (const bool binary : {false, true}) {
                    const Distribution of =
                        distribution({least, least + span / 2, least + span}, {grow, binary, 1});
                    ASSERT_FALSE(of.classes.empty());
                    EXPECT_LE(std::ssize(of.classes), Distribution::most_classes) << least << " " << span;
                    EXPECT_LE(of.classes.front().from, of.least) << least << " " << span;
                    EXPECT_GT(of.classes.back().to, of.most) << least << " " << span;
                    std::int64_t all = 0;
                    for (const Distribution::Class& each : of.classes)
                        all += each.count;
                    EXPECT_EQ(all, 3) << least << " " << span;
                }
}

TEST(Distribution, IsCrowdedWhereOneClassHasMostOfIt) {
    EXPECT_TRUE(distribution({1, 1, 1, 1, 100}, {}).crowded());
    EXPECT_FALSE(distribution({1, 1, 1, 50, 100}, {}).crowded());
    EXPECT_FALSE(distribution({1, 1}, {}).crowded());
    EXPECT_FALSE(distribution({-100, 1, 1, 1, 1}, {}).crowded()) << "they cannot grow";
}

} // namespace tilescope::analyse
