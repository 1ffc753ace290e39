// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_facts.h"
#include "analyse/variable_facts.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <memory>

namespace tilescope::analyse {
namespace {

using Ids = std::vector<std::int64_t>;

// The made-up run of tests/profile_fixture.h: after the infeed (step 0) the operations 0 1 6 7 8 9 10 2 3 4 5
// 11, each an exchange and a compute set, in an engine run of three turns. Most is live at step 20, the
// compute set of dense/WeightGrad.
class Facts : public testing::Test {
  protected:
    std::unique_ptr<profile::Profile> record(const char* name, const tests::FixtureSize& size) {
        const std::string path = folder_ / name;
        EXPECT_TRUE(tests::record_fixture(path, size));
        auto opened = profile::Profile::open(path);
        EXPECT_TRUE(opened);
        return std::move(*opened);
    }
    VariableFacts of(const profile::Profile& file, const std::string& name) {
        const auto variables = file.variables();
        for (const auto& variable : *variables)
            if (variable.name == name)
                return variable_facts(file, variable.id)->value();
        ADD_FAILURE() << name;
        return {};
    }
    const tests::TemporaryFolder folder_;
};

TEST_F(Facts, OfAVariableSayWhereItLiesWhenAndWhoReadsIt) {
    const auto file = record("run.tilescope", tests::small_fixture);
    const VariableFacts input = of(*file, "input");
    EXPECT_EQ(input.on_tiles.tiles, 64);
    EXPECT_EQ(input.on_tiles.tile, 0);
    EXPECT_EQ(input.on_tiles.bytes, 16384 / 64);
    EXPECT_EQ(input.first.program, 2);
    EXPECT_EQ(input.first.name, "infeed");
    EXPECT_EQ(input.last.step, 24);
    EXPECT_EQ(input.readers, (Ids{0, 4})) << "the product and the gradient of the weights";
    ASSERT_EQ(input.moves.size(), 12U) << "each exchange moves bytes of it";
    EXPECT_EQ(input.moves[0].step.name, "dense/MatMul/exchange") << "the first of equal ones";
    EXPECT_EQ(input.moves[0].step.program, 4);
    EXPECT_EQ(input.moves[0].bytes, 3 * 768);
    EXPECT_EQ(input.moved, 12 * 3 * 768);

    const VariableFacts kernel = of(*file, "dense/kernel");
    EXPECT_EQ(kernel.readers, (Ids{0, 3, 5}));
    EXPECT_EQ(kernel.first.step, 2) << "needed by the product";
    EXPECT_EQ(kernel.first.name, "dense/MatMul");
    EXPECT_EQ(kernel.last.step, 22) << "and by the update";
    EXPECT_TRUE(kernel.moves.empty());
    EXPECT_EQ(kernel.peak.step, 20);
    EXPECT_EQ(kernel.peak.name, "dense/WeightGrad");
    EXPECT_TRUE(kernel.at_peak);
    EXPECT_TRUE(of(*file, "dense/Relu").at_peak) << "live in steps 4 to 20";
    EXPECT_FALSE(of(*file, "dense/MatMul").at_peak) << "live in steps 2 to 4";
    const VariableFacts code = of(*file, "dense/vertex code");
    EXPECT_TRUE(code.readers.empty()) << "it holds no tensor";
    EXPECT_EQ(code.first.step, -1);
    EXPECT_FALSE(variable_facts(*file, 1000)->has_value());
}

TEST_F(Facts, OfAVariableOfTheBaseAreFoundByTheNameThatItHasThere) {
    const auto now = record("now.tilescope", {64, 1, 1, 1, 1});
    const auto base = record("base.tilescope", {64, 2, 1, 1, 1});
    const auto parts = Parts::read(*now);
    const profile::VariableRecord kernel = of(*now, "dense/kernel").variable;
    const auto same = same_variable(*base, kernel, *parts, {});
    ASSERT_TRUE(same && *same);
    EXPECT_EQ((*same)->name, "dense/kernel");
    const auto said = same_variable(*base, kernel, *parts, {{PartKind::Layer, "dense_1", "dense"}});
    ASSERT_TRUE(said && *said);
    EXPECT_EQ((*said)->name, "dense_1/kernel");
    const auto turned = Parts::read(*base);
    const auto none = same_variable(*now, of(*base, "dense_1/kernel").variable, *turned, {});
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none) << "the other one has one layer";
}

// Tile 5 has 2,912 bytes that always live and 180,224 / 64 more at the peak; tile 0 has the 4 bytes of a
// constant beside. It sends 8 bytes in each exchange and computes half as long as the slowest.
TEST_F(Facts, OfATileSayWhatItHoldsAndDoes) {
    const auto file = record("run.tilescope", tests::small_fixture);
    const auto tile = tile_facts(*file, 0, 5);
    ASSERT_TRUE(tile && *tile);
    EXPECT_EQ((*tile)->always, 2912);
    EXPECT_EQ((*tile)->at_peak, 2912 + 2816);
    EXPECT_EQ((*tile)->with_gaps, 2912 + 2816 + 64);
    EXPECT_EQ((*tile)->free(), 638'976 - 5792);
    EXPECT_EQ((*tile)->tiles, 64);
    EXPECT_EQ((*tile)->fuller, 1);
    EXPECT_EQ((*tile)->peak.step, 20);
    EXPECT_EQ((*tile)->peak.program, 32);
    EXPECT_EQ((*tile)->sent, 12 * 3 * 8);
    EXPECT_EQ((*tile)->received, 0) << "tile 4 sends nothing";
    EXPECT_EQ((*tile)->computes, 3 * 1860);
    EXPECT_EQ((*tile)->ipu_compute, 3 * 3720) << "12 x 200 + 20 x 66 cycles of the slowest";
    EXPECT_EQ((*tile)->compute_share(), 0.5);
    const auto first = tile_facts(*file, 0, 0);
    ASSERT_TRUE(first && *first);
    EXPECT_EQ((*first)->fuller, 0);
    EXPECT_EQ((*first)->received, 12 * 3 * 24) << "of tile 63";
    EXPECT_EQ((*first)->compute_share(), 1);
    EXPECT_FALSE(tile_facts(*file, 0, 64)->has_value()) << "there are 64";
}

} // namespace
} // namespace tilescope::analyse
