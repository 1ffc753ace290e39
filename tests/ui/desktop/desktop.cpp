// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/desktop/desktop.h"

#include "build_paths.h"

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
    for (const char* program : {"Xvfb", "xdotool", "xclip"})
        if (output_of(std::string("command -v ") + program).empty())
            GTEST_SKIP() << program << " is not installed";
    const std::string number = folder_ / "display";
    server_ = std::make_unique<Process>("Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp 3>" + number +
                                        " >/dev/null 2>&1");
    ASSERT_TRUE(comes_true([&] { return !contents(number).empty() && contents(number).back() == '\n'; }));
    std::string display = contents(number);
    display.pop_back();
    environment_ = "DISPLAY=:" + display + " HOME=" + folder_.path().string() +
                   " XDG_CONFIG_HOME=" + (folder_ / "config") +
                   " XDG_RUNTIME_DIR=" + folder_.path().string() + " QT_QPA_PLATFORM=xcb ";
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

bool Desktop::comes_true(const std::function<bool()>& condition) {
    for (int i = 0; i < 300; ++i) {
        if (condition())
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

std::string Desktop::tool(const std::string& arguments) const {
    return output_of("env " + environment_ + "xdotool " + arguments + " 2>/dev/null");
}

void Desktop::press(const std::vector<std::string>& keys) const {
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

Desktop::Rows Desktop::copied(const std::function<bool(const Rows&)>& complete) const {
    Rows rows;
    comes_true([&] {
        press({"ctrl+c"});
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
