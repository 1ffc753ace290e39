// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

/// Files that are no whole profile, as every command that reads one meets them.
class BadProfile : public CommandTest {
  protected:
    void SetUp() override {
        whole = record_tutorial("whole");
        write("budget.json", R"({"limits": [{"metric": "timing.step_us", "max": 1}]})");
    }
    /// Each reading command given `file`: exit code 3, one line that names it, and nothing written.
    void expect_refused_by_all(const std::string& file, const std::string& part) const {
        const auto before = files();
        for (const Arguments& command :
             {Arguments{"report", file}, Arguments{"report", file, "--format", "html"},
              Arguments{"compare", file, whole}, Arguments{"compare", whole, file},
              Arguments{"check", file, "--budget", "budget.json", "--junit", "verdict.xml"},
              Arguments{"check", whole, "--baseline", file, "--budget", "budget.json", "--junit",
                        "verdict.xml"},
              Arguments{"query", file, "SELECT * FROM run"}, Arguments{"monitor", file},
              Arguments{"monitor", file, "--follow"},
              Arguments{"export", file, "--format", "trace", "-o", "trace.json"},
              Arguments{"export", file, "--format", "csv", "--table", "run", "-o", "run.csv"},
              Arguments{"export", file, "--format", "dot", "-o", "graph.dot"}}) {
            SCOPED_TRACE(command[0] + " " + command[1]);
            expect_failure(run(command), 3, {file + ": ", part, "; "});
        }
        EXPECT_EQ(files(), before);
    }
    std::string whole;
};

TEST_F(BadProfile, MissingFilesAreNamed) {
    expect_refused_by_all("none.tilescope", "there is no such file");
}

TEST_F(BadProfile, FilesOfOtherKindsAreNamed) {
    expect_refused_by_all(write("empty.tilescope", ""), "no Tilescope profile");
    expect_refused_by_all(sample("tutorial_basic"), "no Tilescope profile");
}

TEST_F(BadProfile, ATruncatedFileIsNamed) {
    const std::string bytes = read_file(whole);
    expect_refused_by_all(write("half.tilescope", bytes.substr(0, bytes.size() / 2)), "damaged");
    expect_refused_by_all(write("head.tilescope", bytes.substr(0, 100)), "damaged");
}

TEST_F(BadProfile, ADamagedFileIsNamed) {
    std::string bytes = read_file(whole);
    bytes.replace(100, 4000, 4000, '\x5A');
    expect_refused_by_all(write("damaged.tilescope", bytes), "damaged");
}

// Whatever is damaged: an answer or one line, never a crash.
TEST_F(BadProfile, NoDamageCrashesAReport) {
    const std::string bytes = read_file(whole);
    for (std::size_t at = 4099; at + 512 < bytes.size(); at += 16411) {
        std::string copy = bytes;
        copy.replace(at, 512, 512, '\xFF');
        const Outcome outcome = run({"report", write("damaged.tilescope", copy), "--format", "json"});
        if (outcome.exit_code != 0)
            expect_failure(outcome, 3, {"damaged.tilescope"});
    }
}

} // namespace
} // namespace tilescope::tests
