// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tilescope::profile {
namespace {

using tests::TemporaryFolder;

class Trace : public testing::Test {
  protected:
    /// Writes rows of one IPU and opens the file.
    void record(const std::vector<TraceRecord>& rows, const std::vector<ExecutionRecord>& executions = {},
                const std::function<void(Recorder&)>& program = {}) {
        auto recorder = Recorder::create(path, {});
        ASSERT_TRUE(recorder);
        if (program)
            program(**recorder);
        std::vector<tests::ExecutionOnIpu> phases;
        phases.reserve(executions.size());
        for (const auto& e : executions)
            phases.push_back({e.id, 0, e.cycles / 2, e.cycles / 4, 0, 0, e.cycles / 4, 0});
        tests::record_rows(**recorder, executions, phases, rows);
        ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
        profile = std::move(*Profile::open(path));
    }
    /// Without what lies between program steps.
    std::vector<TraceSlice> slices(std::int64_t from, std::int64_t to, std::int64_t resolution) const {
        auto all = profile->trace(0, from, to, resolution).value();
        std::erase_if(all, [](const TraceSlice& slice) { return slice.merged == 0; });
        return all;
    }
    const TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Profile> profile;
};

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

TEST_F(Trace, GivesTheStepsThatOverlapARange) {
    record({{0, 0, 1, 0, 0, 10, 20, 70},
            {0, 0, 2, 0, 100, 0, 0, 100},
            {0, 1, 1, 0, 200, 10, 20, 70},
            {0, 0, 9, 1, 50, 1, 1, 1}});
    const auto all = slices(0, no_end, 0);
    ASSERT_EQ(all.size(), 3U) << "of this IPU alone";
    EXPECT_EQ(all[0].program_id, 1);
    EXPECT_EQ(all[0].end_cycle, 100);
    EXPECT_EQ(all[2].step, 1);
    const auto middle = slices(150, 160, 0);
    ASSERT_EQ(middle.size(), 1U) << "a step that began before the range and ends after it";
    EXPECT_EQ(middle[0].start_cycle, 100);
    EXPECT_EQ(slices(100, 200, 0).size(), 1U) << "steps that only touch the range are not in it";
    EXPECT_TRUE(slices(300, 400, 0).empty());
    EXPECT_TRUE(slices(-50, 0, 0).empty());
}

TEST_F(Trace, AddsUpNeighboursThatAreTooShortToBeSeen) {
    record({{0, 0, 1, 0, 0, 1, 2, 7},
            {0, 0, 2, 0, 10, 0, 0, 30},
            {0, 1, 1, 0, 40, 1, 2, 7},
            {1, 0, 1, 0, 1000, 0, 0, 500}});
    const auto merged = slices(0, no_end, 100);
    ASSERT_EQ(merged.size(), 2U);
    EXPECT_EQ(merged[0].merged, 3);
    EXPECT_EQ(merged[0].start_cycle, 0);
    EXPECT_EQ(merged[0].end_cycle, 50);
    EXPECT_EQ(merged[0].cycles.sync, 2);
    EXPECT_EQ(merged[0].cycles.exchange, 4);
    EXPECT_EQ(merged[0].cycles.compute, 44);
    EXPECT_EQ(merged[0].program_id, -1);
    EXPECT_EQ(merged[0].longest, 2);
    EXPECT_EQ(merged[0].execution_id, 0);
    EXPECT_EQ(merged[0].step, -1) << "rows of two steps";
    EXPECT_EQ(merged[1].program_id, 1);
    EXPECT_EQ(merged[1].merged, 1);
}

TEST_F(Trace, ShowsExecutionsWithoutStepsAsOneSlice) {
    ExecutionRecord traced;
    traced.cycles = 100;
    ExecutionRecord untraced = traced;
    untraced.id = 1;
    untraced.start_cycle = 100;
    untraced.cycles = 400;
    record({{0, 0, 3, 0, 0, 0, 0, 100}, {2, 0, 3, 0, 500, 0, 0, 100}}, {traced, untraced});
    const auto all = slices(0, no_end, 0);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[1].program_id, -1);
    EXPECT_EQ(all[1].execution_id, 1);
    EXPECT_FALSE(all[1].traced);
    EXPECT_EQ(all[1].cycles.compute, 200);
    EXPECT_EQ(all[1].cycles.exchange, 100);
    EXPECT_EQ(all[1].cycles.host, 100);
}

