// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/kinds.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilescope::profile {
namespace {

using Table = std::vector<std::vector<std::string>>;
using Tiles = std::vector<std::int64_t>;

/// One IPU of two tiles with 1000 bytes each, of which the last 400 are interleaved.
class TileRegions : public testing::Test {
  protected:
    void record(std::optional<std::int64_t> interleaved) {
        Result<std::unique_ptr<Recorder>> opened = Recorder::create(path, {});
        ASSERT_TRUE(opened) << opened.error().line();
        Recorder& recorder = **opened;
        TargetRecord target;
        target.ipus = 1;
        target.tiles_per_ipu = 2;
        target.bytes_per_tile = 1000;
        target.interleaved_bytes = interleaved;
        recorder.set(target);
        recorder.add(IpuRecord{});
        // 0: code, always. 1 and 2 at steps 0 to 3 and 2 to 5: 2 and 3 are the peak, of 750 bytes. 3 and 4
        // lie, at other steps, where parts of 1 and 2 do, and over each other. 5 begins at the end of the
        // memory.
        hold(recorder, {0, MemoryCategory::VertexCode, true, -1, -1}, 0, 100);
        hold(recorder, {1, MemoryCategory::Variables, false, 0, 3}, 100, 150);
        hold(recorder, {2, MemoryCategory::Variables, false, 2, 5}, 500, 500);
        hold(recorder, {3, MemoryCategory::Constants, false, 6, 7}, 200, 320);
        hold(recorder, {4, MemoryCategory::MessageBuffers, false, 8, 9}, 510, 110);
        hold(recorder, {5, MemoryCategory::Stack, true, -1, -1}, 1000, 8);
        recorder.add_tile_values("memory", 0, 0, "total", Tiles{758, 0});
        ASSERT_TRUE(recorder.finish(RunStatus::Complete));
    }
    Table rows(const std::string& sql) const {
        const auto profile = Profile::open(path);
        EXPECT_TRUE(profile);
        const auto result = (*profile)->query(sql);
        EXPECT_TRUE(result) << result.error().line();
        Table all;
        if (!result)
            return all;
        for (const auto& row : result->rows)
            for (all.emplace_back(); const QueryCell& cell : row)
                all.back().push_back(cell.text.value_or("NULL"));
        return all;
    }
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";

  private:
    struct Life {
        std::int64_t id;
        MemoryCategory category;
        bool always_live;
        std::int64_t from;
        std::int64_t to;
    };
    static void hold(Recorder& recorder, const Life& life, std::int64_t address, std::int64_t bytes) {
        VariableRecord variable;
        variable.id = life.id;
        variable.name = "v" + std::to_string(life.id);
        variable.category = life.category;
        variable.bytes = bytes;
        variable.always_live = life.always_live;
        variable.live_from = life.from;
        variable.live_to = life.to;
        recorder.add(variable);
        recorder.add_tile_values("variable", life.id, 0, "bytes", Tiles{bytes, 0});
        recorder.add_tile_values("variable", life.id, 0, "address", Tiles{address, -1});
    }
};

TEST_F(TileRegions, AreWhereWhatIsLiveAtThePeakLies) {
    record(400);
    // Of 1, [200, 250) is also 3's; of 2, [500, 520) is 3's and [510, 620) is 4's, in the lower region up to
    // 600.
    const Table expected{{"Variables", "non_interleaved", "100", "150"},
                         {"Variables", "interleaved", "380", "20"},
                         {"Vertex Code", "non_interleaved", "100", "0"},
                         {"Stack", "overflowed", "8", "0"}};
    EXPECT_EQ(rows("SELECT * FROM tile_regions(0, 0)"), expected);
    EXPECT_EQ(rows("SELECT * FROM tile_regions(0, 1)"), Table{}) << "which holds nothing";
    EXPECT_EQ(rows("SELECT * FROM tile_regions(1, 0)"), Table{}) << "no such IPU";
}

TEST_F(TileRegions, AreNotKnownWhereTheTargetHasNone) {
    record(std::nullopt);
    EXPECT_EQ(rows("SELECT * FROM tile_regions(0, 0)"), Table{});
}

TEST_F(TileRegions, ValuesOfOneTileAreAskedForAlone) {
    record(400);
    EXPECT_EQ(rows("SELECT * FROM tile_values('variable', 1, 0, 'address') WHERE tile = 1"),
              (Table{{"1", "-1"}}));
    EXPECT_EQ(rows("SELECT value FROM tile_values('variable', 1, 0, 'address') WHERE tile >= 0 AND tile < 1"),
              (Table{{"100"}}));
    EXPECT_EQ(rows("SELECT value FROM tile_values('variable', 1, 0, 'address') WHERE tile = 2"), Table{});
    EXPECT_EQ(rows("SELECT value FROM tile_values('variable', 1, 0, 'address') WHERE tile > 9 AND tile < -9"),
              Table{});
}

/// Each category has a name of PopVision's library of its own.
TEST_F(TileRegions, OfEachCategoryHaveANameThere) {
    record(400);
    std::set<std::string> names;
    for (const std::string_view name : spelling(MemoryCategory{}).values) {
        const Table found =
            rows("SELECT name FROM pva_categories WHERE category = '" + std::string(name) + "'");
        ASSERT_EQ(found.size(), 1U) << name;
        EXPECT_TRUE(names.insert(found[0][0]).second) << found[0][0];
    }
    EXPECT_EQ(names.size(), 11U);
}

} // namespace
} // namespace tilescope::profile
