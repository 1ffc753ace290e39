// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/exchange_traffic.h"
#include "profile/recorder.h"
#include "profile/tile_array.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <numeric>

namespace tilescope::analyse {
namespace {

using namespace profile;
using Moved = std::vector<std::int64_t>;
constexpr std::int64_t move_tiles = 8;

/// Eight numbers of four bytes, two on each of the tiles 1 to 4. Exchange 0, which runs ten times, brings the
/// first four to tiles 0 and 5; 1 is not followed and moves two variables; 2 goes over links; 3 to the host.
class ExchangeMovesTest : public testing::Test {
  protected:
    void record(const std::string& axes, const Moved& differences) {
        auto recorder = Recorder::create(path_, RunRecord{}, Recorder::Existing::Overwrite);
        ASSERT_TRUE(recorder);
        Recorder& r = **recorder;
        r.set(TargetRecord{"pod4", "ipu2", 2, move_tiles, 1000, 1e9, 6});
        r.add(IpuRecord{0, 0, "", 0, 0});
        r.add(IpuRecord{1, 1, "", 0, 1});
        r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        for (std::int64_t id = 0; id < 4; ++id)
            r.add(ProgramRecord{1 + id, 0, id, StepKind::Exchange, "step", 0, -1, id, 1, id, 0, 100 + id, 0,
                                0, -1, id == 0 ? 10 : 1});
        r.add(
            VariableRecord{5, "kernel", MemoryCategory::Variables, -1, -1, -1, 0, DType::Float32, "[8]", 32});
        r.add(ExchangeRecord{0, "bring", ExchangeKind::Internal, 0, 32, 100, 0, -1});
        r.add_tile_values("exchange", 0, 0, "sent", Moved{0, 16, 16, 0, 0, 0, 0, 0});
        r.add_tile_values("exchange", 0, 0, "received", Moved{16, 0, 0, 0, 0, 16, 0, 0});
        r.add(ExchangeVariableRecord{0, 0, 5, 32});
        r.add(ExchangeMovesRecord{0, axes, 1, 4, 0, 0});
        r.add(TileNeedsRecord{0, "[8]", pack_tile_values(differences)});
        r.add(ExchangeRecord{1, "partials", ExchangeKind::Internal, 0, 40, 101, 0, -1});
        r.add(ExchangeVariableRecord{1, 0, 5, 30});
        r.add(ExchangeVariableRecord{1, 1, 6, 10});
        r.add(ExchangeRecord{2, "copy", ExchangeKind::InterIpu, 0, 40, 102, 0, 1});
        r.add_tile_values("exchange", 2, 0, "sent", Moved{0, 0, 0, 40, 0, 0, 0, 0});
        r.add_tile_values("exchange", 2, 1, "received", Moved{0, 0, 0, 40, 0, 0, 0, 0});
        r.add(ExchangeRecord{3, "feed", ExchangeKind::Host, 0, 40, 103, 0, -1});
        ASSERT_TRUE(r.finish(RunStatus::Complete));
        auto opened = Profile::open(path_);
        ASSERT_TRUE(opened);
        profile_ = std::move(*opened);
    }
    Result<TileMoves> moves(std::int64_t id) const {
        return tile_moves(*profile_, *exchange_traffic(*profile_, id));
    }

