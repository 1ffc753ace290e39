// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/memory_parts.h"
#include "analyse/program_time.h"
#include "analyse/tile_contents.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <map>

namespace tilescope::analyse {
namespace {

using namespace profile;
using Tiles = std::vector<std::int64_t>;

/// Two IPUs of four tiles of 1,000 bytes, two replicas of one. Weights of 100 bytes are always live on each
/// tile. On tile 2 an input of 300 bytes lives in steps 0 and 1, an output of 500 in steps 1 and 2: 900 at
/// its peak, of which 250 in the upper region, and 950 with gaps. One compute set takes 10, 20, 40 and 0
/// cycles and runs six times; one exchange moves 64 bytes from tile 0 to tiles 2 and 3.
class TileContents : public testing::Test {
  protected:
    void SetUp() override {
        auto recorder = Recorder::create(folder_ / "run.tilescope", RunRecord{});
        ASSERT_TRUE(recorder);
        Recorder& r = **recorder;
        r.set(TargetRecord{"pod4", "ipu2", 2, 4, 1000, 1e9, 6});
        for (std::int64_t ipu = 0; ipu < 2; ++ipu)
            r.add(IpuRecord{ipu, ipu, "", ipu, 0});
        r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        r.add(ProgramRecord{1, 0, 0, StepKind::Exchange, "move", 3, -1, 0, 1, 0, 0, 0, 0, 0, -1, 6});
        r.add(ProgramRecord{2, 0, 1, StepKind::Execute, "work", 3, 0, -1, 1, 1, 0, 0, 0, 0, -1, 6});
        r.add(ProgramRecord{3, 0, 2, StepKind::Execute, "more", 3, 0, -1, 1, 2, 0, 0, 0, 0, -1, 6});
        r.add(ComputeSetRecord{0, "work", 3, 40, 0.4375});
        r.add_tile_values("compute_set", 0, 0, "cycles", Tiles{10, 20, 40, 0});
        r.add(VertexRecord{0, "Add<float>", 3, 3});
        r.add(VertexRecord{0, "Mul<float>", 6, 1});
        ExchangeRecord exchange;
        exchange.name = "move";
        exchange.operation_id = 3;
        exchange.bytes = 128;
        exchange.cycles = 16;
        r.add(exchange);
        r.add_tile_values("exchange", 0, 0, "sent", Tiles{128, 0, 0, 0});
        r.add_tile_values("exchange", 0, 0, "received", Tiles{0, 0, 64, 64});
        hold(r, "weights", MemoryCategory::Variables, {100, 100, 100, 100}, -1, -1);
        hold(r, "Add<float>", MemoryCategory::VertexCode, {40, 40, 40, 0}, -1, -1);
        hold(r, "input", MemoryCategory::MessageBuffers, {0, 0, 300, 0}, 0, 1);
        hold(r, "output", MemoryCategory::MessageBuffers, {0, 0, 500, 0}, 1, 2);
        const auto memory = [&](const char* metric, const Tiles& values) {
            r.add_tile_values("memory", 0, 0, metric, values);
        };
        memory("total", {140, 140, 940, 100});
        memory("total_with_gaps", {140, 140, 990, 100});
        memory("always_live", {140, 140, 140, 100});
        memory("non_interleaved", {140, 140, 690, 100});
        memory("interleaved", {0, 0, 250, 0});
        memory("overflowed", {0, 0, 0, 0});
        const auto category = [&](const std::string& name, const Tiles& always, const Tiles& rest) {
            r.add_tile_values("category:" + name, 0, 0, "always_live", always);
            r.add_tile_values("category:" + name, 0, 0, "not_always_live", rest);
        };
        category("Variables", {100, 100, 100, 100}, {0, 0, 0, 0});
        category("Vertex Code", {40, 40, 40, 0}, {0, 0, 0, 0});
        category("Message Buffers", {0, 0, 0, 0}, {0, 0, 800, 0});
        r.add(LivenessSpanRecord{0, 0, 1, 520, 300, 440});
        r.add(LivenessSpanRecord{0, 1, 1, 520, 800, 940});
        r.add(LivenessSpanRecord{0, 2, 1, 520, 500, 640});
        ASSERT_TRUE(r.finish(RunStatus::Complete));
        auto opened = Profile::open(folder_ / "run.tilescope");
        ASSERT_TRUE(opened);
        profile_ = std::move(*opened);
    }

