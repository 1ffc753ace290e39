// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/run_list.h"
#include "tests/record_run.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using profile::RunStatus;
using tests::record_run;
using tests::ToldRun;

struct RunList : testing::Test {
    std::string record(const std::string& name, const ToldRun& run) {
        std::string path = folder / name;
        EXPECT_TRUE(record_run(path, run));
        return path;
    }
    tests::TemporaryFolder folder;
};

TEST_F(RunList, TellsWhatWasAskedForAndWhatCameOfIt) {
    const RunEntry run = read_run(record("a.tilescope", {}));
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.workload, "cnn");
    EXPECT_EQ(run.started_unix_ms, 1000000);
    EXPECT_DOUBLE_EQ(run[RunFigure::StepTime].value(), 2);     // us: 20,000 cycles at 1 GHz for ten steps
    EXPECT_DOUBLE_EQ(run[RunFigure::Throughput].value(), 5e6); // ten samples in 2 us
    EXPECT_DOUBLE_EQ(run[RunFigure::FullestTile].value(), 600);
    EXPECT_DOUBLE_EQ(run[RunFigure::Compilation].value(), 0.5);
    EXPECT_DOUBLE_EQ(run.tile_share.value(), 0.6);
    EXPECT_EQ(run.fit, Fit::Fits);
    EXPECT_EQ(run.number("fit.batch_size"), 10);
    EXPECT_EQ(run.number("run.workload"), std::nullopt) << "a text";
    EXPECT_EQ(run.number("fit.epochs"), std::nullopt);
}

TEST_F(RunList, ARunIsToldAgainstTheOneBeforeIt) {
    std::vector<RunEntry> runs;
    for (const auto& [name, workload, batch, started] : {std::tuple("late", "cnn", 20, 4000),
                                                         {"first", "cnn", 10, 1000},
                                                         {"other", "rnn", 10, 2500},
                                                         {"middle", "cnn", 10, 2000}}) {
        ToldRun told{workload, batch};
        told.started_unix_ms = started;
        runs.push_back(read_run(record(std::string(name) + ".tilescope", told)));
    }
    runs.push_back({});
    runs.back().workload = "cnn";
    runs.back().started_unix_ms = 3000;
    runs.back().error = "it cannot be read";
    EXPECT_EQ(run_before(runs, 0), 3U);
    EXPECT_EQ(run_before(runs, 3), 1U);
    EXPECT_EQ(run_before(runs, 1), std::nullopt);
    EXPECT_EQ(run_before(runs, 2), std::nullopt) << "the others are of another workload";
    const auto differences = setting_differences(runs[3], runs[0]);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences[0].name, "batch");
    EXPECT_EQ(differences[0].base, "10");
    EXPECT_EQ(differences[0].now, "20");
    EXPECT_TRUE(setting_differences(runs[3], runs[1]).empty());
}

TEST_F(RunList, ItsLossesAreReadFromItsProfile) {
    using profile::ExecutionKind;
    ToldRun told;
    told.metrics = {{0, ExecutionKind::Train, "loss", 2},
                    {0, ExecutionKind::Train, "accuracy", 0.25},
                    {1, ExecutionKind::Train, "loss", 1},
                    {0, ExecutionKind::Evaluate, "loss", 3}};
    const auto results = read_results(record("a.tilescope", told));
    ASSERT_TRUE(results) << results.error().line();
    ASSERT_EQ(results->epochs.size(), 2U);
    EXPECT_EQ(results->epochs[0].epoch, 1);
    using Values = std::vector<std::pair<std::string, double>>;
    EXPECT_EQ(results->epochs[0].metrics, (Values{{"loss", 2}, {"accuracy", 0.25}}));
    EXPECT_EQ(results->epochs[1].metrics, (Values{{"loss", 1}}));
    EXPECT_EQ(results->evaluation, (Values{{"loss", 3}}));
    EXPECT_FALSE(read_results(folder / "none.tilescope"));
}

TEST_F(RunList, WhatWasNotMeasuredIsAbsent) {
    const RunEntry full =
        read_run(record("full.tilescope", {"cnn", 10, 0, 1040, 1000, RunStatus::OutOfMemory}));
    EXPECT_EQ(full.fit, Fit::DoesNotFit);
    EXPECT_DOUBLE_EQ(full.tile_share.value(), 1.04);
    EXPECT_EQ(full[RunFigure::StepTime], std::nullopt);
    const RunEntry cancelled =
        read_run(record("cancelled.tilescope", {"cnn", 10, 20000, 960, 1000, RunStatus::Cancelled}));
    EXPECT_EQ(cancelled.fit, Fit::Tight);
    EXPECT_DOUBLE_EQ(cancelled[RunFigure::Throughput].value(), 5e6)
        << "of the steps that it did, as in Summary";
    const RunEntry diverged =
        read_run(record("diverged.tilescope", {"cnn", 10, 20000, 960, 1000, RunStatus::Diverged}));
    EXPECT_DOUBLE_EQ(diverged[RunFigure::StepTime].value(), 2)
        << "its losses are no numbers; it ran to its end";
    EXPECT_DOUBLE_EQ(diverged[RunFigure::Throughput].value(), 5e6);
    const std::string broken = folder / "broken.tilescope";
    std::ofstream(broken) << "no database";
    const RunEntry unread = read_run(broken);
    EXPECT_EQ(unread.path, broken);
    EXPECT_NE(unread.error.find("broken.tilescope"), std::string::npos) << unread.error;
}

