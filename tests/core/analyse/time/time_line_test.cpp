// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/durations.h"
#include "analyse/summary.h"
#include "analyse/time_line.h"
#include "analyse/updates_of_run.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using namespace profile;

/// Two IPUs, one execution of two steps from cycle 1000 to 2000. The host takes 300, then in each step of
/// 350 cycles IPU 0 computes 200 after a sync of 10 and an exchange of 40 and copies 50 to IPU 1, which takes
/// the copy and computes 100; each waits for the other. An execution of which only the phases are known
/// follows.
class TwoIpus : public testing::Test {
  protected:
    void SetUp() override {
        auto recorder = Recorder::create(path, {});
        ASSERT_TRUE(recorder);
        Recorder& r = **recorder;
        r.set(TargetRecord{"pod4", "ipu2", 2, 16, 1000, 1e9, 6});
        r.add(IpuRecord{0, 0, "a"});
        r.add(IpuRecord{1, 1, "b"});
        r.add(OperationRecord{0, "matmul", "matmul", 0, Phase::Forward});
        r.add(OperationRecord{1, "copy", "copy", 0, Phase::Forward}); // of the same layer
        r.add(ExchangeRecord{0, "in", ExchangeKind::Internal, 0});
        r.add(ExchangeRecord{1, "between", ExchangeKind::InterIpu, 1});
        r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        r.add(ProgramRecord{1, 0, 0, StepKind::Execute, "matmul", 0, 0, 0});
        r.add(ProgramRecord{2, 0, 1, StepKind::Exchange, "copy", 1, -1, 1});
        std::vector<TraceRecord> rows;
        for (std::int64_t step = 0; step < 2; ++step) {
            const std::int64_t at = 1300 + 350 * step;
            rows.push_back({0, step, 1, 0, at, 10, 40, 200});
            rows.push_back({0, step, 2, 0, at + 250, 0, 50, 0});
            rows.push_back({0, step, 1, 1, at + 50, 0, 0, 100});
            rows.push_back({0, step, 2, 1, at + 250, 0, 50, 0});
        }
        tests::record_rows(r,
                           {{0, ExecutionKind::Train, 0, 0, 2, 1000, 1000, 1},
                            {1, ExecutionKind::Evaluate, 0, 0, 2, 2000, 400, 1}},
                           {{0, 0, 400, 80, 20, 100, 300, 100},
                            {0, 1, 200, 0, 0, 100, 300, 400},
                            {1, 0, 100, 100, 0, 0, 100, 100},
                            {1, 1, 100, 100, 0, 0, 100, 100}},
                           rows);
        ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
        file = std::move(*Profile::open(path));
    }
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Profile> file;
};

void expect_same(const PhaseCycles& a, const PhaseCycles& b) {
    for (const TimeKind kind : time_kinds)
        EXPECT_EQ(cycles_of(a, kind), cycles_of(b, kind)) << static_cast<int>(kind);
}

TEST(UpdatesOfRun, ShareTheRunFromTheirFirstCycleOn) {
    const profile::ScheduleSpan schedule{.first_step_cycle = 100, .updates = 4};
    const UpdatesOfRun four = updates_of_run(schedule, 900, 12);
    EXPECT_EQ(four.count, 4);
    EXPECT_EQ(four.steps, 3);
    EXPECT_EQ(four.cycles, 200);
    const UpdatesOfRun unknown = updates_of_run({}, 900, 0);
    EXPECT_EQ(unknown.count, 1);
    EXPECT_EQ(unknown.steps, 1);
    EXPECT_EQ(unknown.cycles, 900);
}