    void hold(Recorder& r, const std::string& name, MemoryCategory category, const Tiles& bytes,
              std::int64_t from, std::int64_t to) {
        VariableRecord v;
        v.id = variables_++;
        v.name = name;
        v.category = category;
        for (const std::int64_t b : bytes)
            v.bytes += b;
        v.always_live = from < 0;
        v.live_from = from;
        v.live_to = to;
        r.add(v);
        r.add_tile_values("variable", v.id, 0, "bytes", bytes);
    }

    std::map<std::string, Tiles> parts(const PartsWanted& wanted) const {
        const auto read = memory_parts(*profile_, wanted);
        EXPECT_TRUE(read);
        std::map<std::string, Tiles> result;
        for (const auto& part : read->parts)
            result[part.name()] = part.bytes;
        return result;
    }

    const tests::TemporaryFolder folder_;
    std::int64_t variables_ = 0;
    std::unique_ptr<Profile> profile_;
};

TEST_F(TileContents, BytesOfTilesArePartedByCategoryRegionLivenessAndVariable) {
    using Parts = std::map<std::string, Tiles>;
    EXPECT_EQ(parts({0}), (Parts{{"Variables", {100, 100, 100, 100}},
                                 {"Vertex Code", {40, 40, 40, 0}},
                                 {"Message Buffers", {0, 0, 800, 0}}}));
    EXPECT_EQ(parts({0, PartsBy::Region}),
              (Parts{{"non-interleaved", {140, 140, 690, 100}}, {"interleaved", {0, 0, 250, 0}}}));
    EXPECT_EQ(parts({0, PartsBy::Liveness}),
              (Parts{{"always live", {140, 140, 140, 100}}, {"not always live", {0, 0, 800, 0}}}));
    EXPECT_EQ(parts({0, PartsBy::Variables, LiveWhen::OwnPeak, -1, {2, 3}}),
              (Parts{{"input", {0, 0, 300, 0}}, {"output", {0, 0, 500, 0}}}));
}

TEST_F(TileContents, BytesAreThoseOfOneStepOrAlwaysLive) {
    using Parts = std::map<std::string, Tiles>;
    EXPECT_EQ(parts({0, PartsBy::Category, LiveWhen::Step, 2}).at("Message Buffers"), (Tiles{0, 0, 500, 0}));
    EXPECT_EQ(parts({0, PartsBy::Category, LiveWhen::IpuPeak}).at("Message Buffers"), (Tiles{0, 0, 800, 0}));
    EXPECT_EQ(parts({0, PartsBy::Liveness, LiveWhen::Step, 0}),
              (Parts{{"always live", {140, 140, 140, 100}}, {"not always live", {0, 0, 300, 0}}}));
    EXPECT_FALSE(parts({0, PartsBy::Category, LiveWhen::Always}).contains("Message Buffers"));
    EXPECT_EQ(parts({0, PartsBy::Variables, LiveWhen::Step, 2, {2, 3}}), (Parts{{"output", {0, 0, 500, 0}}}));
}

TEST_F(TileContents, AllIpusStandOneAfterAnotherWithTheFullestTileOfEach) {
    const auto all = memory_parts(*profile_, {});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->ipus, (Tiles{0, 1}));
    EXPECT_EQ(all->totals(), (Tiles{140, 140, 940, 100, 140, 140, 940, 100}));
    EXPECT_EQ(all->sum(), 2 * 1320);
    ASSERT_EQ(all->fullest.size(), 2U);
    EXPECT_EQ(all->fullest[0].ipu, 0); // of two equal ones the first
    EXPECT_EQ(all->fullest[1].ipu, 1);
    EXPECT_EQ(all->fullest[1].tile, 2);
    EXPECT_EQ(all->fullest[1].bytes, 990);
    EXPECT_EQ(all->fullest_live, 940);
}

TEST_F(TileContents, TheTreeHasAColumnForEachOfAFewTiles) {
    const auto nodes = memory_tree(*profile_, 0, {1, 2});
    ASSERT_TRUE(nodes);
    std::map<std::string, Tiles> bytes;
    for (const auto& node : *nodes)
        if (node.depth < 3)
            bytes[node.name] = node.bytes;
    EXPECT_EQ(nodes->front().name, "With gaps");
    EXPECT_EQ(bytes.at("With gaps"), (Tiles{140, 990}));
    EXPECT_EQ(bytes.at("Live at the tile's peak"), (Tiles{140, 940}));
    EXPECT_EQ(bytes.at("Interleaved region"), (Tiles{0, 250}));
    EXPECT_EQ(bytes.at("Always live"), (Tiles{140, 140}));
    EXPECT_EQ(bytes.at("Not always live"), (Tiles{0, 800}));
    EXPECT_EQ(bytes.at("Gaps"), (Tiles{0, 50}));
    EXPECT_FALSE(bytes.contains("Beyond the end of the memory"));
    std::int64_t always = 0;
    bool below = false;
    for (const auto& node : *nodes) {
        below = node.depth == 3 ? below : node.name == "Always live";
        always += below && node.depth == 3 ? node.bytes[1] : 0;
    }
    EXPECT_EQ(always, 140); // its categories add up
    const auto all = memory_tree(*profile_, 0, {});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->front().bytes, (Tiles{140 + 140 + 990 + 100}));
}