TEST_F(RunList, ProfilesLieInFoldersBelowToo) {
    std::filesystem::create_directories(folder / "b/c");
    const auto here = record("z.tilescope", {});
    const auto below = record("b/c/a.tilescope", {});
    std::ofstream(folder / "b/notes.txt") << "no profile";
    EXPECT_EQ(profiles_below(folder / ""), (std::vector<std::string>{below, here}));
    EXPECT_TRUE(profiles_below(folder / "", [] { return false; }).empty());
    EXPECT_TRUE(profiles_below(folder / "nowhere").empty());
}

TEST_F(RunList, SettingsThatDifferAreThoseWithMoreThanOneValue) {
    const std::vector<RunEntry> runs{read_run(record("a.tilescope", {})),
                                     read_run(record("b.tilescope", {"cnn", 20})), read_run(folder / "none")};
    const auto settings = differing_settings(runs);
    ASSERT_EQ(settings.size(), 1U) << "a file that cannot be read has no settings";
    EXPECT_EQ(settings[0].key, "fit.batch_size");
    EXPECT_EQ(settings[0].name, "batch");
    EXPECT_TRUE(differing_settings({runs[0], runs[0]}).empty());
}

TEST_F(RunList, SettingsThatDifferStandAsTheyWeighWhicheverRunIsFirst) {
    RunEntry plain;
    plain.settings = {{"fit.batch_size", "batch", FigureUnit::None, "1"},
                      {"compile.loss", "compile.loss", FigureUnit::None, "\"mse\""}};
    RunEntry pipelined;
    pipelined.settings = {{"fit.batch_size", "batch", FigureUnit::None, "2"},
                          {"pipeline.schedule", "schedule", FigureUnit::None, "\"Grouped\""},
                          {"compile.loss", "compile.loss", FigureUnit::None, "\"mae\""}};
    for (const auto& runs : {std::vector{plain, pipelined}, std::vector{pipelined, plain}}) {
        std::vector<std::string> keys;
        for (const Setting& setting : differing_settings(runs))
            keys.push_back(setting.key);
        EXPECT_EQ(keys, (std::vector<std::string>{"fit.batch_size", "pipeline.schedule", "compile.loss"}));
    }
}

/// Of step time and memory, less is better: a (2 us, 600) and c (1 us, 900) are beaten by none; b is slower
/// than a and larger; d is the best, and does not fit; e was never run; f is another workload.
TEST_F(RunList, NoOtherRunBeatsTheBestOnes) {
    const std::vector<RunEntry> runs{
        read_run(record("a.tilescope", {"cnn", 10, 20000, 600})),
        read_run(record("b.tilescope", {"cnn", 10, 30000, 700})),
        read_run(record("c.tilescope", {"cnn", 10, 10000, 900})),
        read_run(record("d.tilescope", {"cnn", 10, 5000, 1100})),
        read_run(record("e.tilescope", {"cnn", 10, 0, 100})),
        read_run(record("f.tilescope", {"mlp", 10, 100, 100})),
    };
    using Runs = std::vector<std::size_t>;
    EXPECT_EQ(best_runs(runs, "cnn", RunFigure::StepTime, RunFigure::FullestTile), (Runs{2, 0}));
    EXPECT_EQ(best_runs(runs, "cnn", RunFigure::FullestTile, RunFigure::Throughput), (Runs{0, 2}))
        << "of throughput, more is better";
}

TEST_F(RunList, HistoryTellsWhereAFigureChanged) {
    const std::vector<RunEntry> runs{
        read_run(record("third.tilescope", {"cnn", 10, 25000, 600, 3000})),
        read_run(record("first.tilescope", {"cnn", 10, 20000, 600, 1000})),
        read_run(record("other.tilescope", {"mlp", 10, 70000, 600, 1500})),
        read_run(record("second.tilescope", {"cnn", 10, 20000, 600, 2000})),
        read_run(folder / "none"),
    };
    const History history = history_of(runs, RunFigure::StepTime);
    EXPECT_EQ(history.metric, "timing.step_us");
    ASSERT_EQ(history.entries.size(), 4U);
    EXPECT_EQ(history.first_change(), 3U);
    EXPECT_EQ(history.entries[3].before, 2U) << "the one before it of the same workload";
    EXPECT_DOUBLE_EQ(history.entries[3].value.value(), 2.5);
    EXPECT_FALSE(history.entries[1].before.has_value());
    EXPECT_EQ(history_of(runs, RunFigure::StepTime, 25).first_change(), std::nullopt);
    EXPECT_TRUE(cause_of(history, history.entries[3]));
}

} // namespace
} // namespace tilescope::analyse
