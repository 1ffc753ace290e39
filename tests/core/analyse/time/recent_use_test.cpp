// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/recent_use.h"
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

/// Four engine runs of 20 s of wall time each; the first two compute 10 of 100 cycles, the others 60.
std::unique_ptr<profile::Profile> recorded(const tests::TemporaryFolder& folder, std::int64_t wall_us) {
    const std::string path = folder / "run.tilescope";
    auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
    recorder->set(profile::TargetRecord{"pod4", "ipu2", 1, 2, 1000, 1e6, 6});
    recorder->add(profile::IpuRecord{0, 0, "", 0, 0, -1});
    for (std::int64_t id = 0; id < 4; ++id) {
        const std::int64_t compute = id < 2 ? 10 : 60;
        tests::record_rows(*recorder, {{id, profile::ExecutionKind::Train, 0, id, 1, id * 100, 100, wall_us}},
                           {{id, 0, compute, 0, 0, 0, 0, 100 - compute}});
    }
    EXPECT_TRUE(recorder->finish(profile::RunStatus::Complete));
    return *profile::Profile::open(path);
}

} // namespace

TEST(RecentUse, IsOfTheNewestEngineRunsThatTookSoLong) {
    const tests::TemporaryFolder folder;
    const auto file = recorded(folder, 20'000'000);
    const auto last = recent_use(*file, 40);
    ASSERT_TRUE(last && *last);
    EXPECT_EQ((*last)->executions, 2);
    EXPECT_DOUBLE_EQ((*last)->seconds, 40);
    EXPECT_EQ((*last)->by_ipu.at(0).compute, 120);
    EXPECT_EQ((*last)->by_ipu.at(0).waiting, 80);
    const auto minute = recent_use(*file, 60); // the last three: 10 + 60 + 60 of 300 cycles
    EXPECT_EQ((*minute)->by_ipu.at(0).compute, 130);
    const auto part = recent_use(*file, 50); // a run counts whole
    EXPECT_EQ((*part)->executions, 3);
    const auto all = recent_use(*file, 1000);
    EXPECT_EQ((*all)->executions, 4);
    EXPECT_DOUBLE_EQ((*all)->seconds, 80);
}

TEST(RecentUse, IsNotKnownOfAnEstimate) {
    const tests::TemporaryFolder folder;
    EXPECT_FALSE(*recent_use(*recorded(folder, 0), 60));
}

} // namespace tilescope::analyse