TEST_F(TwoIpus, TheTimeLineHasNoHolesAndEachSliceIsSpentWhole) {
    for (const std::int64_t ipu : {0, 1})
        for (const std::int64_t resolution : {0, 1, 60, 300, 100'000}) {
            const auto line = file->trace(ipu, 0, 10'000, resolution).value();
            std::int64_t at = 1000;
            PhaseCycles sum;
            for (const TraceSlice& slice : line) {
                EXPECT_EQ(slice.start_cycle, at);
                EXPECT_EQ(slice.cycles.total(), slice.end_cycle - slice.start_cycle);
                at = slice.end_cycle;
                sum += slice.cycles;
            }
            EXPECT_EQ(at, 2400);
            expect_same(sum, *file->phase_cycles({}, ipu));
        }
}

TEST_F(TwoIpus, BeforeTheFirstStepOfAnyIpuItIsTheHostsTimeAndLaterWaiting) {
    const auto line = file->trace(1, 0, 1700, 0).value();
    ASSERT_GE(line.size(), 4U);
    EXPECT_EQ(line[0].cycles.host, 300);
    EXPECT_EQ(line[0].merged, 0);
    EXPECT_EQ(line[1].cycles.waiting, 50) << "IPU 0 works already";
    EXPECT_EQ(line[2].cycles.compute, 100);
    EXPECT_EQ(line[3].cycles.waiting, 100);
    EXPECT_EQ(line[3].end_cycle, 1550);
}

TEST_F(TwoIpus, TotalsOverTheWholeTimeLineAreTheReportsPhases) {
    for (const std::int64_t ipu : {0, 1})
        expect_same(range_totals(*file, ipu, {0, 1'000'000})->phases, *file->phase_cycles({}, ipu));
    PhaseCycles training; // of both, as the report adds them
    for (const std::int64_t ipu : {0, 1}) {
        training += range_totals(*file, ipu, {1000, 2000})->phases;
        expect_same(range_phases(*file, ipu, {1000, 2000}).value(),
                    range_totals(*file, ipu, {1000, 2000})->phases);
    }
    expect_same(training, summarise(*file)->by_phase.value());
}

TEST_F(TwoIpus, PassesAreCountedWithHowLongTheyTake) {
    const auto all = range_durations(*file, every_ipu, {0, 10'000}).value();
    for (const Durations& product : {all.programs.at(1), all.operations.at(0)}) {
        EXPECT_EQ(product.passes, 4); // of 250, 250, 100, 100
        EXPECT_EQ(product.mean, 175);
        EXPECT_EQ(product.p50, 100);
        EXPECT_EQ(product.p99, 250);
        EXPECT_EQ(product.longest, 250);
        EXPECT_EQ(product.where, (Range{1300, 1550}));
        EXPECT_EQ(product.ipu, 0);
    }
    EXPECT_EQ(all.operations.at(1).mean, 50);
    EXPECT_EQ(all.operations.size(), 2U);
    EXPECT_EQ(range_durations(*file, 0, {0, 10'000})->layers.at(0).mean, 300) << "one follows the other";
    EXPECT_TRUE(range_durations(*file, 0, {2000, 10'000})->programs.empty()) << "which are not known";
}

TEST(ReplicasThatDoTheSame, HaveTheirPassesToo) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    auto recorder = Recorder::create(path, {});
    ASSERT_TRUE(recorder);
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 4, 16, 1000, 1e9, 6});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    r.add(ProgramRecord{1, 0, 0, StepKind::Execute, "work"});
    std::vector<TraceRecord> rows;
    std::vector<tests::ExecutionOnIpu> phases;
    for (std::int64_t ipu = 0; ipu < 4; ++ipu) { // two replicas of two IPUs, the second of which takes longer
        r.add(IpuRecord{ipu, ipu, "a", ipu / 2, ipu % 2});
        rows.push_back({0, 0, 1, ipu, 100, 0, 0, 50 + 100 * (ipu % 2)});
        phases.push_back({0, ipu, 50 + 100 * (ipu % 2), 0, 0, 0, 100, 100 - 100 * (ipu % 2)});
    }
    tests::record_rows(r, {{0, ExecutionKind::Train, 0, 0, 1, 0, 250, 1}}, phases, rows);
    ASSERT_TRUE(r.finish(RunStatus::Complete));
    const auto file = Profile::open(path).value();
    const Durations all = range_durations(*file, every_ipu, {0, 250})->programs.at(1);
    EXPECT_EQ(all.passes, 4);
    EXPECT_EQ(all.mean, 100);
    EXPECT_EQ(all.p50, 50);
    EXPECT_EQ(all.longest, 150);
    EXPECT_EQ(all.ipu, 1) << "the first that does it";
    EXPECT_EQ(range_durations(*file, 3, {0, 250})->programs.at(1).passes, 1);
}

TEST_F(TwoIpus, PassesThatARangeCutsDoNotCount) {
    const auto products = [&](Range range) {
        return range_durations(*file, 0, range)->programs.at(1).passes;
    };
    EXPECT_EQ(products({1300, 1900}), 2);
    EXPECT_EQ(products({1301, 1900}), 1);
    EXPECT_EQ(products({1300, 1899}), 1);
    EXPECT_TRUE(range_durations(*file, 0, {1550, 1600})->layers.empty()) << "it began before";
    EXPECT_TRUE(range_durations(*file, 0, {1300, 1550})->layers.empty()) << "it goes on";
}

TEST_F(TwoIpus, StepsAreNotReadOnOnceNobodyWantsThem) {
    int seen = 0;
    const auto walk = [&] {
        return file->trace_steps(0, 0, 10'000, nullptr, [&](const TraceSlice&) {
            ++seen;
            file->interrupt();
            return true;
        });
    };
    const auto walked = walk();
    ASSERT_FALSE(walked);
    EXPECT_EQ(walked.error().kind, ErrorKind::Cancelled);
    EXPECT_EQ(seen, 1);
    file->resume();
}

TEST(Durations, ExecutionsThatRepeatCountEachByItself) {
    const tests::TemporaryFolder folder;
    {
        auto recorder = Recorder::create(folder / "a.tilescope", {});
        ASSERT_TRUE(recorder);
        Recorder& r = **recorder;
        r.set(TargetRecord{"pod4", "ipu2", 1, 16, 1000, 1e9, 6});
        r.add(IpuRecord{0, 0, "a"});
        r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
        r.add(ProgramRecord{1, 0, 0, StepKind::Execute, "a"});
        std::vector<ExecutionRecord> executions;
        std::vector<tests::ExecutionOnIpu> phases;
        std::vector<TraceRecord> rows;
        for (std::int64_t e = 0; e < 50; ++e) { // each has a pass of 30 cycles, and one of 10
            executions.push_back({e, ExecutionKind::Train, 0, 2 * e, 2, 1000 * e, 1000, 1});
            phases.push_back({e, 0, 40, 0, 0, 0, 100, 860});
            rows.push_back({e, 0, 1, 0, 1000 * e + 100, 0, 0, 30});
            rows.push_back({e, 1, 1, 0, 1000 * e + 500, 0, 0, 10});
        }
        tests::record_rows(r, executions, phases, rows);
        ASSERT_TRUE(r.finish(RunStatus::Complete));
    }
    const auto file = std::move(*Profile::open(folder / "a.tilescope"));
    ASSERT_EQ(file->execution_groups()->size(), 1U);
    const auto durations = [&](Range range) { return range_durations(*file, 0, range)->programs.at(1); };
    const Durations all = durations({0, 1'000'000});
    EXPECT_EQ(all.passes, 100);
    EXPECT_EQ(all.mean, 20);
    EXPECT_EQ(all.p50, 10);
    EXPECT_EQ(all.p99, 30);
    EXPECT_EQ(all.where, (Range{100, 130}));
    // The second pass of the first one, both of the two that follow, the first of the last one.
    const auto some = durations({400, 3200});
    EXPECT_EQ(some.passes, 6);
    EXPECT_EQ(some.mean, 20);
    EXPECT_EQ(durations({1100, 1130}).passes, 1);
    EXPECT_EQ(durations({1000, 2000}).passes, 2);
    EXPECT_EQ(durations({1450, 3000}).passes, 3);
    EXPECT_EQ(durations({49'000, 90'000}).passes, 2);
}

TEST_F(TwoIpus, TotalsOfARangeCountWhatLiesInIt) {
    // From the middle of the host's time to the middle of the second compute of IPU 0, at 1700 + 100.
    const auto totals = range_totals(*file, 0, {1150, 1800}).value();
    PhaseCycles expected;
    expected.host = 150;
    expected.sync = 20;
    expected.exchange = 80;
    expected.compute = 300;
    expected.inter_ipu = 50;
    expected.waiting = 50;
    expect_same(totals.phases, expected);
    for (const auto* table : {&totals.operations, &totals.layers, &totals.programs}) {
        PhaseCycles sum;
        for (const TimeTotal& row : *table)
            sum += row.cycles;
        expect_same(sum, expected);
    }
    EXPECT_EQ(totals.operations[0].id, 0);
    EXPECT_EQ(totals.operations[0].runs, 2);
    EXPECT_EQ(totals.operations[0].longest, 250);
}

TEST_F(TwoIpus, TotalsOfAllIpusAreTheirsAddedUp) {
    PhaseCycles both;
    for (const std::int64_t ipu : {0, 1})
        both += range_totals(*file, ipu, {1150, 1800})->phases;
    const auto totals = range_totals(*file, every_ipu, {1150, 1800}).value();
    expect_same(totals.phases, both);
    PhaseCycles sum;
    for (const TimeTotal& row : totals.programs)
        sum += row.cycles;
    expect_same(sum, both);
}

TEST_F(TwoIpus, RowsKnowTheBalanceOfWhatTheyCompute) {
    const auto totals = range_totals(*file, 0, {1150, 1800}, {std::nullopt, 0.6}).value();
    const TimeTotal& product = totals.operations[0]; // computes 200, and 100 of 200 in the range
    EXPECT_EQ(product.computing, 300);
    EXPECT_DOUBLE_EQ(product.balance().value(), 0.6);
    EXPECT_DOUBLE_EQ(product.unbalanced(), 120);
    for (const TimeTotal& row : totals.operations)
        EXPECT_EQ(row.balance().has_value(), &row == &product) << "a copy computes nothing";
    EXPECT_FALSE(range_totals(*file, 0, {1150, 1800})->operations[0].balance());
}

TEST(ByImbalance, IsWhatComputesMostLostCyclesFirst) {
    using Of = TimeTotal::Of;
    RangeTotals totals;
    totals.programs = {{Of::Step, 1, {.compute = 4000}, 4, 1000, 4000, 3900},
                       {Of::Step, 2, {.exchange = 3000}, 1, 3000}, // computes nothing
                       {Of::Step, 3, {.compute = 500}, 2, 250, 500, 100},
                       {Of::Step, 4, {.compute = 90}, 1, 90}, // by which tiles is not known
                       {Of::Waiting, -1, {.waiting = 100}, 0, 0}};
    const auto sets = by_imbalance(totals);
    ASSERT_EQ(sets.size(), 2U);
    EXPECT_EQ(sets[0].id, 3) << "loses 400, the other 100";
    EXPECT_EQ(sets[1].id, 1);
    EXPECT_DOUBLE_EQ(sets[0].unbalanced(), 400);
    EXPECT_DOUBLE_EQ(sets[0].slowest_each(), 250);
    EXPECT_DOUBLE_EQ(sets[0].mean_each(), 50);
    EXPECT_DOUBLE_EQ(sets[0].balance().value(), 0.2);
    const auto shares = imbalance_shares(sets, 8000);
    ASSERT_EQ(shares.size(), 2U);
    EXPECT_DOUBLE_EQ(shares[0].of_lost.value(), 0.8) << "400 of the 500 that both lose";
    EXPECT_DOUBLE_EQ(shares[1].of_lost.value(), 0.2);
    EXPECT_DOUBLE_EQ(shares[0].of_time.value(), 0.05) << "400 of 8,000";
    EXPECT_FALSE(imbalance_shares(sets, 0)[0].of_time) << "of a range without cycles";
    const std::vector<TimeTotal> even{{Of::Step, 5, {.compute = 90}, 1, 90, 90, 90}};
    EXPECT_FALSE(imbalance_shares(even, 90)[0].of_lost) << "of nothing that is lost";
    EXPECT_DOUBLE_EQ(imbalance_shares(even, 90)[0].of_time.value(), 0);
}

TEST(TileUtilisation, IsTheCyclesInWhichATileComputesOfAll) {
    RangeTotals totals;
    totals.phases = {.compute = 600, .exchange = 300, .sync = 100};
    using Of = TimeTotal::Of;
    totals.programs = {{Of::Step, 1, {.compute = 400}, 2, 200}, // half of its tiles on average
                       {Of::Step, 2, {.compute = 200, .exchange = 300}, 1, 500},
                       {Of::Waiting, -1, {.sync = 100}, 0, 0}};
    const auto use = tile_utilisation(totals, {std::nullopt, 0.5, 1.0});
    ASSERT_TRUE(use);
    EXPECT_DOUBLE_EQ(use->busy, (400 * 0.5 + 200) / 1000.0);
    EXPECT_DOUBLE_EQ(use->balance, (400 * 0.5 + 200) / 600.0);
    EXPECT_FALSE(tile_utilisation(totals, {}));
    totals.phases.compute += 9000; // an execution of which only the phases are known
    totals.programs.push_back({Of::Untraced, -1, {.compute = 9000}, 1, 9000});
    EXPECT_DOUBLE_EQ(tile_utilisation(totals, {std::nullopt, 0.5, 1.0})->busy, use->busy);
    totals.phases.compute += 70; // a step of another program than the one that is described
    totals.programs.push_back({Of::Step, 9, {.compute = 70}, 1, 70});
    EXPECT_DOUBLE_EQ(tile_utilisation(totals, {std::nullopt, 0.5, 1.0})->busy, use->busy);
}

TEST_F(TwoIpus, NoTimeIsCountedWhereNothingIsExecuted) {
    EXPECT_EQ(range_totals(*file, 0, {2400, 9000})->phases.total(), 0);
    EXPECT_EQ(range_totals(*file, 0, {2300, 9000})->phases.total(), 100);
    EXPECT_TRUE(file->trace(0, 2400, 9000, 10)->empty());
}

TEST_F(TwoIpus, TheOverviewAddsUpAllIpus) {
    const auto columns = time_overview(*file, {1000, 2400}, 14).value(); // of 100 cycles
    PhaseCycles sum;
    for (const auto& column : columns.columns()) {
        EXPECT_NEAR(static_cast<double>(phase_cycles_of(column).total()), 200, 2);
        sum += phase_cycles_of(column);
    }
    EXPECT_NEAR(columns.columns()[0][static_cast<std::size_t>(TimeKind::Host)], 200, 1e-6);
    EXPECT_NEAR(static_cast<double>(sum.inter_ipu), 200, 8);
}

TEST_F(TwoIpus, CountsTheUpdatesOfAnExecution) {
    const auto spans = file->schedule_spans().value();
    ASSERT_EQ(spans.size(), 1U);
    EXPECT_EQ(spans[0].first_step_cycle, 300);
    EXPECT_EQ(spans[0].updates, 2);
}

TEST(TimeLine, HostOfTracedExecutionsIsCounted) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "a.tilescope"));
    const auto file = std::move(*Profile::open(folder / "a.tilescope"));
    const auto range = *file->time_range();
    const auto totals = range_totals(*file, 0, range).value();
    // Five executions, each launched by the host and fed in each of its three steps.
    EXPECT_EQ(totals.phases.host, 5 * (tests::fixture_host_cycles + 3 * tests::fixture_infeed_cycles));
    EXPECT_EQ(totals.phases.waiting, 0);
    EXPECT_EQ(totals.phases.total(), range.second - range.first);
    expect_same(totals.phases, *file->phase_cycles());
}

TEST(TimeColumns, SpreadWhatIsMergedAndKeepTheOrderOfAStep) {
    TimeColumns columns(0, 10, 4);
    TraceSlice step;
    step.start_cycle = 5;
    step.end_cycle = 25;
    step.program_id = 1;
    step.cycles.sync = 5;
    step.cycles.compute = 15;
    columns.add(step);
    const auto sync = static_cast<std::size_t>(TimeKind::Sync);
    const auto compute = static_cast<std::size_t>(TimeKind::Compute);
    EXPECT_DOUBLE_EQ(columns.columns()[0][sync], 5);
    EXPECT_DOUBLE_EQ(columns.columns()[1][compute], 10);
    EXPECT_DOUBLE_EQ(columns.columns()[2][compute], 5);
    step.program_id = -1;
    TimeColumns merged(0, 10, 4);
    merged.add(step);
    EXPECT_DOUBLE_EQ(merged.columns()[1][sync], 2.5);
    EXPECT_DOUBLE_EQ(merged.columns()[1][compute], 7.5);
}

} // namespace
} // namespace tilescope::analyse
