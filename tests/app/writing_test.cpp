// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/stand_in.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sys/stat.h>

namespace tilescope::tests {
namespace {

/// What becomes of a profile while another run is to take its name, however that ends.
class Writing : public CommandTest {
  protected:
    static Arguments training(std::int64_t epochs, const std::string& progress = "none") {
        return training_command("run.tilescope", epochs, progress);
    }
    static Arguments endless() { return training(1000000, "plain"); }
    Surroundings here() const { return {folder.path().string(), {}, {}, {}}; }
    nlohmann::ordered_json ask(const std::string& sql, const std::string& file = "run.tilescope") const {
        return document({"query", file, sql, "--format", "json"});
    }
    std::string status(const std::string& file = "run.tilescope") const {
        return document({"report", file, "--format", "json"}).at("run").at("status");
    }
    std::string workload(const std::string& file = "run.tilescope") const {
        return document({"report", file, "--format", "json"}).at("run").at("workload");
    }
};

TEST_F(Writing, AnEarlierProfileStaysUntilTheNextRunIsComplete) {
    record_tutorial("run");
    const std::string earlier = read_file(folder / "run.tilescope");
    Program run(endless(), here());
    ASSERT_TRUE(run.says("run.tilescope keeps its profile until this run is complete; the run is in "
                         "run.tilescope.partial"))
        << run.wait().err;
    ASSERT_TRUE(run.says("Epoch 2/")) << run.wait().err;
    EXPECT_EQ(workload(), "tutorial-basic");
    EXPECT_TRUE(holds(printed({"monitor", "run.tilescope"}), "running: train, epoch "))
        << "what is going on under that name";
    run.signal(SIGINT);
    const Outcome outcome = run.wait();
    EXPECT_EQ(outcome.exit_code, 5);
    EXPECT_TRUE(holds(outcome.err, "tilescope: run.tilescope: cancelled; run.tilescope keeps its earlier "
                                   "profile, what this run recorded is in run.tilescope.partial\n"))
        << outcome.err;
    EXPECT_EQ(read_file(folder / "run.tilescope"), earlier);
    EXPECT_EQ(status("run.tilescope.partial"), "cancelled");
    EXPECT_EQ(files(), (std::set<std::string>{"run.tilescope", "run.tilescope.partial"}));

    EXPECT_EQ(tilescope(training(1), here()).exit_code, 0);
    EXPECT_EQ(workload(), "mnist-tf2");
    EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
}

TEST_F(Writing, AnEarlierProfileStaysWhereTheNextRunFails) {
    record_tutorial("run");
    const std::string earlier = read_file(folder / "run.tilescope");
    const Outcome outcome = run({"profile", sample("mnist_tf2"), "-o", "run.tilescope", "--estimate",
                                 "--progress", "none", "--set", "ipu_config.ipu_model.bytes_per_tile=6000"});
    expect_failure(outcome, 4, {"run.tilescope keeps its earlier profile", "is in run.tilescope.partial"});
    EXPECT_EQ(read_file(folder / "run.tilescope"), earlier);
    EXPECT_EQ(status("run.tilescope.partial"), "out_of_memory");
}

TEST_F(Writing, AnEarlierProfileIsDroppedAtOnceWhereTheUserSaysSo) {
    record_tutorial("run");
    Arguments arguments = endless();
    arguments.emplace_back("--overwrite");
    Program run(arguments, here());
    ASSERT_TRUE(run.says("Epoch 2/")) << run.wait().err;
    EXPECT_EQ(workload(), "mnist-tf2");
    run.signal(SIGINT);
    EXPECT_TRUE(
        holds(run.wait().err, "run.tilescope: cancelled; the file holds what was recorded until then"));
    EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
}

TEST_F(Writing, AnEarlierProfileStaysWhereTheDiskIsFull) {
    record_tutorial("run");
    const std::string earlier = read_file(folder / "run.tilescope");
    for (const std::size_t size : {1024, 16384, 65536, 131072}) {
        SCOPED_TRACE(size);
        const Surroundings small{folder.path().string(), {}, {}, size};
        const Outcome outcome = tilescope(training(4), small);
        expect_failure(outcome, 5, {"run.tilescope: ", "free space"}, digits_stand_in(outcome));
        EXPECT_EQ(read_file(folder / "run.tilescope"), earlier);
    }
}

TEST_F(Writing, OfFourWritersAtOnceOneWinsAndThreeSayWhy) {
    std::vector<std::unique_ptr<Program>> runs;
    for (int i = 0; i < 4; ++i)
        runs.push_back(std::make_unique<Program>(endless(), here()));
    const auto winner = [&] {
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i]->says("Epoch 2/", std::chrono::seconds(1)))
                return i;
        return runs.size();
    };
    std::size_t first = runs.size();
    for (int i = 0; i < 60 && first == runs.size(); ++i)
        first = winner();
    ASSERT_LT(first, runs.size());
    const std::string pid = ask("SELECT pid FROM run").at(0).at("pid").dump();
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (i != first)
            expect_failure(runs[i]->wait(), 5,
                           {"run.tilescope: process " + pid + " is writing this profile", "another name"});
    runs[first]->signal(SIGINT);
    EXPECT_EQ(runs[first]->wait().exit_code, 5);
    EXPECT_EQ(status(), "cancelled");
    EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
}

TEST_F(Writing, ARunWhoseProcessIsGoneReadsAsKilled) {
    Program run(endless(), here());
    ASSERT_TRUE(run.says("Epoch 2/")) << run.wait().err;
    EXPECT_EQ(status(), "running");
    Program monitor({"monitor", "run.tilescope", "--follow"}, here());
    ASSERT_TRUE(monitor.says("running: train, epoch ")) << monitor.wait().err;
    run.signal(SIGKILL);
    run.wait();
    const Outcome followed = monitor.wait();
    EXPECT_EQ(followed.exit_code, 0) << followed.err;
    EXPECT_TRUE(holds(followed.out, "\nkilled: train, epoch ")) << followed.out;
    EXPECT_EQ(status(), "killed");
    EXPECT_TRUE(holds(printed({"monitor", "run.tilescope"}), "killed: train, epoch "));
    EXPECT_EQ(tilescope(training(1), here()).exit_code, 0) << "the name is free again";
    EXPECT_EQ(status(), "complete");
    EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
}

// A finished file needs nothing beside it, so the plain shell opens it where nothing can be made.
TEST_F(Writing, AFinishedFileIsOneThatSqliteOpensInAFolderThatCannotBeWritten) {
    record_tutorial("run");
    ASSERT_EQ(chmod((folder / "run.tilescope").c_str(), 0444), 0);
    ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
    const Outcome outcome = run_program({"sqlite3", "file:" + folder / "run.tilescope" + "?mode=ro",
                                         "PRAGMA journal_mode; SELECT status FROM run"});
    const Outcome report = run({"report", "run.tilescope"});
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
    EXPECT_EQ(report.exit_code, 0) << report.err;
    EXPECT_EQ(files(), std::set<std::string>{"run.tilescope"});
    if (outcome.exit_code == 127)
        GTEST_SKIP() << "the sqlite3 shell is not installed";
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "delete\ncomplete\n");
}

TEST_F(Writing, AFolderThatCannotBeWrittenIsNamed) {
    record_tutorial("run");
    Surroundings in = here();
    in.unprivileged = true;
    ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
    const Outcome outcome = tilescope(training(4), in);
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
    expect_failure(outcome, 3, {"run.tilescope: ", "permissions"});
    EXPECT_EQ(status(), "complete");
}

} // namespace
} // namespace tilescope::tests
