// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/stand_in.h"

#include <csignal>
#include <filesystem>
#include <sstream>

namespace tilescope::tests {
namespace {

/// Verdicts on runs that ended, or did not end, in each way there is.
class Verdicts : public CommandTest {
  protected:
    /// Limits that a figure of 0 would meet.
    std::string budget() const {
        return write("budget.json", R"({"limits": [{"metric": "timing.step_us", "max": 1e12},
                                                   {"metric": "memory.max_tile_bytes_with_gaps", "max": 1e12},
                                                   {"metric": "result.epochs.-1.loss", "max": 1e12}]})");
    }
    Outcome check(const std::string& file) const {
        return run({"check", file, "--budget", budget(), "--junit", folder / "verdict.xml"});
    }
    /// How limits come out, each on its own: one that a large figure meets and one that none meets, of
    /// memory, of time, of a result, and relative to a complete run; then the exit code of all that are met.
    std::string verdicts(const std::string& file) const {
        std::string words;
        std::string met;
        for (const char* metric :
             {"memory.max_tile_bytes_with_gaps", "timing.step_us", "result.epochs.-1.loss"})
            for (const char* bound : {R"("max": 1e12)", R"("max": -1)", R"("max_increase_percent": 1e9)"}) {
                const std::string limit = R"({"metric": ")" + std::string(metric) + "\", " + bound + "}";
                const std::string out = run({"check", file, "--baseline", complete_, "--budget",
                                             write("one.json", R"({"limits": [)" + limit + "]}")})
                                            .out;
                const std::string line = out.substr(out.find('\n') + 1);
                const std::string word = line.substr(0, line.find(' '));
                words += word == "met"                 ? '+'
                         : holds(line, " is absent: ") ? 'a'
                         : word == "BROKEN"            ? '-'
                                                       : '?';
                if (word == "met")
                    met += (met.empty() ? "" : ", ") + limit;
            }
        const std::string all = write("met.json", R"({"limits": [)" + met + "]}");
        return words +
               (met.empty()
                    ? ""
                    : " " + std::to_string(
                                run({"check", file, "--baseline", complete_, "--budget", all}).exit_code));
    }
    /// Does not fit: a tile of 8 KiB has no room even for what is always there.
    std::string out_of_memory() const {
        const Outcome outcome = run({"profile", sample("mnist_tf2"), "-o", "oom.tilescope", "--progress",
                                     "none", "--set", "ipu_config.ipu_model.tiles_per_ipu=1", "--set",
                                     "ipu_config.ipu_model.bytes_per_tile=65536"});
        expect_failure(outcome, 4, {"tile 0"}, digits_stand_in(outcome));
        return folder / "oom.tilescope";
    }
    static Arguments endless() { return training_command("endless.tilescope", 1000000, "plain"); }
    /// Broken as a whole, whatever its limits say: exit code 1, one error in JUnit, and said first by
    /// compare.
    void expect_broken(const std::string& file, const std::string& status) const {
        const std::string words = status == "out_of_memory" ? "out of memory" : status; // in sentences
        const Outcome outcome = check(file);
        EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
        EXPECT_EQ(outcome.out.rfind("BROKEN  run.status is " + status + ", not complete", 0), 0U)
            << outcome.out;
        EXPECT_TRUE(holds(outcome.err, "the run is " + words)) << outcome.err;
        const std::string junit = read_file(folder / "verdict.xml");
        EXPECT_TRUE(holds(junit, "errors=\"1\"")) << junit;
        EXPECT_TRUE(holds(junit, "<error message=\"run.status is " + status)) << junit;
        const auto compared = document({"compare", complete_, file, "--format", "json"}, 1);
        EXPECT_EQ(compared.at("new").at("status"), status);
        EXPECT_EQ(compared.at("differs").at(0).at("key"), "run.status");
        const std::string text = printed({"compare", complete_, file}, 1);
        EXPECT_EQ(text.rfind("What differs\n", 0), 0U) << text;
        EXPECT_TRUE(holds(text, status == "diverged" // it ran to its end
                                    ? " has diverged: its losses are not numbers"
                                    : " is " + words + ": its figures are of what was recorded"))
            << text;
    }
    const std::string complete_ = record_training("complete");
};