TEST_F(TileContents, TheLongestTileOfAComputeSetIsTold) {
    const auto longest = longest_tile(*profile_, 0);
    ASSERT_TRUE(longest && *longest);
    EXPECT_EQ((*longest)->ipu, 0);
    EXPECT_EQ((*longest)->tile, 2);
    EXPECT_EQ((*longest)->cycles, 40);
    EXPECT_FALSE(longest_tile(*profile_, 99)->has_value());
}

TEST_F(TileContents, ComputeSetsAreThoseInWhichTheTilesWork) {
    const auto both = compute_sets_on_tiles(*profile_, 0, {1, 3});
    ASSERT_TRUE(both);
    ASSERT_EQ(both->size(), 1U);
    EXPECT_EQ(both->front().slowest, 20);
    EXPECT_DOUBLE_EQ(both->front().mean, 10); // 20 and 0
    EXPECT_EQ(both->front().tiles, 1);
    EXPECT_EQ(both->front().set.cycles, 40);
    EXPECT_EQ(both->front().share(), 0.5);
    EXPECT_EQ(both->front().runs, 12); // two steps, six times each
    EXPECT_TRUE(compute_sets_on_tiles(*profile_, 0, {3})->empty());
    EXPECT_EQ(compute_sets_on_tiles(*profile_, 1, {})->size(), 1U); // the second replica does the same
}

TEST_F(TileContents, CodeletsHaveTheirCodeOnTheTiles) {
    const auto codelets = codelets_on_tiles(*profile_, 0, {0, 1});
    ASSERT_TRUE(codelets);
    ASSERT_EQ(codelets->size(), 2U);
    EXPECT_EQ(codelets->front().name, "Add<float>");
    EXPECT_EQ(codelets->front().code_bytes, 80);
    EXPECT_EQ(codelets->front().on_all_tiles, 3);
    EXPECT_EQ(codelets->back().code_bytes, 0); // none is recorded
}

// Three of one codelet on the three tiles that compute are one on each; six of another on one of them may be
// on any.
TEST_F(TileContents, VerticesAreOnATileWhereEachThatComputesHasOne) {
    const auto vertices = [this](const Tiles& tiles) {
        std::vector<std::optional<std::int64_t>> on;
        const auto codelets = codelets_on_tiles(*profile_, 0, tiles);
        EXPECT_TRUE(codelets);
        for (const CodeletOnTiles& codelet : *codelets)
            on.push_back(codelet.vertices);
        return on;
    };
    using On = std::vector<std::optional<std::int64_t>>;
    EXPECT_EQ(vertices({0, 1}), (On{2, std::nullopt}));
    EXPECT_EQ(vertices({2, 3}), (On{1, std::nullopt}));
    EXPECT_EQ(vertices({3}), On{}) << "nothing computes there";
    EXPECT_EQ(vertices({}), (On{3, 6})) << "of the IPU all are known";
}

