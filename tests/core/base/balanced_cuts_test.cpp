// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/balanced_cuts.h"
#include "base/random.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

using namespace tilescope;

namespace {

using Costs = std::vector<std::vector<double>>;

double largest(const Costs& costs, std::vector<std::size_t> starts, const std::vector<double>& cuts) {
    const std::size_t n = costs[0].size();
    starts.push_back(n);
    double most = 0;
    for (std::size_t run = 0; run + 1 < starts.size(); ++run)
        for (const auto& cost : costs) {
            double sum = 0;
            for (const std::size_t end : {starts[run], starts[run + 1]})
                sum += &cost == &costs[0] && end > 0 && end < n && !cuts.empty() ? cuts[end] : 0;
            for (std::size_t i = starts[run]; i < starts[run + 1]; ++i)
                sum += cost[i];
            most = std::max(most, sum);
        }
    return most;
}

/// The least largest cost over all ways of cutting.
double by_trying_all(const Costs& costs, std::size_t parts, const std::vector<double>& cuts) {
    double least = 1e300;
    std::vector<std::size_t> starts{0};
    const std::function<void()> extend = [&] {
        if (starts.size() == parts) {
            least = std::min(least, largest(costs, starts, cuts));
            return;
        }
        for (std::size_t next = starts.back() + 1; next < costs[0].size(); ++next) {
            starts.push_back(next);
            extend();
            starts.pop_back();
        }
    };
    extend();
    return least;
}

} // namespace

TEST(BalancedCuts, CutsWhereTheLargestPartIsLeast) {
    EXPECT_EQ(balanced_cuts({{1, 1, 1, 1}}, 2), (std::vector<std::size_t>{0, 2}));
    EXPECT_EQ(balanced_cuts({{9, 1, 1, 1}}, 2), (std::vector<std::size_t>{0, 1}));
    // The first criterion alone would cut in the middle; the second has nearly all in the last element.
    EXPECT_EQ(balanced_cuts({{1, 1, 1, 1}, {0, 1, 2, 9}}, 2), (std::vector<std::size_t>{0, 3}));
    EXPECT_EQ(balanced_cuts({{1, 2}}, 5), (std::vector<std::size_t>{0, 1})) << "no run is empty";
    EXPECT_EQ(balanced_cuts({{1, 1, 1, 1}}, 2, {0, 2, 5, 1}), (std::vector<std::size_t>{0, 3}))
        << "a dear cut";
    EXPECT_TRUE(balanced_cuts({}, 3).empty());
}

TEST(BalancedCuts, IsAsGoodAsTryingAll) {
    const RandomStream random(3, "cuts");
    std::uint64_t draw = 0;
    for (std::size_t parts = 1; parts <= 4; ++parts)
        for (std::size_t n = parts; n <= 9; ++n) {
            Costs costs(2, std::vector<double>(n));
            for (auto& cost : costs)
                for (double& value : cost)
                    value = static_cast<double>(random.uniform(draw++));
            std::vector<double> cuts(n);
            for (double& value : cuts)
                value = static_cast<double>(random.uniform(draw++));
            for (const std::vector<double>& dear : {std::vector<double>(), cuts}) {
                const auto starts = balanced_cuts(costs, parts, dear);
                ASSERT_EQ(starts.size(), parts);
                EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
                EXPECT_NEAR(largest(costs, starts, dear), by_trying_all(costs, parts, dear), 1e-12);
            }
        }
}