TEST_F(Verdicts, ACompleteRunCanMeetItsBudget) {
    const Outcome outcome = check(complete_);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.out, "met     run.status is complete\n")) << outcome.out;
    EXPECT_TRUE(holds(read_file(folder / "verdict.xml"), "tests=\"4\" failures=\"0\" errors=\"0\""));
    EXPECT_EQ(verdicts(complete_), "+-++-++-+ 0");
}

TEST_F(Verdicts, ARunThatDoesNotFitIsBrokenAndItsTimesAreAbsent) {
    const std::string file = out_of_memory();
    expect_broken(file, "out_of_memory");
    EXPECT_EQ(verdicts(file), "+-+aaaaaa 1");
    const Outcome outcome = check(file);
    EXPECT_TRUE(
        holds(outcome.out, "BROKEN  timing.step_us is absent: out of memory before the first execution\n"))
        << outcome.out;
    EXPECT_TRUE(holds(outcome.out, "BROKEN  result.epochs.-1.loss is absent: out of memory before"))
        << outcome.out;
    EXPECT_TRUE(holds(outcome.out, "met     memory.max_tile_bytes_with_gaps is ")) << outcome.out;
    EXPECT_TRUE(holds(outcome.err, "2 of 3 limits are broken")) << outcome.err;

    const auto report = document({"report", file, "--format", "json"});
    for (const char* figure : {"cycles_total", "step_us", "samples_per_s"})
        EXPECT_TRUE(report.at("timing").at(figure).is_null()) << figure;
    EXPECT_TRUE(report.at("timing").at("by_phase").at("compute").is_null());
    EXPECT_EQ(report.at("absent").at("timing.step_us"), "out of memory before the first execution");
    EXPECT_GT(report.at("memory").at("max_tile_bytes_with_gaps").get<std::int64_t>(), 65536)
        << "what overflows is the tile with its gaps";
    const std::string text = printed({"report", file});
    EXPECT_TRUE(holds(text, "– (out of memory before the first execution)")) << text;
    const auto compared = document({"compare", complete_, file, "--format", "json"}, 1);
    EXPECT_EQ(compared.at("headline").at(0).at("name"), "step time");
    EXPECT_TRUE(compared.at("headline").at(0).at("new").is_null());
    EXPECT_TRUE(compared.at("headline").at(0).at("percent").is_null()) << "no -100 %";
}

TEST_F(Verdicts, ACancelledRunIsBrokenThoughItHasFigures) {
    Program program(endless(), {folder.path().string(), {}, {}, {}});
    ASSERT_TRUE(program.says("Epoch 3/")) << program.wait().err;
    expect_broken("endless.tilescope", "running");
    EXPECT_EQ(verdicts("endless.tilescope"), "+-++-++-+ 1");
    const std::string while_it_runs = printed({"monitor", "endless.tilescope"});
    EXPECT_TRUE(holds(while_it_runs, " attached\n")) << while_it_runs;
    EXPECT_TRUE(holds(while_it_runs, "\nAttached processes\n")) << while_it_runs;
    const Outcome me = run_program({"id", "-un"});
    std::istringstream process(while_it_runs.substr(while_it_runs.find("Board power\n") + 12));
    std::vector<std::string> cells(10);
    for (std::string& cell : cells)
        process >> cell;
    EXPECT_EQ(cells[1], "tilescope") << while_it_runs;
    EXPECT_EQ(cells[4] + "\n", me.out) << while_it_runs; // after the time and its unit
    EXPECT_EQ(cells[6], "1330MHz") << while_it_runs;
    EXPECT_EQ(cells[7] + cells[8] + cells[9], "N/AN/AN/A") << while_it_runs;
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit_code, 5);
    expect_broken("endless.tilescope", "cancelled");
    EXPECT_EQ(verdicts("endless.tilescope"), "+-++-++-+ 1");
    EXPECT_TRUE(holds(check("endless.tilescope").out, "met     timing.step_us is "));
    const std::string monitor = printed({"monitor", "endless.tilescope"});
    EXPECT_FALSE(holds(monitor, " attached\n")) << monitor;
    EXPECT_TRUE(holds(monitor, "\nNo attached processes\n")) << monitor;
    EXPECT_TRUE(holds(monitor, " free\n")) << monitor;
}