/// Two layers: operation 0 of layer 0 is steps 1 and 2, operation 1 is 3; operation 2 of layer 1, backward,
/// is the all-reduce 4 and the copy 5. Step 6 is an infeed, 7 is within step 1.
void two_layers(Recorder& r) {
    r.add(OperationRecord{0, "a", "matmul", 0, Phase::Forward});
    r.add(OperationRecord{1, "b", "matmul", 0, Phase::Update});
    r.add(OperationRecord{2, "c", "matmul", 1, Phase::Backward});
    r.add(ExchangeRecord{0, "between tiles", ExchangeKind::Internal, 0});
    r.add(ExchangeRecord{1, "between IPUs", ExchangeKind::InterIpu, 2});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    r.add(ProgramRecord{1, 0, 0, StepKind::Sequence, "a", 0});
    r.add(ProgramRecord{2, 1, 0, StepKind::Exchange, "a", 0, -1, 0});
    r.add(ProgramRecord{3, 0, 1, StepKind::Execute, "b", 1});
    r.add(ProgramRecord{4, 0, 2, StepKind::Exchange, "c", 2, -1, 1});
    ProgramRecord copy{5, 0, 3, StepKind::Exchange, "c", 2, -1, 1};
    copy.peer = 1;
    r.add(copy);
    r.add(ProgramRecord{6, 0, 4, StepKind::StreamCopy, "infeed"});
    r.add(ProgramRecord{7, 1, 1, StepKind::Execute, "a"});
}

TEST_F(Trace, KnowsWhoseExchangeItIsAndWhatEachStepIsDoneFor) {
    record({{0, 0, 2, 0, 0, 1, 20, 0},
            {0, 0, 7, 0, 21, 0, 0, 9},
            {0, 0, 3, 0, 30, 0, 0, 70},
            {0, 0, 4, 0, 100, 2, 48, 0},
            {0, 0, 5, 0, 150, 3, 30, 0},
            {0, 0, 6, 0, 200, 4, 96, 0}},
           {}, two_layers);
    const auto all = slices(0, no_end, 0);
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(all[0].cycles.exchange, 20);
    EXPECT_EQ(all[0].operation_id, 0);
    EXPECT_EQ(all[0].activities.forward, 21);
    EXPECT_EQ(all[1].operation_id, 0) << "that of the step around it";
    EXPECT_EQ(all[2].activities.update, 70);
    EXPECT_EQ(all[3].cycles.inter_ipu, 48);
    EXPECT_EQ(all[3].cycles.exchange, 0);
    EXPECT_EQ(all[3].activities.backward, 50) << "an all-reduce belongs to its operation";
    EXPECT_EQ(all[4].activities.copy, 33);
    EXPECT_EQ(all[5].cycles.host, 96);
    EXPECT_EQ(all[5].activities.other, 100);
    EXPECT_EQ(all[5].operation_id, -1);
    const auto merged = slices(0, no_end, 1000);
    ASSERT_EQ(merged.size(), 1U);
    EXPECT_EQ(merged[0].cycles.exchange, 20);
    EXPECT_EQ(merged[0].cycles.inter_ipu, 78);
    EXPECT_EQ(merged[0].cycles.host, 96);
    EXPECT_EQ(merged[0].cycles.waiting, 17) << "between two steps";
    EXPECT_EQ(merged[0].cycles.total(), 300);
    EXPECT_EQ(merged[0].operation_id, several);
    EXPECT_EQ(merged[0].longest_cycles, 100);
    EXPECT_EQ(merged[0].longest, 6);
    EXPECT_EQ(slices(0, 100, 101)[0].layer_id, 0) << "two operations of one layer";
}

