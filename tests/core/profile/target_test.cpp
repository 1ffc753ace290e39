// SPDX-License-Identifier: GPL-3.0-or-later
#include "older_schema.h"
#include "profile/profile.h"
#include "profile/recorder.h"
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
        {"clock_hz = 9e999", "a clock_hz that is none"}};
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
}

// That of a run on the host's processor has no tiles and no cycles, whatever it is called.
TEST(Target, OfTheHostHasNoTiles) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    RunRecord run;
    run.device = RunDevice::Cpu;
    auto recorder = std::move(*Recorder::create(path, run));
    recorder->set(TargetRecord{"", "cpu", 0, 0, 0, 0, 0});
    ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    recorder.reset();
    EXPECT_TRUE((*Profile::open(path))->target());
    EXPECT_EQ((*Profile::open(path))->run()->device, RunDevice::Cpu);
    run_sql(path, "UPDATE target SET generation = 'ipu2'");
    EXPECT_TRUE((*Profile::open(path))->target());
    run_sql(path, "UPDATE target SET tiles_per_ipu = 64");
    EXPECT_FALSE((*Profile::open(path))->target());
    run_sql(path, "UPDATE target SET tiles_per_ipu = 0; UPDATE run SET device = 'ipu'");
    EXPECT_FALSE((*Profile::open(path))->target());
}

} // namespace tilescope::profile
