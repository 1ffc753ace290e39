// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "operators/interpreter.h"
#include "operators/stochastic_rounding.h"
#include "tests/core/operators/graph_runner.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace tilescope::operators {
namespace {

constexpr std::uint32_t all_bits = 0xFFFFFFFF;

/// What part of `all_bits + 1` this is.
std::uint32_t chance(double part) {
    return static_cast<std::uint32_t>(part * 4294967296.0);
}

} // namespace

// float16 has 1 and 1 + 2^-10, and nothing between: a quarter of the way is up in one case of four.
TEST(StochasticRounding, GoesUpAsOftenAsTheValueIsUp) {
    const float value = 1 + 0x1p-12F, upper = 1 + 0x1p-10F;
    EXPECT_EQ(rounded_at_random(value, 0), 1);
    EXPECT_EQ(rounded_at_random(value, chance(0.75) - 1), 1);
    EXPECT_EQ(rounded_at_random(value, chance(0.75)), upper);
    EXPECT_EQ(rounded_at_random(value, all_bits), upper);
    EXPECT_EQ(rounded_at_random(-value, chance(0.75) - 1), -1);
    EXPECT_EQ(rounded_at_random(-value, chance(0.75)), -upper);
    // The next one has another exponent: 2 - 2^-10 and 2.
    EXPECT_EQ(rounded_at_random(2 - 0x1p-12F, 0), 2 - 0x1p-10F);
    EXPECT_EQ(rounded_at_random(2 - 0x1p-12F, chance(0.25)), 2);
}

// Below 2^-14 the numbers of float16 are 2^-24 apart.
TEST(StochasticRounding, HasTheSubnormalNumbersToo) {
    EXPECT_EQ(rounded_at_random(1.25F * 0x1p-24F, chance(0.25) - 256), 0x1p-23F);
    EXPECT_EQ(rounded_at_random(1.25F * 0x1p-24F, chance(0.25)), 0x1p-24F);
    EXPECT_EQ(rounded_at_random(-0.5F * 0x1p-24F, 0), -0x1p-24F);
    EXPECT_EQ(rounded_at_random(0.5F * 0x1p-24F, all_bits), 0);
    EXPECT_EQ(rounded_at_random(0x1p-14F - 0x1p-26F, 0), 0x1p-14F);
}

TEST(StochasticRounding, LeavesWhatIsFloat16) {
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
        const float value = graph::half_to_float(static_cast<std::uint16_t>(half));
        for (const std::uint32_t bits : {0U, all_bits})
            if (std::isnan(value))
                EXPECT_TRUE(std::isnan(rounded_at_random(value, bits)));
            else
                ASSERT_EQ(graph::half_bits(rounded_at_random(value, bits)), half);
    }
    EXPECT_EQ(rounded_at_random(65505, all_bits), 65504);
    EXPECT_EQ(rounded_at_random(1e6F, 0), std::numeric_limits<float>::infinity());
}

// The mean of n draws of two values d apart lies within 4 deviations, at most 4 d / (2 sqrt(n)), of the
// value.
TEST(StochasticRounding, IsRightInTheMean) {
    const RandomStream stream(3, 1);
    constexpr int draws = 40000;
    for (const double value : {0.1, -1.0 / 3, 3.14159265, 1000.3, 1e-5, -3e-7}) {
        double sum = 0;
        std::set<float> seen;
        for (int i = 0; i < draws; ++i) {
            const float rounded =
                rounded_at_random(static_cast<float>(value), stream.bits(static_cast<std::uint64_t>(i)));
            sum += static_cast<double>(rounded);
            seen.insert(rounded);
        }
        ASSERT_EQ(seen.size(), 2U) << value;
        const double apart = static_cast<double>(*seen.rbegin()) - static_cast<double>(*seen.begin());
        EXPECT_NEAR(sum / draws, value, 2 * apart / std::sqrt(draws)) << value;
    }
}

namespace {

/// y = x + 2^-12 and z = x + 2^-12 in float16, of ones, and the same once more as an update.
struct Sums {
    graph::Graph graph;
    graph::ValueId x, y, z, updated;

    Sums() {
        graph::Builder build(graph, test::registry());
        const graph::TensorType type{graph::DType::Float16, {5000}};
        x = *build.feed("x", type);
        const auto little = build.scalar(0x1p-12, graph::DType::Float16);
        y = *build.emit("add", {x, little});
        z = *build.emit("add", {x, little});
        build.scope.phase = Phase::Update;
        updated = *build.emit("add", {x, little});
        graph.fetches = {{"y", y}, {"z", z}, {"updated", updated}};
    }
    /// y, z and the update's of one run.
    std::vector<std::vector<float>> of(const graph::RandomState& random, std::size_t threads = 1) const {
        WorkerPool pool(threads);
        const Machine machine{test::registry(), pool, kernels::best_kernels()};
        Interpreter interpreter(graph, test::registry());
        for (float& value : interpreter.at(x).floats())
            value = 1;
        interpreter.run_batch(machine, random);
        interpreter.run_update(machine, random);
        std::vector<std::vector<float>> results;
        for (const graph::ValueId id : {y, z, updated})
            results.emplace_back(interpreter.at(id).floats().begin(), interpreter.at(id).floats().end());
        return results;
    }
};

double mean(const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values)
        sum += static_cast<double>(value);
    return sum / static_cast<double>(values.size());
}

} // namespace

TEST(StochasticRounding, IsOfEachOperationStepAndSampleAnew) {
    const Sums sums;
    const graph::RandomState random{7, 2, 0, true, tilescope::StochasticRounding::On};
    const auto first = sums.of(random);
    EXPECT_NEAR(mean(first[0]), 1 + 0x1p-12, 2 * 0x1p-10 / std::sqrt(5000));
    EXPECT_NE(first[0], first[1]);
    EXPECT_EQ(sums.of(random), first);
    EXPECT_EQ(sums.of(random, 3), first);
    auto other = random;
    other.step = 3;
    EXPECT_NE(sums.of(other)[0], first[0]);
    other = random;
    other.seed = 8;
    EXPECT_NE(sums.of(other)[0], first[0]);
    other = random;
    other.sample_offset = 32;
    EXPECT_NE(sums.of(other)[0], first[0]);
}

TEST(StochasticRounding, IsOfTheUpdateAloneWhereReplicasAreToBeIdentical) {
    const Sums sums;
    const std::vector<float> ones(5000, 1);
    const auto off = sums.of({7, 2, 0, true, tilescope::StochasticRounding::Off});
    EXPECT_EQ(off, std::vector(3, ones));
    const auto identical = sums.of({7, 2, 0, true, tilescope::StochasticRounding::ReplicaIdenticalOnly});
    EXPECT_EQ(identical[0], ones);
    EXPECT_EQ(identical[1], ones);
    EXPECT_EQ(identical[2], sums.of({7, 2, 0, true, tilescope::StochasticRounding::On})[2]);
    EXPECT_NE(identical[2], ones);
}

} // namespace tilescope::operators