TEST_F(Trace, KeepsHostAndInterIpuTimeInSums) {
    std::vector<TraceRecord> rows;
    for (std::int64_t i = 0; i < 96; ++i) // 48 rounds of an all-reduce of 30 and an infeed of 10
        rows.push_back({0, 0, i % 2 == 0 ? 4 : 6, 0, 20 * i, 0, i % 2 == 0 ? 30 / 2 : 10 / 2, 0});
    record(rows, {}, two_layers);
    const auto merged = slices(0, no_end, 1'000'000);
    ASSERT_EQ(merged.size(), 1U);
    EXPECT_EQ(merged[0].merged, 96);
    EXPECT_EQ(merged[0].cycles.inter_ipu, 48 * 15);
    EXPECT_EQ(merged[0].cycles.host, 48 * 5);
    EXPECT_EQ(merged[0].cycles.exchange, 0);
}

TEST_F(Trace, MergesNoStepsOfTwoExecutions) {
    std::vector<TraceRecord> rows;
    for (std::int64_t i = 0; i < 100; ++i) // ten executions of ten rows, 5,000 cycles apart
        rows.push_back({i / 10, 0, 3, 0, i / 10 * 6000 + i % 10 * 100, 0, 0, 100});
    record(rows, {}, two_layers);
    const auto merged = slices(0, no_end, 1'000'000);
    ASSERT_EQ(merged.size(), 10U);
    for (const auto& slice : merged) {
        EXPECT_EQ(slice.merged, 10);
        EXPECT_EQ(slice.end_cycle - slice.start_cycle, 1000);
        EXPECT_EQ(slice.operation_id, 1);
    }
}

TEST_F(Trace, CountsAnExecutionThatTheRangeCutsByItsShare) {
    ExecutionRecord untraced;
    untraced.cycles = 400;
    record({}, {untraced});
    const auto totals = profile->trace_totals(0, 100, 200).value();
    ASSERT_EQ(totals.size(), 1U);
    EXPECT_EQ(totals[0].cycles.compute, 50);
    EXPECT_EQ(totals[0].cycles.exchange, 25);
    EXPECT_EQ(totals[0].cycles.host, 25);
}

/// Rows of random lengths, with gaps now and then.
std::vector<TraceRecord> random_rows(std::int64_t count) {
    std::mt19937 random(1);
    std::vector<TraceRecord> rows;
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (random() % 500 == 0)
            at += static_cast<std::int64_t>(random() % 5000);
        TraceRecord row{0, i / 100, static_cast<std::int64_t>(random() % 9), 0, at, 0, 0, 0};
        row.sync = static_cast<std::int64_t>(random() % 10);
        row.exchange = static_cast<std::int64_t>(random() % 30);
        row.compute = 1 + static_cast<std::int64_t>(random() % (random() % 50 == 0 ? 3000 : 100));
        at += row.sync + row.exchange + row.compute;
        rows.push_back(row);
    }
    return rows;
}

