// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/code_memory.h"
#include "tests/core/compile/pass_program.h"

namespace tilescope::compile {
namespace {

std::int32_t address(const ByHand& e, program::VariableId variable, std::size_t tile) {
    return e.executable.memory.addresses[static_cast<std::size_t>(variable.value)][tile];
}

} // namespace

// A load is 8 bytes wide: 5 and 13 bytes take 8 and 16.
TEST(LayOutMemory, AlignsAlwaysLiveVariablesFromTheBottomOfEachTile) {
    ByHand e(2);
    const auto a = e.variable("a", {5, 0}, true);
    const auto b = e.variable("b", {13, 13}, true);
    const auto c = e.variable("c", {1, 1}, true);
    e.execute({a, b, c});
    ASSERT_TRUE(e.run("analyse liveness").has_value());
    ASSERT_TRUE(e.run("lay out memory").has_value());
    EXPECT_EQ(address(e, a, 0), 0);
    EXPECT_EQ(address(e, b, 0), 8);
    EXPECT_EQ(address(e, c, 0), 24);
    EXPECT_EQ(address(e, a, 1), -1);
    EXPECT_EQ(address(e, b, 1), 0);
    EXPECT_EQ(address(e, c, 1), 16);
    EXPECT_EQ(e.executable.memory.ipus[0].with_gaps, (std::vector<std::int64_t>{32, 24}));
}

TEST(LayOutMemory, GivesOneAddressToWhatIsNotLiveTogether) {
    ByHand e(1);
    const auto state = e.variable("state", {16}, true);
    const auto first = e.variable("first", {20});
    const auto second = e.variable("second", {12});
    const auto both = e.variable("both", {8});
    e.execute({state, first, both});
    e.execute({second, both});
    ASSERT_TRUE(e.run("analyse liveness").has_value());
    ASSERT_TRUE(e.run("lay out memory").has_value());
    EXPECT_EQ(address(e, first, 0), address(e, second, 0));
    EXPECT_GE(address(e, first, 0), 16);
    EXPECT_NE(address(e, both, 0), address(e, first, 0));
    // 16 always live, 24 for the larger of the two, 8 for the other one.
    EXPECT_EQ(e.executable.memory.ipus[0].with_gaps.at(0), 48);
}

TEST(LayOutMemory, PutsInterleavedVariablesIntoTheUpperRegionAndNamesTilesThatOverflow) {
    ByHand e(2);
    const ipu::Target& target = e.options.target;
    const auto region = static_cast<std::int32_t>(target.bytes_per_tile - target.interleaved_bytes_per_tile);
    const auto sums = e.variable("sums", {64, 64});
    e.program().variable(sums).interleaved = true;
    const auto large = e.variable("large", {8, static_cast<std::int32_t>(target.bytes_per_tile) + 1}, true);
    e.execute({sums, large});
    ASSERT_TRUE(e.run("analyse liveness").has_value());
    ASSERT_TRUE(e.run("lay out memory").has_value());
    EXPECT_EQ(address(e, sums, 0), region);
    EXPECT_EQ(e.executable.memory.ipus[0].interleaved.at(0), 64);
    EXPECT_EQ(e.executable.memory.ipus[0].oversize_tiles, (std::vector<std::int64_t>{1}));
    EXPECT_FALSE(e.executable.fits());
}

TEST(LayOutMemory, ATileMayBeFullToTheLastByte) {
    ByHand e(1);
    e.execute({e.variable("all", {static_cast<std::int32_t>(e.options.target.bytes_per_tile)}, true)});
    ASSERT_TRUE(e.run("analyse liveness").has_value());
    ASSERT_TRUE(e.run("lay out memory").has_value());
    EXPECT_TRUE(e.executable.fits());
}

// A Mk2 tile fetches instructions from its first 13 of 39 elements of 16 KiB; what a Mk1 does is not known.
TEST(LayOutMemory, CodeHasToLieInTheFirst212992BytesOfAMk2Tile) {
    EXPECT_EQ(ipu::code_memory_bytes(*ipu::find_target("ipu2")), 13 * 16384);
    EXPECT_EQ(ipu::code_memory_bytes(*ipu::find_target("bow")), 212992);
    EXPECT_EQ(ipu::code_memory_bytes(*ipu::find_target("ipu1")), 262144);
    ipu::Target other = *ipu::find_target("ipu2");
    other.generation = "ipu1"; // the name decides nothing
    EXPECT_EQ(ipu::code_memory_bytes(other), 212992);
    ByHand e(3);
    const auto weights = e.variable("weights", {64, 64, 400000}, true);
    const auto exchanges = e.variable("exchanges", {100000, 100000, 0}, true);
    const auto vertices = e.variable("vertices", {112992, 112993, 0}, true);
    e.program().variable(exchanges).category = MemoryCategory::InternalExchangeCode;
    e.program().variable(vertices).category = MemoryCategory::VertexCode;
    e.execute({weights});
    ASSERT_TRUE(e.run("analyse liveness").has_value());
    ASSERT_TRUE(e.run("lay out memory").has_value());
    EXPECT_EQ(address(e, exchanges, 0), 0);
    EXPECT_EQ(address(e, vertices, 0), 100000);
    EXPECT_EQ(address(e, weights, 0), 212992);
    EXPECT_EQ(e.executable.memory.ipus[0].oversize_tiles, (std::vector<std::int64_t>{1}));
    EXPECT_NE(out_of_memory(e.executable).line().find("tile 1 has 213,000 bytes"), std::string::npos)
        << out_of_memory(e.executable).line();
}

} // namespace tilescope::compile
