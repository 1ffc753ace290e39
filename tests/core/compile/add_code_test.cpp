// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compile/pass_program.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilescope::compile {
namespace {

/// Bytes by tile of all variables of a category.
std::vector<std::int64_t> bytes_of(const program::Program& program, MemoryCategory category) {
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(program.tiles), 0);
    for (const program::Variable& variable : program.variables)
        for (std::size_t t = 0; t < bytes.size() && variable.category == category; ++t) {
            EXPECT_TRUE(variable.always_live) << variable.name;
            bytes[t] += variable.tile_bytes[t];
        }
    return bytes;
}

using Bytes = std::vector<std::int64_t>;

/// Two steps: tile 0 computes, and tile 0 sends 8 bytes to tile 1.
ByHand small_program() {
    ByHand e(2);
    program::ComputeSet set;
    set.vertices = {{"Codelet", 1, 1, 480}};
    set.tile_cycles = {100, 0};
    e.program().compute_sets.push_back(set);
    e.program().step(e.execute({})).compute_set = 0;
    program::Exchange exchange;
    exchange.sent = {8, 0};
    exchange.received = {0, 8};
    exchange.instructions = {3, 2};
    e.program().exchanges.push_back(exchange);
    program::Step& step = e.program().step(e.execute({}));
    step.kind = StepKind::Exchange;
    step.exchange = 0;
    return e;
}

} // namespace

TEST(AddCode, ACodeletIsOnTheTilesThatRunItOnceHoweverOftenItRuns) {
    ByHand e = small_program();
    e.program().compute_sets.push_back(e.program().compute_sets[0]);
    ASSERT_TRUE(e.run("add code").has_value());
    EXPECT_EQ(bytes_of(e.program(), MemoryCategory::VertexCode), (Bytes{480, 0}));
}

// 700 bytes of a program without steps, and four instructions of 4 bytes for each step, on all tiles.
TEST(AddCode, EveryTileHasTheControlCodeOfEveryStep) {
    ByHand e = small_program();
    ASSERT_TRUE(e.run("add code").has_value());
    EXPECT_EQ(bytes_of(e.program(), MemoryCategory::ControlCode), (Bytes{732, 732}));
}

TEST(AddCode, AnIpuHasTheControlCodeOfItsOwnStepsAndOfThoseOfAll) {
    ByHand e = small_program();
    e.program().ipus = 2;
    const std::vector<program::StepId> leaves = e.program().leaves();
    e.program().step(leaves[0]).ipu = 1;
    e.program().step(leaves[1]).ipu = program::all_ipus;
    ASSERT_TRUE(e.run("add code").has_value());
    std::map<std::int32_t, std::int32_t> bytes; // of tile 0, by IPU
    for (const program::Variable& variable : e.program().variables)
        if (variable.category == MemoryCategory::ControlCode)
            bytes[variable.ipu] = variable.tile_bytes[0];
    EXPECT_EQ(bytes, (std::map<std::int32_t, std::int32_t>{{0, 716}, {1, 732}}));
}

// A step that shares the code of an earlier one is one call.
TEST(AddCode, SharedStepsTakeOneInstructionAndSharedExchangesNoCode) {
    ByHand e = small_program();
    e.program().compute_sets[0].shared = true;
    e.program().exchanges[0].shared = true;
    ASSERT_TRUE(e.run("add code").has_value());
    EXPECT_EQ(bytes_of(e.program(), MemoryCategory::ControlCode), (Bytes{708, 708}));
    EXPECT_EQ(bytes_of(e.program(), MemoryCategory::InternalExchangeCode), (Bytes{0, 0}));
}

// Four instructions to set it up, and those of the exchange, of 4 bytes each, on the tiles that take part.
TEST(AddCode, TilesHaveTheCodeOfTheirExchanges) {
    ByHand e = small_program();
    ASSERT_TRUE(e.run("add code").has_value());
    EXPECT_EQ(bytes_of(e.program(), MemoryCategory::InternalExchangeCode), (Bytes{28, 24}));
    EXPECT_EQ(bytes_of(e.program(), MemoryCategory::GlobalExchangeCode), (Bytes{0, 0}));
    EXPECT_EQ(bytes_of(e.program(), MemoryCategory::HostExchangeCode), (Bytes{289, 289}));
}