    const tests::TemporaryFolder folder_;
    const std::string path_ = folder_ / "run.tilescope";
    const std::string axes_ = "[[8, 2, 1, 4, 2, 0]]";
    /// Tiles 0 and 5; both from 0 to 4.
    const Moved needs_{0, 5, 0, 0, 4, 0};
    std::unique_ptr<Profile> profile_;
};

TEST_F(ExchangeMovesTest, SeveralTogetherAreTheSumOfTheirRuns) {
    record(axes_, needs_);
    const auto rows = exchange_list(*profile_, -1)->rows;
    ASSERT_EQ(rows.size(), 4U);
    const auto sum = summed_traffic(*profile_, rows);
    ASSERT_TRUE(sum);
    // Ten times 16 bytes from tiles 1 and 2, and 40 over links from tile 3, which has the one of its number.
    EXPECT_EQ(sum->sent, (Moved{0, 160, 160, 40, 0, 0, 0, 0}));
    EXPECT_EQ(sum->received, (Moved{160, 0, 0, 0, 0, 160, 0, 0}));
    EXPECT_EQ(sum->bytes, 360);
    EXPECT_EQ(sum->ipu, 0) << "which exchanges longest";
    EXPECT_EQ(sum->ipus, 2);
    EXPECT_EQ(sum->followed, 360);
    ASSERT_EQ(sum->moves.known, TileMoves::Known::Exactly);
    for (std::int64_t from = 0; from < move_tiles; ++from)
        for (std::int64_t to = 0; to < move_tiles; ++to)
            EXPECT_EQ(sum->moves.at(from, to), 10 * moves(0)->at(from, to) + (from == 3 && to == 3 ? 40 : 0))
                << from << " to " << to;
    const auto other = summed_traffic(*profile_, rows, 1, 1); // tile 3 of the other IPU is another tile
    ASSERT_TRUE(other);
    EXPECT_EQ(other->sent, Moved(8, 0));
    EXPECT_EQ(other->received, (Moved{0, 0, 0, 40, 0, 0, 0, 0}));
    const auto only = [&](std::int64_t id) {
        std::vector<ExchangeRow> some = rows;
        std::erase_if(some, [id](const ExchangeRow& row) { return row.exchange.id != id; });
        return summed_traffic(*profile_, some).value().moves;
    };
    EXPECT_EQ(only(1).known, TileMoves::Known::NotFollowed);
    EXPECT_EQ(only(3).known, TileMoves::Known::Outside);
    EXPECT_TRUE(only(1).bytes.empty());
}

TEST_F(ExchangeMovesTest, FollowTheElementsFromTileToTile) {
    record(axes_, needs_);
    const auto known = moves(0);
    ASSERT_TRUE(known);
    ASSERT_EQ(known->known, TileMoves::Known::Exactly);
    for (const std::int64_t from : {1, 2})
        for (const std::int64_t to : {0, 5})
            EXPECT_EQ(known->at(from, to), 8) << from << " to " << to;
    EXPECT_EQ(std::accumulate(known->bytes.begin(), known->bytes.end(), std::int64_t{0}), 32);
    EXPECT_EQ(known->senders(5), 2);
    EXPECT_EQ(known->senders(3), 0);
    EXPECT_EQ(moves_of_tiles(*known, {1}, true), (Moved{8, 0, 0, 0, 0, 8, 0, 0}));
    EXPECT_EQ(moves_of_tiles(*known, {0, 5}, false), (Moved{0, 16, 16, 0, 0, 0, 0, 0}));
}

// A part of a tensor that begins within a block: tile 1 has one of its elements, the tiles behind two each.
TEST_F(ExchangeMovesTest, FollowAPartThatBeginsWithinABlock) {
    record("[[8, 2, 1, 5, 2, 0, 1]]", needs_);
    const auto known = moves(0);
    ASSERT_TRUE(known);
    EXPECT_EQ(moves_of_tiles(*known, {5}, false), (Moved{0, 4, 8, 4, 0, 0, 0, 0}));
}

TEST_F(ExchangeMovesTest, SayWhyTheyAreNotKnown) {
    record(axes_, needs_);
    EXPECT_EQ(moves(1)->known, TileMoves::Known::NotFollowed);
    EXPECT_TRUE(moves_of_tiles(*moves(1), {1}, true).empty());
    EXPECT_EQ(moves(1)->senders(0), std::nullopt);
    EXPECT_EQ(moves(2)->at(3, 3), 40) << "to the tile of the same number";
    EXPECT_EQ(moves(3)->known, TileMoves::Known::Outside);
}

TEST_F(ExchangeMovesTest, AreRefusedWhereTheyMakeNoSense) {
    for (const std::string axes :
         {"", "[[8, 0, 1, 4, 2, 0]]", "[[8, 2, 1]]", "[[9, 2, 1, 4, 2, 0]]", "[8]", "[[8, 2, 1, 5, 2, 0, 2]]",
          "[[8, 2, 1, 5, 2, 0, -1]]", "[[8, 2, 1, 5, 2, 0, 0, 0]]"}) {
        record(axes, needs_);
        ASSERT_FALSE(moves(0)) << axes;
        EXPECT_EQ(moves(0).error().kind, ErrorKind::BadInput);
    }
    record(axes_, {0, 5, 0, 0, 9, 0});
    EXPECT_FALSE(moves(0));
}

TEST_F(ExchangeMovesTest, AddUpByVariable) {
    record(axes_, needs_);
    const auto list = exchange_list(*profile_, -1);
    ASSERT_TRUE(list);
    std::vector<const ExchangeRow*> rows;
    for (const ExchangeRow& row : list->rows)
        rows.push_back(&row);
    const auto moved = moved_variables(*profile_);
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->variables.at(5).name, "kernel");
    const auto by_variable = variable_moves(*moved, rows);
    ASSERT_EQ(by_variable.size(), 2U);
    EXPECT_EQ(by_variable[0].variable, 5);
    EXPECT_EQ(by_variable[0].bytes, 10 * 32 + 30);
    EXPECT_EQ(by_variable[0].exchanges, 2);
    EXPECT_EQ(by_variable[0].dearest, 0);
    EXPECT_EQ(by_variable[1].bytes, 10);
    EXPECT_DOUBLE_EQ(by_variable[0].share, 350.0 / 360);
    EXPECT_DOUBLE_EQ(by_variable[1].share, 10.0 / 360);
    EXPECT_EQ(times_of(80, moved->variables.at(5)), 2.5) << "of 32 bytes";
    EXPECT_EQ(times_of(80, VariableRecord{}), std::nullopt) << "it is on no tile";
    EXPECT_EQ(variable_moves(*moved, {rows.front()}).size(), 1U);
}

} // namespace
} // namespace tilescope::analyse