TEST_F(Trace, ShowsTheSameTotalsAtEveryResolution) {
    const auto rows = random_rows(20'000);
    record(rows);
    std::int64_t sync = 0;
    std::int64_t exchange = 0;
    std::int64_t compute = 0;
    for (const auto& row : rows) {
        sync += row.sync;
        exchange += row.exchange;
        compute += row.compute;
    }
    for (const std::int64_t resolution :
         {0L, 1L, 50L, 1000L, 5000L, 20'000L, 100'000L, 1'000'000L, 100'000'000L}) {
        const auto all = slices(0, no_end, resolution);
        TraceSlice sum;
        sum.merged = 0;
        std::int64_t end = -1;
        for (const auto& slice : all) {
            sum.merged += slice.merged;
            sum.cycles.sync += slice.cycles.sync;
            sum.cycles.exchange += slice.cycles.exchange;
            sum.cycles.compute += slice.cycles.compute;
            ASSERT_GE(slice.start_cycle, end) << "in order, without overlap, at " << resolution;
            end = slice.end_cycle;
            ASSERT_TRUE(slice.merged == 1 || slice.end_cycle - slice.start_cycle < resolution);
        }
        EXPECT_EQ(sum.merged, static_cast<std::int64_t>(rows.size())) << "at " << resolution;
        EXPECT_EQ(sum.cycles.sync, sync);
        EXPECT_EQ(sum.cycles.exchange, exchange);
        EXPECT_EQ(sum.cycles.compute, compute);
    }
}

TEST_F(Trace, CoversEveryRangeAtEveryResolution) {
    const auto rows = random_rows(6000);
    record(rows);
    const std::int64_t end = rows.back().start_cycle;
    std::mt19937 random(2);
    for (int i = 0; i < 200; ++i) {
        const auto from = static_cast<std::int64_t>(random()) % end;
        const auto to = from + 1 + static_cast<std::int64_t>(random()) % 200'000;
        const std::int64_t resolution = 1LL << random() % 18;
        const auto seen = slices(from, to, resolution);
        std::size_t at = 0;
        for (const auto& row : rows) {
            const std::int64_t row_end = row.start_cycle + row.sync + row.exchange + row.compute;
            if (row_end <= from || row.start_cycle >= to)
                continue;
            while (at < seen.size() && seen[at].end_cycle < row_end)
                ++at;
            ASSERT_LT(at, seen.size())
                << "row at " << row.start_cycle << " in [" << from << ", " << to << ")";
            ASSERT_LE(seen[at].start_cycle, row.start_cycle);
        }
    }
}

/// What a figure is at each cycle of [from, to), worked out row by row; NaN: not known.
std::vector<double> cycle_by_cycle(const std::vector<TraceRecord>& rows, const StepFigure& figure,
                                   std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end) {
    const bool level = figure.over == StepFigure::Over::Step;
    std::vector<double> values(static_cast<std::size_t>(to - from), std::nan(""));
    const auto put = [&](std::int64_t at, std::int64_t until, double value) {
        for (at = std::max(at, from); at < std::min(until, to); ++at)
            values[static_cast<std::size_t>(at - from)] = value;
    };
    if (!level) // waiting is no unknown time
        put(begin, end, 0);
    for (const auto& row : rows) {
        const double value = figure.of_step[static_cast<std::size_t>(row.program_id)];
        const std::int64_t exchange = row.start_cycle + row.sync;
        const std::int64_t compute = exchange + row.exchange;
        put(row.start_cycle, row.end_cycle(), std::isnan(value) || level ? value : 0);
        if (figure.over == StepFigure::Over::Exchange)
            put(exchange, compute, value / static_cast<double>(row.exchange));
        if (figure.over == StepFigure::Over::Compute)
            put(compute, row.end_cycle(), value / static_cast<double>(row.compute));
    }
    return values;
}

TEST_F(Trace, TellsAFigureOverTimeAsItIsCycleByCycle) {
    const auto rows = random_rows(3000);
    record(rows);
    const std::int64_t begin = rows.front().start_cycle;
    const std::int64_t end = rows.back().end_cycle();
    StepFigure figure;
    for (int program = 0; program < 100; ++program)
        figure.of_step.push_back(program % 7 == 3 ? std::nan("") : 10 * (program + 1));
    for (const auto over : {StepFigure::Over::Step, StepFigure::Over::Exchange, StepFigure::Over::Compute}) {
        figure.over = over;
        for (const auto& [from, width, count] :
             {std::tuple<std::int64_t, std::int64_t, std::size_t>{begin, 1, 3000},
              {begin + 700, 37, 900},
              {begin - 100, 5000, 40},
              {begin, end - begin, 1}}) {
            const std::int64_t to = from + width * static_cast<std::int64_t>(count);
            const auto values = cycle_by_cycle(rows, figure, from, to, begin, end);
            const auto sums = profile->trace_figure(0, from, width, count, figure).value();
            ASSERT_EQ(sums.size(), count);
            for (std::size_t c = 0; c < count; ++c) {
                FigureSum wanted;
                for (std::int64_t i = 0; i < width; ++i)
                    if (const double value =
                            values[c * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)];
                        !std::isnan(value))
                        wanted.add({1, value, value, value});
                ASSERT_DOUBLE_EQ(sums[c].cycles, wanted.cycles) << c << " of " << width;
                ASSERT_NEAR(sums[c].sum, wanted.sum, 1e-9 * std::abs(wanted.sum));
                ASSERT_DOUBLE_EQ(sums[c].least, wanted.least);
                ASSERT_DOUBLE_EQ(sums[c].most, wanted.most);
            }
        }
    }
}

