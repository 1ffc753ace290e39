// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/stand_in.h"

#include <filesystem>

namespace tilescope::tests {
namespace {

class FullDisk : public CommandTest {};

// /dev/full fails every write with "no space left on device" (full(4)).
TEST_F(FullDisk, OutputThatDoesNotArriveEndsWithFive) {
    const std::string file = record_tutorial();
    write("budget.json", R"({"limits": [{"metric": "timing.steps", "min": 1}]})");
    for (const Arguments& command :
         {Arguments{"report", file}, Arguments{"report", file, "--format", "json"},
          Arguments{"compare", file, file}, Arguments{"query", file, "SELECT * FROM variable"},
          Arguments{"check", file, "--budget", "budget.json"}, Arguments{"summary", sample("mnist_tf2")},
          Arguments{"devices", "--system", "server16"}, Arguments{"monitor", file},
          Arguments{"export", file, "--format", "trace", "-o", "-"}}) {
        SCOPED_TRACE(command.front());
        const Surroundings full{folder.path().string(), {}, "/dev/full", {}};
        expect_failure(tilescope(command, full), 5, {"stdout: ", "cannot be written", "free space"});
    }
    expect_failure(run({"export", file, "--format", "dot", "-o", "/dev/full"}), 5,
                   {"/dev/full: ", "free space"});
}

TEST_F(FullDisk, AnExportThatDoesNotFitLeavesNoFile) {
    const std::string file = record_training();
    const auto before = files();
    const Surroundings small{folder.path().string(), {}, {}, 4096};
    expect_failure(tilescope({"export", file, "--format", "trace", "-o", "trace.json"}, small), 5,
                   {"trace.json: ", "cannot be written", "free space"});
    EXPECT_EQ(files(), before);
}

// Files that may grow to a part of what they need: where the profile's tables do not fit, there is none; else
// one that can be read and says that the run failed.
TEST_F(FullDisk, AProfileThatDoesNotFitIsAbsentOrSaysWhy) {
    const Arguments command{"profile", sample("mnist_rmsprop"), "-o", "run.tilescope", "--progress", "none",
                            "--set",   "data.train.samples=64"};
    printed(command);
    const auto whole = std::filesystem::file_size(folder / "run.tilescope");
    std::filesystem::remove(folder / "run.tilescope");
    int absent = 0;
    int failed = 0;
    for (const double share : {0.002, 0.03, 0.3, 0.5, 0.7, 0.9}) {
        SCOPED_TRACE(share);
        const auto size = static_cast<std::size_t>(share * static_cast<double>(whole));
        const Surroundings small{folder.path().string(), {}, {}, size};
        const Outcome outcome = tilescope(command, small);
        expect_failure(outcome, 5, {"run.tilescope: ", "free s"}, digits_stand_in(outcome));
        if (files().empty()) {
            ++absent;
            continue;
        }
        ++failed;
        // The log stays where the file cannot grow to take it in.
        const bool log = files().contains("run.tilescope-wal");
        EXPECT_EQ(files(), log ? (std::set<std::string>{"run.tilescope", "run.tilescope-wal"})
                               : std::set<std::string>{"run.tilescope"});
        EXPECT_TRUE(!log || std::filesystem::file_size(folder / "run.tilescope-wal") > 0);
        const auto report = document({"report", "run.tilescope", "--format", "json"});
        const std::string status = report.at("run").at("status");
        // Where all of it is in the log, it is complete; where not even its end finds room, its process is
        // gone.
        EXPECT_TRUE(status == "failed" || status == "killed" || (log && status == "complete")) << status;
        EXPECT_EQ(status == "failed", !report.at("run").at("error").get<std::string>().empty());
        for (const std::string& file : files())
            std::filesystem::remove(folder / file);
    }
    EXPECT_GT(absent, 0);
    EXPECT_GT(failed, 0);
}

/// `tilescope report | head`: not the program's failure.
TEST_F(FullDisk, AReaderThatClosesEarlyIsNoMistake) {
    const std::string file = record_training();
    const std::string all = path_of_tilescope() + " export " + file +
                            " --format trace -o - | head -c 10; test ${PIPESTATUS[0]} = 0";
    const Outcome outcome = run_program({"bash", "-c", all});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out.size(), 10U);
    EXPECT_EQ(outcome.err, "");
}

} // namespace
} // namespace tilescope::tests