TEST_F(TileContents, ExchangesAreThoseInWhichTheTilesSendOrReceive) {
    const auto two = exchanges_on_tiles(*profile_, 0, {0, 2});
    ASSERT_TRUE(two);
    ASSERT_EQ(two->size(), 1U);
    EXPECT_EQ(two->front().sent, 128);
    EXPECT_EQ(two->front().received, 64);
    EXPECT_EQ(two->front().runs, 6);
    EXPECT_TRUE(exchanges_on_tiles(*profile_, 0, {1})->empty());
}

TEST_F(TileContents, VariablesHaveTheirBytesOnEachTile) {
    const auto two = variables_of(*profile_, 0, {2, 0});
    ASSERT_TRUE(two);
    ASSERT_EQ(two->rows.size(), 4U);
    EXPECT_EQ(two->rows[0].variable.name, "output");
    EXPECT_EQ(two->columns, (Tiles{2, 0}));
    EXPECT_EQ(two->by_column.at(two->rows[0].variable.id), (Tiles{500, 0}));
    EXPECT_EQ(two->by_column.at(0), (Tiles{100, 100})); // weights
    EXPECT_EQ(two->peak.step, 1);
    EXPECT_EQ(two->peak.bytes, 940 + 140);
    EXPECT_TRUE(variables_of(*profile_, 0, {2})->columns.empty());
}

/// A variable on tiles, live in the steps `from` to `to`.
VariableOnTiles taking(const std::string& name, std::int64_t bytes, std::int64_t from, std::int64_t to) {
    VariableOnTiles row;
    row.variable.name = name;
    row.variable.live_from = from;
    row.variable.live_to = to;
    row.bytes = bytes;
    return row;
}

TEST(VariableChanges, AreByNameAndTheLargestComesFirst) {
    TileVariables before;
    before.rows = {taking("gone", 70, 0, 9), taking("kernel", 50, 0, 9), taking("twice", 10, 0, 9),
                   taking("twice", 20, 0, 9), taking("early", 5, 0, 1)};
    before.peak.step = 5;
    TileVariables now;
    now.rows = {taking("kernel", 40, 0, 9), taking("new", 90, 0, 9), taking("twice", 10, 0, 9),
                taking("early", 8, 0, 1)};
    now.peak.step = 5;
    const auto changes = variable_changes(now, before, false);
    std::vector<std::pair<std::string, std::int64_t>> told;
    told.reserve(changes.size());
    for (const VariableChange& change : changes)
        told.emplace_back((change.now != nullptr ? change.now : change.before)->name, change.change());
    EXPECT_EQ(told, (std::vector<std::pair<std::string, std::int64_t>>{
                        {"new", 90}, {"gone", -70}, {"twice", -20}, {"kernel", -10}, {"twice", 0}}));
    EXPECT_EQ(changes[0].before, nullptr);
    EXPECT_EQ(changes[1].now, nullptr);
    EXPECT_EQ(variable_changes(now, before, true).size(), 6U) << "those that do not live at the peak, too";
}

TEST(VariableChanges, AreByTheNamesOfTheBaseWhereLayersWereRenamed) {
    const Parts parts_before{std::vector<profile::LayerRecord>{{0, "dense", "Dense", "[4]", 4}}, {}};
    const Parts parts_now{std::vector<profile::LayerRecord>{{0, "classifier", "Dense", "[4]", 4}}, {}};
    TileVariables before;
    before.rows = {taking("dense/kernel", 50, 0, 9), taking("kernel", 5, 0, 9)};
    TileVariables now;
    now.rows = {taking("classifier/kernel", 40, 0, 9), taking("kernel", 7, 0, 9)};
    ASSERT_EQ(variable_changes(now, before, false).size(), 3U);
    const OldNames names(parts_before, parts_now, match(parts_before, parts_now));
    const auto changes = variable_changes(now, before, false, names);
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0].before->name, "dense/kernel");
    EXPECT_EQ(changes[0].now->name, "classifier/kernel");
    EXPECT_EQ(changes[0].change(), -10);
    EXPECT_EQ(sum_of(changes), -10 + 2);
    EXPECT_EQ(sum_of(std::vector<VariableChange>()), 0);
}

} // namespace
} // namespace tilescope::analyse
