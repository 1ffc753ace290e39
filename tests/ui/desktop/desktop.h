// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/temporary_folder.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tilescope::tests {

/// What a shell command prints, without the line break at its end.
std::string output_of(const std::string& command);
std::string contents(const std::string& path);

/// A program that runs while the object lives.
class Process {
  public:
    explicit Process(const std::string& command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    /// Its exit code once it has ended, waiting so long at the most; -1 where it goes on.
    int ended(int seconds = 30);

  private:
    pid_t pid_;
};

/// The real window on a real X server (Xvfb), moved by a real pointer and real keys (xdotool); what it copies
/// is read from the clipboard (xclip). Skips where these are not installed.
class Desktop : public testing::Test {
  protected:
    void SetUp() override;
    /// Opens the window with files of the folder, the last of them in front.
    void start(const std::vector<std::string>& files);

    static bool comes_true(const std::function<bool()>& condition);
    std::string tool(const std::string& arguments) const;
    /// One after the other, as xdotool names them: "ctrl+9".
    void press(const std::vector<std::string>& keys) const;
    std::string id() const; ///< of the window
    std::string title() const;
    /// Whether the window comes to show a view of a file.
    bool shows(const std::string& file, const std::string& view) const;
    std::string clipboard() const;
    /// What Ctrl+C copies from the part with the focus, by line and field: asked for until it satisfies.
    using Rows = std::vector<std::vector<std::string>>;
    Rows copied(const std::function<bool(const Rows&)>& complete) const;

    const TemporaryFolder folder_;
    std::unique_ptr<Process> server_;
    std::unique_ptr<Process> window_;

  private:
    std::string environment_;
};

} // namespace tilescope::tests
