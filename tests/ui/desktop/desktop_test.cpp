// SPDX-License-Identifier: GPL-3.0-or-later
/// The real window on a real X server (Xvfb), moved by a real pointer and real keys (xdotool).
#include "analyse/comparison_file.h"
#include "build_paths.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilescope;

namespace {

/// What a shell command prints, without the line break at its end.
std::string output_of(const std::string& command) {
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    std::array<char, 256> piece{};
    while (pipe != nullptr && std::fgets(piece.data(), static_cast<int>(piece.size()), pipe) != nullptr)
        text += piece.data();
    if (pipe != nullptr)
        pclose(pipe);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

std::string contents(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A program that runs while the object lives.
class Process {
  public:
    explicit Process(const std::string& command) : pid_(fork()) {
        if (pid_ == 0) {
            execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
            _exit(127);
        }
    }
    ~Process() {
        if (pid_ > 0 && kill(pid_, SIGTERM) == 0)
            waitpid(pid_, nullptr, 0);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    /// Its exit code once it has ended, waiting so long at the most; -1 where it goes on.
    int ended(int seconds = 30) {
        for (int i = 0; i < 10 * seconds; ++i) {
            int status = 0;
            if (waitpid(pid_, &status, WNOHANG) == pid_) {
                pid_ = -1;
                return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return -1;
    }

  private:
    pid_t pid_;
};

class Desktop : public testing::Test {
  protected:
    void SetUp() override {
        if (output_of("command -v Xvfb && command -v xdotool").empty())
            GTEST_SKIP() << "Xvfb and xdotool are not installed";
        ASSERT_TRUE(tests::record_fixture(folder_ / "run.tilescope"));
        const std::string number = folder_ / "display";
        server_ = std::make_unique<Process>("Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp 3>" +
                                            number + " >/dev/null 2>&1");
        ASSERT_TRUE(comes_true([&] { return !contents(number).empty() && contents(number).back() == '\n'; }));
        std::string display = contents(number);
        display.pop_back();
        environment_ = "DISPLAY=:" + display + " HOME=" + folder_.path().string() +
                       " XDG_CONFIG_HOME=" + (folder_ / "config") +
                       " XDG_RUNTIME_DIR=" + folder_.path().string() + " QT_QPA_PLATFORM=xcb ";
        window_ = std::make_unique<Process>("env " + environment_ +
                                            TILESCOPE_BIN_DIR "/tilescope-gui --size 1280x900 " +
                                            (folder_ / "run.tilescope") + " >" + (folder_ / "log") + " 2>&1");
        ASSERT_TRUE(comes_true([&] { return !id().empty(); })) << contents(folder_ / "log");
        ASSERT_TRUE(comes_true([&] { return title() == "run – Summary – Tilescope"; })) << title();
        tool("windowfocus --sync " + id());
    }

    template<class Condition>
    static bool comes_true(const Condition& condition) {
        for (int i = 0; i < 300; ++i) {
            if (condition())
                return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return false;
    }
    std::string tool(const std::string& arguments) const {
        return output_of("env " + environment_ + "xdotool " + arguments + " 2>/dev/null");
    }
    std::string id() const { return tool("search --onlyvisible --name Tilescope | head -1"); }
    std::string title() const { return tool("getwindowname " + id()); }
    bool shows(const std::string& view) const {
        return comes_true([&] { return title() == "run – " + view + " – Tilescope"; });
    }

    const tests::TemporaryFolder folder_;
    std::string environment_;
    std::unique_ptr<Process> server_;
    std::unique_ptr<Process> window_;
};

} // namespace

TEST_F(Desktop, MouseAndKeysGoThroughTheViewsAndTheWindowRemembersTheLast) {
    tool("mousemove --window " + id() + " 38 224 click 1"); // the third of the rail
    EXPECT_TRUE(shows("Memory")) << title();
    tool("key ctrl+5");
    EXPECT_TRUE(shows("Graph")) << title();
    tool("key ctrl+k"); // the command palette
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    tool("type --delay 50 trace");
    tool("key Return");
    EXPECT_TRUE(shows("Trace")) << title();
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
