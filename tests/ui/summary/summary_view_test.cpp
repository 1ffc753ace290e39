// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/summary/summary_view.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using tests::comes_to_show;
using tests::shows;

class Summary : public testing::Test {
  protected:
    void SetUp() override {
        view_.resize(1200, 900);
        view_.setSelection(&selection_);
        view_.setVisible(true);
    }
    void TearDown() override { view_.setSources({}); }
    void open(const std::string& name) {
        auto opened = ProfileSource::open(QString::fromStdString(folder_ / name));
        ASSERT_TRUE(opened) << opened.error().line();
        source_ = *opened;
        view_.setSources({source_, nullptr});
    }

    tests::TemporaryFolder folder_;
    std::shared_ptr<ProfileSource> source_;
    SelectionModel selection_;
    SummaryView view_;
};

TEST_F(Summary, ShowsWhatWasMeasured) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "complete.tilescope"));
    open("complete.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("simulated, 12 steps")));
    EXPECT_TRUE(shows(view_, QStringLiteral("with gaps; all tiles")));
}

// Two tiles, the second too full; nothing was executed.
TEST_F(Summary, ARunThatDoesNotFitHasNoTimes) {
    profile::RunRecord run;
    run.name = "large";
    run.device = profile::RunDevice::Ipu;
    run.workload = std::string("{}");
    run.batch_size = 32;
    auto recorder = profile::Recorder::create(folder_ / "oom.tilescope", run);
    ASSERT_TRUE(recorder) << recorder.error().line();
    (*recorder)->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6});
    (*recorder)->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
    for (const auto& [metric, bytes] : {std::pair("total", std::vector<std::int64_t>{512, 1000}),
                                        std::pair("total_with_gaps", std::vector<std::int64_t>{600, 1536}),
                                        std::pair("always_live", std::vector<std::int64_t>{100, 100})})
        (*recorder)->add_tile_values("memory", 0, 0, metric, bytes);
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::OutOfMemory, "tile 1 is too full"));
    open("oom.tilescope");
    ASSERT_TRUE(comes_to_show(view_, QStringLiteral("tile 1: 1.50 KiB of 1 KiB with gaps")));
    EXPECT_TRUE(shows(view_, QStringLiteral("150.0 %")));
    EXPECT_TRUE(shows(view_, QStringLiteral("out of memory before the first execution")));
    EXPECT_FALSE(shows(view_, QStringLiteral("0 /s")));
    EXPECT_FALSE(shows(view_, QStringLiteral("0 ns")));
    EXPECT_FALSE(shows(view_, QStringLiteral("0 s")));
}

} // namespace
} // namespace tilescope::ui
