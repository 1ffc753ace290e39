// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/temporary_folder.h"
#include "tests/ui/desktop/screen.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
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

/// The real window on a real X server (Xvfb), moved by a real pointer and real keys (xdotool); what it shows
/// is read as a screen reader does (Screen), and what it copies from the clipboard (xclip). Skips where these
/// are not installed.
class Desktop : public testing::Test {
  protected:
    void SetUp() override;
    /// Opens the window with files of the folder, the last of them in front.
    void start(const std::vector<std::string>& files);

    static bool comes_true(const std::function<bool()>& condition, int seconds = 60);
    std::string tool(const std::string& arguments) const;
    /// One after the other, as xdotool names them: "ctrl+9".
    void press(const std::vector<std::string>& keys) const;
    std::string id() const; ///< of the window
    std::string title() const;
    /// Whether the window comes to show a view of a file.
    bool shows(const std::string& file, const std::string& view) const;
    std::string clipboard() const;
    /// What is in view with that name and role ("": any), else the first, outer ones first, that says the
    /// words: waited for.
    std::optional<SeenPart> find(const std::string& words, const std::string& role = "") const;
    /// Whether something comes to be seen that says it.
    bool reads(const std::string& words, const std::string& role = "") const {
        return find(words, role).has_value();
    }
    /// Whether something that says it comes to be selected.
    bool selects(const std::string& words) const;
    /// What find() finds, with the pointer in its middle; the test fails where there is nothing.
    void point(const std::string& words, const std::string& role = "") const;
    void click(const std::string& words, const std::string& role = "") const;
    /// All that is in view, a line for each: for messages of failed tests.
    std::string seen() const;
    /// What Ctrl+C copies from the part with the focus, by line and field: asked for until it satisfies.
    using Rows = std::vector<std::vector<std::string>>;
    Rows copied(const std::function<bool(const Rows&)>& complete) const;
    /// The same of all its rows, which are chosen anew each time: those that come later are among them.
    Rows allCopied(const std::function<bool(const Rows&)>& complete) const;

    const TemporaryFolder folder_;
    std::unique_ptr<Process> server_, bus_;
    std::unique_ptr<Screen> screen_;
    std::unique_ptr<Process> window_;

  private:
    std::unique_ptr<Process> started(const std::string& command, const std::string& name,
                                     std::string& line) const;
    Rows copiedBy(const std::vector<std::string>& keys,
                  const std::function<bool(const Rows&)>& complete) const;

    std::string environment_;
};

} // namespace tilescope::tests
