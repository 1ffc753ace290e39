// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/profile.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>

namespace tilescope::profile {

// What divides by them, or counts up to them, would not end.
TEST(Target, ThatCannotBeIsRefused) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    const std::map<std::string, std::string> changes = {
        {"bytes_per_tile = 0", "bytes_per_tile 0"},
        {"bytes_per_tile = 4611686018427387904", "bytes_per_tile 4611686018427387904"},
        {"bytes_per_tile = 'much'", "bytes_per_tile 0"},
        {"tiles_per_ipu = 0", "tiles_per_ipu 0"},
        {"tiles_per_ipu = 8193", "tiles_per_ipu 8193"},
        {"half_flops_per_cycle = 0", "half_flops_per_cycle 0"},
        {"float_flops_per_cycle = -1", "float_flops_per_cycle -1"},
        {"exchange_bytes_per_cycle = ''", "exchange_bytes_per_cycle 0"},
        {"clock_hz = 0", "a clock_hz that is none"},
        {"clock_hz = 9e999", "a clock_hz that is none"},
        {"generation = 'cpu'", "tiles_per_ipu 64"}};
    for (const auto& [change, named] : changes) {
        const std::string file = folder / "changed.tilescope";
        std::filesystem::copy_file(path, file, std::filesystem::copy_options::overwrite_existing);
        run_sql(file, "UPDATE target SET " + change);
        const auto target = (*Profile::open(file))->target();
        ASSERT_FALSE(target) << change;
        EXPECT_EQ(target.error().line(),
                  file + ": the file is damaged: its target has " + named + "; record the profile again");
    }
    run_sql(path, "UPDATE target SET half_flops_per_cycle = NULL, tiles_per_ipu = 8192");
    EXPECT_EQ((*Profile::open(path))->target()->tiles_per_ipu, 8192)
        << "not told, and as many as there may be";
    run_sql(path, "UPDATE target SET generation = 'cpu', ipus = 0, tiles_per_ipu = 0, bytes_per_tile = 0, "
                  "clock_hz = 0");
    EXPECT_TRUE((*Profile::open(path))->target()) << "as of a run on the host";
}

} // namespace tilescope::profile
