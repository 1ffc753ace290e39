// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/desktop/desktop.h"

#include "build_paths.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tilescope::tests {
namespace {

constexpr int read_seconds = 10;

} // namespace

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

Process::Process(const std::string& command) : pid_(fork()) {
    if (pid_ == 0) {
        execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
        _exit(127);
    }
}

Process::~Process() {
    if (pid_ > 0 && kill(pid_, SIGTERM) == 0)
        waitpid(pid_, nullptr, 0);
}

int Process::ended(int seconds) {
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

void Desktop::SetUp() {
    for (const char* program : {"Xvfb", "xdotool", "xclip", "dbus-daemon"})
        if (output_of(std::string("command -v ") + program).empty())
            GTEST_SKIP() << program << " is not installed";
    std::string display, bus;
    // Without -noreset it starts anew when its last client leaves, and refuses who comes meanwhile.
    server_ = started("Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp -noreset", "display", display);
    environment_ = "DISPLAY=:" + display + " HOME=" + folder_.path().string() +
                   " XDG_CONFIG_HOME=" + (folder_ / "config") +
                   " XDG_RUNTIME_DIR=" + folder_.path().string() + " QT_QPA_PLATFORM=xcb ";
    bus_ = started("env " + environment_ + "dbus-daemon --session --nofork --print-address=3", "bus", bus);
    environment_ += "DBUS_SESSION_BUS_ADDRESS=" + bus + " QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 ";
    screen_ = std::make_unique<Screen>(bus);
    if (!screen_->works())
        GTEST_SKIP() << "at-spi2-core is not installed";
}

/// A server that writes where it is found, a line, to what it has as 3.
std::unique_ptr<Process> Desktop::started(const std::string& command, const std::string& name,
                                          std::string& line) const {
    const std::string path = folder_ / name;
    auto process = std::make_unique<Process>(command + " 3>" + path + " >/dev/null 2>&1");
    EXPECT_TRUE(comes_true([&] { return contents(path).ends_with('\n'); })) << command;
    line = contents(path);
    line.resize(line.find('\n') == std::string::npos ? 0 : line.find('\n'));
    return process;
}

void Desktop::start(const std::vector<std::string>& files) {
    std::string paths;
    for (const std::string& file : files)
        paths += " " + (folder_ / (file + ".tilescope"));
    window_ = std::make_unique<Process>("env -C " + folder_.path().string() + " " + environment_ +
                                        TILESCOPE_BIN_DIR "/tilescope-gui --size 1280x900" + paths + " >" +
                                        (folder_ / "log") + " 2>&1");
    ASSERT_TRUE(comes_true([&] { return !id().empty(); })) << contents(folder_ / "log");
    if (!files.empty()) {
        ASSERT_TRUE(shows(files.back(), "Summary")) << title();
    }
    ASSERT_TRUE(comes_true([&] {
        tool("windowfocus --sync " + id());
        return tool("getwindowfocus") == id();
    }));
}

bool Desktop::comes_true(const std::function<bool()>& condition, int seconds) {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + std::chrono::seconds(seconds);
    while (!condition()) {
        if (steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return true;
}

std::string Desktop::tool(const std::string& arguments) const {
    return output_of("env " + environment_ + "xdotool " + arguments + " 2>/dev/null");
}

void Desktop::press(const std::vector<std::string>& keys) const {
    // There is no window manager, which would give the focus back when a dialog has gone.
    if (tool("getwindowfocus getwindowname").empty())
        tool("windowfocus --sync " + id());
    for (const std::string& key : keys) {
        tool("key " + key);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

std::string Desktop::id() const {
    return tool("search --onlyvisible --name Tilescope | head -1");
}

std::string Desktop::title() const {
    return tool("getwindowname " + id());
}

bool Desktop::shows(const std::string& file, const std::string& view) const {
    return comes_true([&] { return title() == file + " – " + view + " – Tilescope"; });
}

std::string Desktop::clipboard() const {
    return output_of("env " + environment_ +
                     "timeout 5 xclip -o -selection clipboard -t UTF8_STRING 2>/dev/null");
}

std::optional<SeenPart> Desktop::find(const std::string& words, const std::string& role) const {
    std::optional<SeenPart> found;
    comes_true(
        [&] {
            for (const SeenPart& part : screen_->parts()) {
                const bool named = part.name == words;
                if ((role.empty() || part.role == role) && (named || (!found && part.says(words))))
                    found = part;
                if (found && named)
                    break;
            }
            return found.has_value();
        },
        read_seconds);
    return found;
}

bool Desktop::selects(const std::string& words) const {
    return comes_true(
        [&] {
            const auto parts = screen_->parts();
            return std::any_of(parts.begin(), parts.end(),
                               [&](const SeenPart& part) { return part.selected && part.says(words); });
        },
        read_seconds);
}

void Desktop::point(const std::string& words, const std::string& role) const {
    const auto part = find(words, role);
    ASSERT_TRUE(part) << role << " “" << words << "” is not in view:\n" << seen();
    tool("mousemove --sync " + std::to_string(part->left + part->width / 2) + " " +
         std::to_string(part->top + part->height / 2));
}

void Desktop::click(const std::string& words, const std::string& role) const {
    point(words, role);
    tool("click 1");
}

std::string Desktop::seen() const {
    std::string lines;
    for (const SeenPart& part : screen_->parts())
        if (!part.name.empty() || !part.words.empty())
            lines +=
                part.role + ": " + part.name + (part.words.empty() ? "" : " (" + part.words + ")") + "\n";
    return lines;
}

Desktop::Rows Desktop::copied(const std::function<bool(const Rows&)>& complete) const {
    return copiedBy({"ctrl+c"}, complete);
}

Desktop::Rows Desktop::allCopied(const std::function<bool(const Rows&)>& complete) const {
    return copiedBy({"ctrl+a", "ctrl+c"}, complete);
}

Desktop::Rows Desktop::copiedBy(const std::vector<std::string>& keys,
                                const std::function<bool(const Rows&)>& complete) const {
    Rows rows;
    comes_true([&] {
        press(keys);
        std::istringstream text(clipboard());
        rows.clear();
        for (std::string line; std::getline(text, line);) {
            std::istringstream fields(line);
            rows.emplace_back();
            for (std::string field; std::getline(fields, field, '\t');)
                rows.back().push_back(field);
        }
        return complete(rows);
    });
    return rows;
}

} // namespace tilescope::tests
