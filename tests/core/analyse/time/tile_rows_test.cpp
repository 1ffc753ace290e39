// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_rows.h"
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using namespace profile;

/// An IPU of 8 tiles. After 100 cycles of the host: a step of 10 cycles of sync, 40 of exchange in which tile
/// 0 sends 80 bytes to tile 1 and tile 2 sends 40 to tile 3, and 100 of compute, of which tile t computes
/// 100, 50, 0, 0, 100, 100, 0, 0; 50 cycles of waiting; and the same again.
class EightTiles : public testing::Test {
  protected:
    void SetUp() override {
        auto recorder = Recorder::create(path, {});
        ASSERT_TRUE(recorder);
        Recorder& r = **recorder;
        r.set(TargetRecord{"pod4", "ipu2", 1, 8, 1000, 1e9, 6});
        r.add(IpuRecord{0, 0, "a"});
        r.add(ExchangeRecord{0, "in", ExchangeKind::Internal, 0, 120});
        r.add(ComputeSetRecord{0, "dense", 0});
        r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        r.add(ProgramRecord{1, 0, 0, StepKind::Execute, "dense", 0, 0, 0});
        r.add_tile_values("exchange", 0, 0, "sent", std::vector<std::int64_t>{80, 0, 40, 0, 0, 0, 0, 0});
        r.add_tile_values("exchange", 0, 0, "received", std::vector<std::int64_t>{0, 80, 0, 40, 0, 0, 0, 0});
        r.add_tile_values("compute_set", 0, 0, "cycles",
                          std::vector<std::int64_t>{100, 50, 0, 0, 100, 100, 0, 0});
        tests::record_rows(r, {{0, ExecutionKind::Train, 0, 0, 2, 0, 450, 1}},
                           {{0, 0, 200, 80, 20, 0, 100, 50}},
                           {{0, 0, 1, 0, 100, 10, 40, 100}, {0, 1, 1, 0, 300, 10, 40, 100}});
        ASSERT_TRUE(r.finish(RunStatus::Complete));
        file = std::move(*Profile::open(path));
    }
    /// Cycles of a kind of time in a row, by the shares of its cells.
    static double cycles(const TileRows& rows, std::size_t row, TimeKind kind, std::size_t from,
                         std::size_t to) {
        double sum = 0;
        for (std::size_t c = from; c < to; ++c)
            sum += rows.cells[row * rows.columns + c][static_cast<std::size_t>(kind)] *
                   static_cast<double>(rows.width) / 255;
        return sum;
    }
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Profile> file;
};

TEST_F(EightTiles, ARowHasTheTimeOfItsTiles) {
    auto activity = TileActivity::read(*file).value();
    EXPECT_EQ(activity.tiles(), 8);
    for (const std::int64_t width : {1, 7, 30, 150}) { // steps wider and narrower than a column
        const TileRows rows = activity.rows(*file, 0, {0, 450}, width, 0, 7, 4).value();
        ASSERT_EQ(rows.rows, 4U);
        EXPECT_EQ(rows.tiles_per_row, 2);
        ASSERT_EQ(rows.columns, static_cast<std::size_t>((450 + width - 1) / width));
        const auto all = [&](std::size_t row, TimeKind kind) {
            return cycles(rows, row, kind, 0, rows.columns);
        };
        const double rounding = 0.003 * 450;
        for (std::size_t row = 0; row < 4; ++row) {
            EXPECT_NEAR(all(row, TimeKind::Sync), 20, rounding);
            EXPECT_NEAR(all(row, TimeKind::Host), 100, rounding);
        }
        // Tiles 0 and 1 exchange for all of the 40 cycles, 2 and 3 for half of them.
        EXPECT_NEAR(all(0, TimeKind::Exchange), 80, rounding);
        EXPECT_NEAR(all(1, TimeKind::Exchange), 40, rounding);
        EXPECT_NEAR(all(2, TimeKind::Exchange), 0, rounding);
        EXPECT_NEAR(all(0, TimeKind::Compute), 2 * 75, rounding);
        EXPECT_NEAR(all(1, TimeKind::Compute), 0, rounding);
        EXPECT_NEAR(all(2, TimeKind::Compute), 2 * 100, rounding);
        EXPECT_NEAR(all(1, TimeKind::Waiting), 50 + 40 + 200, rounding);
    }
}

TEST_F(EightTiles, TheSlowestTileEndsTheStepAndTheOthersWait) {
    auto activity = TileActivity::read(*file).value();
    const TileRows rows = activity.rows(*file, 0, {100, 250}, 1, 0, 7, 8).value();
    const auto at = [&](std::size_t tile, std::size_t cycle, TimeKind kind) {
        return rows.cells[tile * rows.columns + cycle][static_cast<std::size_t>(kind)] == 255;
    };
    EXPECT_TRUE(at(5, 9, TimeKind::Sync));
    EXPECT_TRUE(at(0, 49, TimeKind::Exchange));
    EXPECT_TRUE(at(3, 29, TimeKind::Exchange));
    EXPECT_TRUE(at(3, 30, TimeKind::Waiting)) << "half the bytes, half the time";
    EXPECT_TRUE(at(1, 50 + 49, TimeKind::Compute));
    EXPECT_TRUE(at(1, 50 + 50, TimeKind::Waiting));
    EXPECT_TRUE(at(0, 149, TimeKind::Compute));
    ASSERT_TRUE(rows.slowest.count(1));
    EXPECT_EQ(rows.slowest.at(1).tile, 0);
    EXPECT_EQ(rows.slowest.at(1).cycles, 100);
    EXPECT_EQ(rows.slowest.at(1).mean, 350.0 / 8);
}

TEST_F(EightTiles, ARangeOfTilesIsCutToThoseThatThereAre) {
    auto activity = TileActivity::read(*file).value();
    const TileRows some = activity.rows(*file, 0, {0, 450}, 10, 4, 99, 2).value();
    EXPECT_EQ(some.first_tile, 4);
    EXPECT_EQ(some.last_tile, 7);
    EXPECT_EQ(some.tiles_per_row, 2);
    EXPECT_EQ(some.rows, 2U);
    EXPECT_NEAR(cycles(some, 0, TimeKind::Compute, 0, some.columns), 200, 2);
    EXPECT_NEAR(cycles(some, 1, TimeKind::Compute, 0, some.columns), 0, 2);
    const TileRows odd = activity.rows(*file, 0, {0, 450}, 10, 0, 4, 2).value();
    EXPECT_EQ(odd.tiles_per_row, 3);
    EXPECT_NEAR(cycles(odd, 1, TimeKind::Compute, 0, odd.columns), 2 * 50, 2) << "tiles 3 and 4";
}

} // namespace
} // namespace tilescope::analyse
