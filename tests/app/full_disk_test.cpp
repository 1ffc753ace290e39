// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

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

// Disks of all sizes: where the profile's tables do not fit, there is no file; else one that can be read and
// says that the run failed.
TEST_F(FullDisk, AProfileThatDoesNotFitIsAbsentOrSaysWhy) {
    int absent = 0;
    int failed = 0;
    const std::vector<std::string> arguments{
        "profile", sample("mnist_rmsprop"), "-o", "run.tilescope", "--progress", "none",
        "--set",   "data.train.samples=64"};
    ASSERT_EQ(tilescope(arguments, {folder.path().string(), {}, {}, {}}).exit_code, 0);
    const auto whole = static_cast<std::size_t>(std::filesystem::file_size(folder / "run.tilescope"));
    std::filesystem::remove(folder / "run.tilescope");
    for (const std::size_t size : {std::size_t{1024}, whole / 30, whole / 3, whole * 2 / 3, whole * 9 / 10}) {
        SCOPED_TRACE(size);
        const Surroundings small{folder.path().string(), {}, {}, size};
        expect_failure(tilescope(arguments, small), 5, {"run.tilescope: ", "free space"});
        if (files().empty()) {
            ++absent;
            continue;
        }
        ++failed;
        // Its log stays beside it where the file cannot grow to take it in.
        for (const std::string& file : files())
            EXPECT_TRUE(file == "run.tilescope" || file == "run.tilescope-wal" || file == "run.tilescope-shm")
                << file;
        const auto report = document({"report", "run.tilescope", "--format", "json"});
        EXPECT_EQ(report.at("run").at("status"), "failed");
        EXPECT_TRUE(holds(report.at("run").at("error"), "cannot write"));
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