TEST_F(Trace, AFigureIsNotKnownWhereNothingIsTraced) {
    record({{0, 0, 1, 0, 100, 0, 50, 50}}, {{0, ExecutionKind::Train, 0, 0, 1, 0, 300, 1},
                                            {1, ExecutionKind::Evaluate, 0, 0, 1, 300, 200, 1}});
    const StepFigure amount{StepFigure::Over::Exchange, {0, 400}};
    const auto sums = profile->trace_figure(0, 0, 100, 6, amount).value();
    EXPECT_DOUBLE_EQ(sums[0].cycles, 100) << "the host launches: nothing is exchanged";
    EXPECT_DOUBLE_EQ(sums[1].sum, 400);
    EXPECT_DOUBLE_EQ(sums[1].most, 8);
    EXPECT_DOUBLE_EQ(sums[1].least, 0);
    EXPECT_DOUBLE_EQ(sums[2].cycles, 100) << "waiting";
    for (const std::size_t untraced : {3U, 4U, 5U})
        EXPECT_DOUBLE_EQ(sums[untraced].cycles, 0);
    const auto level = profile->trace_figure(0, 0, 100, 3, {StepFigure::Over::Step, {0, 64}}).value();
    EXPECT_DOUBLE_EQ(level[0].cycles, 0) << "no step says what is live";
    EXPECT_DOUBLE_EQ(level[1].mean(), 64);
}

TEST_F(Trace, NeedsNoMoreSlicesThanTheResolutionAllows) {
    record(random_rows(50'000));
    const auto [first, last] = std::pair{slices(0, no_end, 0).front(), slices(0, no_end, 0).back()};
    const std::int64_t resolution = (last.end_cycle - first.start_cycle) / 1000;
    // Two neighbours together are at least as long as the resolution, so there are at most two per pixel.
    EXPECT_LE(slices(0, no_end, resolution).size(), 2002U);
}

TEST_F(Trace, IsRightWhenRowsCameOutOfOrder) {
    auto rows = random_rows(4000);
    std::swap(rows[2500], rows[2501]);
    record(rows);
    std::int64_t merged = 0;
    for (const auto& slice : slices(0, no_end, 10'000))
        merged += slice.merged;
    EXPECT_EQ(merged, 4000);
}

TEST_F(Trace, TotalsCountOnlyWhatLiesInsideTheRange) {
    // sync 0-10, exchange 10-30, compute 30-100; then program 2, compute 100-150
    record({{0, 0, 1, 0, 0, 10, 20, 70}, {0, 0, 2, 0, 100, 0, 0, 50}, {0, 1, 1, 0, 150, 10, 20, 70}});
    const auto totals = profile->trace_totals(0, 20, 155).value();
    ASSERT_EQ(totals.size(), 2U);
    EXPECT_EQ(totals[0].program_id, 1);
    EXPECT_EQ(totals[0].runs, 2);
    EXPECT_EQ(totals[0].cycles.sync, 5);
    EXPECT_EQ(totals[0].cycles.exchange, 10);
    EXPECT_EQ(totals[0].cycles.compute, 70);
    EXPECT_EQ(totals[1].program_id, 2);
    EXPECT_EQ(totals[1].cycles.compute, 50);
}

} // namespace
} // namespace tilescope::profile
