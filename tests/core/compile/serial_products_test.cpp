// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilescope::compile {
namespace {

/// For an IPU of so many tiles.
Executable compiled(const std::string& graph, std::int64_t tiles = 64) {
    Options options;
    options.target = *ipu::find_target("ipu2", {{{"tiles_per_ipu", tiles}}, {}});
    auto executable = compile(graph_of(graph), registry(), options);
    EXPECT_TRUE(executable) << executable.error().line();
    return std::move(*executable);
}

/// x [128, 512] by w [512, 2,048].
Executable product(const std::string& attributes) {
    return compiled(R"(graph "g" {
  feed %x : float32 [128, 512]
  variable %w : float32 [512, 2048] = 1.0
  %y = matmul(%x, %w))" +
                    attributes + R"(
  %loss = reduce_sum(%y)
  fetch "loss" = %loss
})");
}

std::string parts(std::int64_t factor, const std::string& dimension) {
    return " {serialization_dimension: \"" + dimension +
           "\", serialization_factor: " + std::to_string(factor) + "}";
}

/// What is live on the fullest tile at the peak beside what always is.
std::int64_t temporary_bytes(const Executable& e) {
    std::int64_t most = 0;
    for (std::size_t t = 0; t < e.memory.ipus[0].peak.size(); ++t)
        most = std::max(most, e.memory.ipus[0].peak[t] - e.memory.ipus[0].always_live[t]);
    return most;
}

} // namespace

// The plan of each is the fastest that the bound on memory allows, so two parts may be as large as one whole.
TEST(SerialProducts, TakeLessTemporaryMemory) {
    const std::int64_t plain = temporary_bytes(product(""));
    for (const std::string dimension : {"a_columns", "a_rows_b_columns", "b_rows"})
        for (const std::int64_t factor : {4, 8})
            EXPECT_LT(temporary_bytes(product(parts(factor, dimension))), plain)
                << factor << " parts of " << dimension;
}

TEST(SerialProducts, HaveAsManyPartsAsTheyAreToldTo) {
    for (const std::string dimension : {"a_columns", "a_rows_b_columns", "b_rows"}) {
        const Executable e = product(parts(4, dimension));
        const auto loop =
            std::find_if(e.program.steps.begin(), e.program.steps.end(),
                         [](const program::Step& step) { return step.name == "y/serial parts"; });
        ASSERT_NE(loop, e.program.steps.end()) << dimension;
        EXPECT_EQ(loop->repeats, 4);
        ASSERT_FALSE(e.plans.empty());
        const auto plan = nlohmann::json::parse(ipu::describe(e.plans.front().plans.front()));
        const bool sums = dimension == "a_rows_b_columns";
        EXPECT_EQ(plan.at("serial_in_channels"), sums ? 4 : 1) << dimension;
        EXPECT_EQ(plan.at("serial_out_channels"), sums ? 1 : 4) << dimension;
        const auto transforms = plan.at("transforms").get<std::vector<std::string>>();
        const auto swaps = std::count(transforms.begin(), transforms.end(), "swap operands");
        EXPECT_TRUE(sums || (swaps == 1) == (dimension == "a_columns")) << dimension;
    }
}

// Two columns of a part are padded to a vertex's group.
TEST(SerialProducts, PartsMayBeSmallerThanAVertexsGroups) {
    const Executable executable = compiled(R"(graph "g" {
  feed %x : float32 [4, 3]
  feed %w : float32 [3, 10]
  %y = matmul(%x, %w) {serialization_dimension: "b_rows", serialization_factor: 5}
  fetch "y" = %y
})",
                                           8);
    EXPECT_TRUE(executable.fits());
}

// The whole gradient lies nowhere.
TEST(SerialProducts, PartsOfAGradientAreAddedToItsAccumulatorInTheLoop) {
    const auto accumulated = [](const std::string& attributes) {
        Options options;
        options.target = *ipu::find_target("ipu2", {{{"tiles_per_ipu", 64}}, {}});
        options.schedule.accumulation = options.schedule.steps_per_execution = 2;
        return *compile(graph_of(R"(graph "g" {
  feed %x : float32 [128, 512]
  variable %w : float32 [512, 2048] = 1.0
  %y = matmul(%x, %w))" + attributes +
                                 R"(
  %loss = reduce_sum(%y)
  fetch "loss" = %loss loss
  train %loss "sgd"
})"),
                        registry(), options);
    };
    const auto steps = [](const Executable& e, const std::string& verb) {
        return std::count_if(e.program.steps.begin(), e.program.steps.end(),
                             [&](const program::Step& step) { return step.work.verb == verb; });
    };
    const auto gradients = [](const Executable& e) {
        return std::count_if(e.program.variables.begin(), e.program.variables.end(),
                             [](const program::Variable& v) { return v.name == "y/gradient/matmul_1"; });
    };
    const Executable plain = accumulated("");
    EXPECT_EQ(steps(plain, "Accumulate"), 1);
    EXPECT_EQ(gradients(plain), 1);
    const Executable serial = accumulated(parts(4, "b_rows"));
    EXPECT_EQ(steps(serial, "Accumulate"), 0);
    EXPECT_EQ(steps(serial, "AddInPlace"), 1);
    EXPECT_EQ(gradients(serial), 0);
}

namespace {

/// Ids that are looked up in a table which a product reads first, and which lies as that wants it.
Executable tied(const std::string& attributes) {
    return compiled(R"(graph "g" {
  feed %x : float32 [64, 16384]
  feed %ids : int32 [512]
  variable %table : float32 [16384, 256] = 1.0
  %logits = matmul(%x, %table)
  %one = reduce_sum(%logits)
  %rows = embedding_lookup(%table, %ids))" +
                    attributes + R"(
  %other = reduce_sum(%rows)
  %y = add(%one, %other)
  fetch "y" = %y
})");
}

} // namespace

TEST(SerialLookUp, RearrangesAPartOfTheTableAtATime) {
    const auto rearranged = [](const Executable& e) {
        std::int64_t bytes = 0;
        for (const program::Variable& variable : e.program.variables)
            if (variable.name == "rows/table/rearranged")
                bytes += variable.total_bytes();
        return bytes;
    };
    const Executable plain = tied("");
    const Executable serial = tied(" {serialization_factor: 4}");
    constexpr std::int64_t table = 16384 * 256 * 4;
    EXPECT_EQ(rearranged(plain), table);
    EXPECT_EQ(rearranged(serial), table / 4);
    EXPECT_LT(temporary_bytes(serial), temporary_bytes(plain));
    EXPECT_GT(serial.program.cycles(), plain.program.cycles());
}

} // namespace tilescope::compile
