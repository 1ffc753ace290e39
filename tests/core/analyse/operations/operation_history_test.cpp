// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_history.h"
#include "analyse/time_line.h"
#include "tests/profile_fixture.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {

using namespace profile;

// Three steps in each of three executions; the last one of training and the evaluation have phases alone.
TEST(OperationHistory, ExecutionsOfOneScheduleAreOne) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "a.tilescope"));
    const auto file = *Profile::open(folder / "a.tilescope");
    constexpr std::int64_t operation = 4;
    const auto history = *operation_history(*file, operation);
    ASSERT_EQ(history.size(), 3U);
    EXPECT_EQ(history[0].kind, ExecutionKind::Train);
    EXPECT_EQ(history[0].count, 3);
    EXPECT_EQ(history[0].steps, 3);
    EXPECT_EQ(history[0].first_epoch, 0);
    EXPECT_EQ(history[0].last_epoch, 1);
    ASSERT_TRUE(history[0].spent);
    EXPECT_EQ(history[0].spent->sync, 3 * tests::fixture_sync_cycles);
    EXPECT_EQ(history[0].spent->exchange, 3 * tests::fixture_exchange_cycles(operation));
    EXPECT_EQ(history[0].spent->compute, 3 * tests::fixture_compute_cycles(operation));
    EXPECT_FALSE(history[1].spent);
    EXPECT_EQ(history[2].kind, ExecutionKind::Evaluate);
    EXPECT_FALSE(history[2].spent);
    const ExecutionCounts counts = counts_of(history);
    EXPECT_EQ(counts.all, 3 + history[1].count + history[2].count);
    EXPECT_EQ(counts.known, 3);
    EXPECT_EQ(counts.taking, 3);
    EXPECT_EQ(history[1].share(), std::nullopt);
    EXPECT_EQ(history[1].spent_in_all(), 0);
}

// Two IPUs, which differ; executions of 100 cycles, then one of 160, then another of 100.
TEST(OperationHistory, CountsAllIpusAndTellsOtherExecutionsApart) {
    const tests::TemporaryFolder folder;
    auto recorder = *Recorder::create(folder / "a.tilescope", {});
    recorder->set(TargetRecord{"pod4", "ipu2", 2, 16, 1000, 1e9, 6});
    recorder->add(IpuRecord{0, 0, "a"});
    recorder->add(IpuRecord{1, 1, "b"});
    recorder->add(OperationRecord{0, "matmul", "matmul", 0, Phase::Forward});
    recorder->add(OperationRecord{1, "other", "matmul", 0, Phase::Forward});
    recorder->add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    recorder->add(ProgramRecord{1, 0, 0, StepKind::Execute, "matmul", 0, 0, 0});
    recorder->add(ProgramRecord{2, 0, 1, StepKind::Execute, "other", 1, 1, 0});
    std::vector<ExecutionRecord> executions;
    std::vector<tests::ExecutionOnIpu> phases;
    std::vector<TraceRecord> steps;
    std::int64_t start = 0;
    for (const std::int64_t cycles : {100, 160, 100}) {
        const auto id = static_cast<std::int64_t>(executions.size());
        executions.push_back({id, ExecutionKind::Train, 0, id, 1, start, cycles, 1});
        phases.push_back({id, 0, cycles, 0, 0, 0, 0, 0});
        phases.push_back({id, 1, cycles - 40, 0, 0, 0, 0, 40});
        steps.push_back({id, 0, 1, 0, start, 0, 0, cycles - 20});
        steps.push_back({id, 0, 2, 0, start + cycles - 20, 0, 0, 20});
        steps.push_back({id, 0, 1, 1, start, 0, 0, cycles - 40});
        start += cycles;
    }
    tests::record_rows(*recorder, executions, phases, steps);
    ASSERT_TRUE(recorder->finish(RunStatus::Complete));
    const auto file = *Profile::open(folder / "a.tilescope");
    const auto history = *operation_history(*file, 0);
    ASSERT_EQ(history.size(), 2U);
    EXPECT_EQ(history[0].count, 2);
    EXPECT_EQ(history[0].first_start, 0);
    EXPECT_EQ(history[0].spent.value().total(), 80 + 60);
    EXPECT_EQ(history[1].count, 1);
    EXPECT_EQ(history[1].first_start, 100);
    EXPECT_EQ(history[1].spent.value().total(), 140 + 120);
    EXPECT_EQ(history[0].spent_in_all(), 2 * (80 + 60));
    EXPECT_DOUBLE_EQ(history[0].share().value(), (80 + 60) / (2.0 * 100));
    // Together they are what the whole time line has of it.
    const auto whole = *range_totals(*file, every_ipu, {0, start});
    for (const TimeTotal& total : whole.operations)
        if (total.of == TimeTotal::Of::Step && total.id == 0) {
            EXPECT_EQ(total.cycles.total(), 2 * history[0].spent->total() + history[1].spent->total());
        }
    EXPECT_EQ(operation_history(*file, 7)->front().spent.value().total(), 0) << "there is no such operation";
}

TEST(OperationHistory, OfARunWithoutExecutionsThereIsNone) {
    const tests::TemporaryFolder folder;
    auto recorder = *Recorder::create(folder / "a.tilescope", {});
    recorder->set(TargetRecord{"pod4", "ipu2", 1, 16, 1000, 1e9, 6});
    recorder->add(IpuRecord{0, 0, "a"});
    ASSERT_TRUE(recorder->finish(RunStatus::OutOfMemory));
    EXPECT_TRUE(operation_history(**Profile::open(folder / "a.tilescope"), 0)->empty());
}

} // namespace tilescope::analyse