TEST_F(Verdicts, AKilledRunIsBroken) {
    Program program(endless(), {folder.path().string(), {}, {}, {}});
    ASSERT_TRUE(program.says("Epoch 3/")) << program.wait().err;
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait().exit_code, 128 + SIGKILL);
    expect_broken("endless.tilescope", "killed");
    EXPECT_EQ(verdicts("endless.tilescope"), "+-++-++-+ 1");
}

// The disk is full when the run is recorded: the smallest that holds a file at all.
TEST_F(Verdicts, AFailedRunIsBroken) {
    const auto failed = [this] { // killed where not even its end found room
        return files().contains("failed.tilescope") &&
               holds(check("failed.tilescope").out, "run.status is failed");
    };
    for (std::size_t size = 1 << 18; size <= 1 << 20 && !failed(); size += 1 << 13) {
        std::filesystem::remove(folder / "failed.tilescope");
        const Surroundings small{folder.path().string(), {}, {}, size};
        const Outcome outcome = tilescope({"profile", sample("mnist_rmsprop"), "-o", "failed.tilescope",
                                           "--progress", "none", "--set", "data.train.samples=64"},
                                          small);
        expect_failure(outcome, 5, {"free space"}, digits_stand_in(outcome));
    }
    expect_broken("failed.tilescope", "failed");
    const std::string limits = verdicts("failed.tilescope"); // with memory and times, where that was late
    EXPECT_TRUE(limits == "aaaaaaaaa" || limits == "+-+aaaaaa 1" || limits == "+-++-+aaa 1" ||
                limits == "+-++-++-+ 1")
        << limits;
}

TEST_F(Verdicts, ADivergedRunIsBrokenThoughItHasFigures) {
    const Arguments diverges =
        training_command("endless.tilescope", 1, "plain", {"--set", "compile.optimizer.learning_rate=1e30"});
    EXPECT_EQ(run(diverges).exit_code, 1);
    expect_broken("endless.tilescope", "diverged");
    EXPECT_EQ(verdicts("endless.tilescope"), "+-++-+--- 1") << "the loss is no number";
}

TEST_F(Verdicts, ABaselineThatDidNotCompleteBreaksRelativeLimits) {
    const std::string relative =
        write("relative.json", R"({"limits": [{"metric": "timing.step_us", "max_increase_percent": 1e9,
                                              "reason": "releases must not be slower"}]})");
    const Outcome outcome = run({"check", complete_, "--budget", relative, "--baseline", out_of_memory()});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(holds(outcome.out, "BROKEN  timing.step_us: the baseline is out of memory, not complete "
                                   "(releases must not be slower)\n"))
        << outcome.out;
    EXPECT_EQ(run({"check", complete_, "--budget", relative, "--baseline", complete_}).exit_code, 0);
}

TEST_F(Verdicts, AnEstimateHasTimesAndNoValues) {
    const std::string file = folder / "estimate.tilescope";
    printed({"profile", sample("mnist_tf2"), "--estimate", "-o", file, "--progress", "none"});
    const Outcome outcome = check(file);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(holds(outcome.out, "met     timing.step_us is ")) << outcome.out;
    EXPECT_TRUE(
        holds(outcome.out, "BROKEN  result.epochs.-1.loss is absent: an estimate computes no values\n"))
        << outcome.out;
    const std::string on_host = folder / "host.tilescope";
    printed({"profile", sample("mnist_tf2"), "--estimate", "-o", on_host, "--progress", "none", "--set",
             "device=cpu"});
    const auto report = document({"report", on_host, "--format", "json"});
    EXPECT_TRUE(report.at("timing").at("step_us").is_null()) << "wall time of a run that computed nothing";
    EXPECT_TRUE(report.at("memory").at("max_tile_bytes").is_null());
}

} // namespace
} // namespace tilescope::tests
