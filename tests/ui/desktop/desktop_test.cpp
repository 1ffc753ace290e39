// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison_file.h"
#include "build_paths.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/ui/desktop/desktop.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

using namespace tilescope;
using tests::contents;
using tests::Desktop;
using tests::output_of;
using tests::Process;

namespace {

class Walk : public Desktop {};

} // namespace

TEST_F(Walk, MouseAndKeysGoThroughTheViewsAndTheWindowRemembersTheLast) {
    ASSERT_TRUE(tests::record_fixture(folder_ / "run.tilescope"));
    start({"run"});
    tool("mousemove --window " + id() + " 38 224 click 1"); // the third of the rail
    EXPECT_TRUE(shows("run", "Memory")) << title();
    tool("key ctrl+5");
    EXPECT_TRUE(shows("run", "Graph")) << title();
    tool("key ctrl+k"); // the command palette
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    tool("type --delay 50 trace");
    tool("key Return");
    EXPECT_TRUE(shows("run", "Trace")) << title();
    tool("key ctrl+q");
    EXPECT_EQ(window_->ended(), 0) << contents(folder_ / "log");
    EXPECT_NE(output_of("cat " + (folder_ / "config") + "/*/*").find("view=trace"), std::string::npos);
}

TEST(Grab, OfASavedComparisonWritesNoSettings) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "base.tilescope"));
    ASSERT_TRUE(tests::record_fixture(folder / "new.tilescope", {16, 3, 1, 1, 1}));
    analyse::SavedComparison comparison{folder / "base.tilescope", {}, folder / "new.tilescope"};
    const analyse::HandMatches by_hand{{analyse::PartKind::Layer, "dense", "dense_1"}};
    comparison.runs.push_back({folder / "new.tilescope", by_hand, {}});
    std::ofstream(folder / "saved.tilescope-compare")
        << analyse::comparison_text(comparison, folder / "saved.tilescope-compare");
    const std::string settings = folder / "config/tilescope/tilescope.conf";
    std::filesystem::create_directories(folder / "config/tilescope");
    std::ofstream(settings) << "[window]\ntheme=2\n";
    Process grab("env HOME=" + folder.path().string() + " XDG_CONFIG_HOME=" + (folder / "config") +
                 " XDG_RUNTIME_DIR=" + folder.path().string() +
                 " QT_QPA_PLATFORM=offscreen " TILESCOPE_BIN_DIR "/tilescope-gui " +
                 (folder / "saved.tilescope-compare") + " --size 1000x700 --grab " + (folder / "pictures") +
                 " >" + (folder / "log") + " 2>&1");
    ASSERT_EQ(grab.ended(200), 0) << contents(folder / "log");
    EXPECT_EQ(contents(settings), "[window]\ntheme=2\n");
    EXPECT_EQ(output_of("ls " + (folder / "config") + "/tilescope"), "tilescope.conf");
    EXPECT_GT(std::filesystem::file_size(folder / "pictures/compare.png"), 10'000U);
}