TEST(AddCode, TellsExchangesWithTheHostAndBetweenIpusApart) {
    ByHand host = small_program();
    host.program().exchanges[0].kind = ExchangeKind::Host;
    ASSERT_TRUE(host.run("add code").has_value());
    EXPECT_EQ(bytes_of(host.program(), MemoryCategory::HostExchangeCode), (Bytes{317, 313}));
    ByHand between = small_program();
    between.program().ipus = 2;
    between.program().exchanges[0].kind = ExchangeKind::InterIpu;
    between.program().exchanges[0].peer = 1; // whose tile 1 receives
    ASSERT_TRUE(between.run("add code").has_value());
    EXPECT_EQ(bytes_of(between.program(), MemoryCategory::GlobalExchangeCode), (Bytes{28, 24}));
}

// Control code on both tiles, 16 bytes each, and that of the exchange; a call of 4 where code is shared.
TEST(AddCode, EachStepTellsTheCodeThatItAdds) {
    ByHand e = small_program();
    const std::vector<program::StepId> leaves = e.program().leaves();
    ASSERT_TRUE(e.run("add code").has_value());
    EXPECT_EQ(e.program().step(leaves[0]).code_bytes, 32);
    EXPECT_EQ(e.program().step(leaves[1]).code_bytes, 32 + 28 + 24);
    ByHand shared = small_program();
    shared.program().exchanges[0].shared = true;
    ASSERT_TRUE(shared.run("add code").has_value());
    EXPECT_EQ(shared.program().step(leaves[1]).code_bytes, 8);
    ByHand between = small_program();
    between.program().ipus = 2;
    between.program().exchanges[0].kind = ExchangeKind::InterIpu;
    between.program().exchanges[0].peer = between.program().step(leaves[1]).peer = 1;
    ASSERT_TRUE(between.run("add code").has_value());
    EXPECT_EQ(between.program().step(leaves[1]).code_bytes, 2 * 32 + 28 + 24);
}

// All code is that of the codelets, of a program without steps, or of a step.
TEST(AddCode, TheStepsAddAllControlAndExchangeCode) {
    Options options = options_for(4);
    options.schedule.ipus_per_replica = 2;
    const Executable e = executable_after("add code", R"(graph "g" {
  feed %x : float32 [4, 8]
  variable %w : float32 [8, 8] = 1.0
  %a = matmul(%x, %w) shard 0
  %b = exp(%a) shard 1
  fetch "y" = %b
})",
                                          options);
    std::int64_t steps = 0;
    for (const program::StepId id : e.program.leaves())
        steps += e.program.step(id).code_bytes.value_or(0);
    std::int64_t variables = 0;
    for (const MemoryCategory category :
         {MemoryCategory::ControlCode, MemoryCategory::InternalExchangeCode,
          MemoryCategory::GlobalExchangeCode, MemoryCategory::HostExchangeCode})
        for (const std::int64_t bytes : bytes_of(e.program, category))
            variables += bytes;
    EXPECT_EQ(steps, variables - std::int64_t{2} * 4 * (700 + 289));
}

TEST(AddCode, EveryTileHasTheStacksOfItsSupervisorAndWorkers) {
    ByHand e = small_program();
    ASSERT_TRUE(e.run("add code").has_value());
    const std::int64_t stack = e.options.target.stack_bytes_per_tile;
    EXPECT_GT(stack, 0);
    EXPECT_EQ(bytes_of(e.program(), MemoryCategory::Stack), (Bytes{stack, stack}));
}

TEST(AddCode, CountsNoneWhereTheModelOfTheIpuIsToldSo) {
    ByHand e = small_program();
    e.options.target.compile_ipu_code = false;
    ASSERT_TRUE(e.run("add code").has_value());
    EXPECT_TRUE(e.program().variables.empty());
    EXPECT_EQ(e.program().step(e.program().leaves()[1]).code_bytes, std::nullopt);
}

} // namespace tilescope::compile
