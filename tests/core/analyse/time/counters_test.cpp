// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "analyse/counters.h"
#include "analyse/time_line.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using namespace profile;

/// One IPU of two steps: a product in two compute sets, of 30 and 10 cycles, with an exchange of 400 bytes in
/// 20 cycles before the first, and an evaluation that repeats the first compute set.
std::unique_ptr<Profile> recorded(const std::string& path) {
    auto recorder = Recorder::create(path, {});
    EXPECT_TRUE(recorder);
    Recorder& r = **recorder;
    r.set(TargetRecord{"ipu", "ipu2", 1, 16, 1000, 1e9, 6});
    r.add(IpuRecord{0, 0, "a"});
    OperationRecord product{0, "matmul", "matmul", 0, Phase::Forward};
    product.flops = 1200;
    r.add(product);
    r.add(ComputeSetRecord{0, "multiply", 0, 30, 0.75});
    r.add(ComputeSetRecord{1, "reduce", 0, 10, 0.5});
    r.add(ExchangeRecord{0, "in", ExchangeKind::Internal, 0, 400, 20});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    r.add(ProgramRecord{1, 0, 0, StepKind::Exchange, "in", 0, -1, 0, 1, 0, 5, 20, 0});
    r.add(ProgramRecord{2, 0, 1, StepKind::Execute, "multiply", 0, 0, -1, 1, 1, 0, 0, 30});
    r.add(ProgramRecord{3, 0, 2, StepKind::Execute, "reduce", 0, 1, -1, 1, 2, 0, 0, 10});
    r.add(DeviceProgramRecord{0, "training", 0, true});
    r.add(DeviceProgramRecord{1, "evaluation", 4});
    FurtherStepRecord again;
    again.id = 4;
    again.kind = StepKind::Execute;
    again.operation_id = 0;
    again.compute_cycles = 40;
    again.balance = 0.25;
    again.bytes = -1; // a file of an older schema
    r.add(again);
    FurtherStepRecord moves = again;
    moves.id = 5;
    moves.kind = StepKind::Exchange;
    moves.compute_cycles = 0;
    moves.balance = -1;
    moves.bytes = 320;
    r.add(moves);
    r.add(LivenessSpanRecord{0, 0, 1, 100, 20, 0});
    r.add(LivenessSpanRecord{0, 1, 1, 100, 60, 0});
    r.add(LivenessSpanRecord{0, 2, 1, 100, 0, 0});
    tests::record_rows(r, {{0, ExecutionKind::Train, 0, 0, 1, 0, 75, 1}}, {{0, 0, 40, 20, 5, 0, 10, 0}},
                       {{0, 0, 1, 0, 10, 5, 20, 0}, {0, 0, 2, 0, 35, 0, 0, 30}, {0, 0, 3, 0, 65, 0, 0, 10}});
    EXPECT_TRUE((*recorder)->finish(RunStatus::Complete));
    return std::move(*Profile::open(path));
}

TEST(Counters, TellWhatEachStepHoldsMovesAndComputes) {
    const tests::TemporaryFolder folder;
    const auto file = recorded(folder / "a.tilescope");
    const Counters all = Counters::read(*file).value();
    const auto at = [&](Counter counter, std::int64_t from, std::int64_t to) {
        return file->trace_figure(0, from, to - from, 1, all.figure(counter, 0)).value().front();
    };
    EXPECT_DOUBLE_EQ(at(Counter::LiveBytes, 10, 35).mean(), 120);
    EXPECT_DOUBLE_EQ(at(Counter::LiveBytes, 0, 75).most, 160);
    EXPECT_DOUBLE_EQ(at(Counter::LiveBytes, 0, 75).least, 100);
    EXPECT_DOUBLE_EQ(at(Counter::ExchangeRate, 15, 35).mean(), 20) << "400 bytes in 20 cycles";
    EXPECT_DOUBLE_EQ(at(Counter::ExchangeRate, 0, 75).sum, 400);
    EXPECT_DOUBLE_EQ(at(Counter::FlopRate, 35, 65).sum, 900) << "three quarters of what it computes";
    EXPECT_DOUBLE_EQ(at(Counter::FlopRate, 0, 75).sum, 1200);
    EXPECT_DOUBLE_EQ(at(Counter::BusyTiles, 35, 65).mean(), 0.75);
    EXPECT_DOUBLE_EQ(at(Counter::BusyTiles, 0, 75).mean(), (30 * 0.75 + 10 * 0.5) / 75);
    EXPECT_DOUBLE_EQ(all.most(Counter::ExchangeRate), 20);
    EXPECT_DOUBLE_EQ(all.most(Counter::LiveBytes), 160);
    EXPECT_DOUBLE_EQ(all.figure(Counter::FlopRate, 0).of_step.at(4), 1200) << "evaluation computes it, too";
    EXPECT_DOUBLE_EQ(all.figure(Counter::BusyTiles, 0).of_step.at(4), 10) << "a quarter of 40 cycles";
    EXPECT_TRUE(std::isnan(all.figure(Counter::ExchangeRate, 0).of_step.at(4))) << "it is not recorded";
    EXPECT_DOUBLE_EQ(all.figure(Counter::ExchangeRate, 0).of_step.at(5), 320);
    EXPECT_LT(all.figure(Counter::LiveBytes, 0).of_step.size(), 5U) << "its memory is not recorded";
}

TEST(Counters, BusyTilesAreTheUtilisationOfTheTotals) {
    const tests::TemporaryFolder folder;
    const auto file = recorded(folder / "a.tilescope");
    const Counters all = Counters::read(*file).value();
    const auto program = file->program().value();
    const StepBalances balances = step_balances(*file, program, {}).value();
    const auto use = tile_utilisation(*range_totals(*file, 0, {0, 75}), balances);
    ASSERT_TRUE(use);
    EXPECT_NEAR(file->trace_figure(0, 0, 75, 1, all.figure(Counter::BusyTiles, 0))->front().mean(), use->busy,
                1e-12);
}

TEST(Counters, OverAnEngineRunAddUpToTheCosts) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "a.tilescope"));
    const auto file = std::move(*Profile::open(folder / "a.tilescope"));
    const Counters all = Counters::read(*file).value();
    const auto first = file->executions(0, 1)->front();
    const auto sum =
        file->trace_figure(0, first.start_cycle, first.cycles, 1, all.figure(Counter::FlopRate, 0))->front();
    const Costs costs = Costs::read(*file).value();
    EXPECT_GT(costs.program().flops, 0);
    EXPECT_NEAR(sum.sum, costs.program().flops, 1e-9 * sum.sum);
}

TEST(Counters, OfAPartOfStretchesAreTheirSharesOfIt) {
    // Of 10 cycles each from cycle 100 on: 20 units at 2 a cycle, then 60, known of half of it only
    const std::vector<profile::FigureSum> stretches = {{10, 20, 2, 2}, {5, 60, 4, 20}};
    const profile::FigureSum both = figure_over(stretches, 100, 10, 105, 120);
    EXPECT_DOUBLE_EQ(both.sum, 10 + 60);
    EXPECT_DOUBLE_EQ(both.cycles, 5 + 5);
    EXPECT_DOUBLE_EQ(both.mean(), 7);
    EXPECT_DOUBLE_EQ(both.least, 2);
    EXPECT_DOUBLE_EQ(both.most, 20);
    EXPECT_DOUBLE_EQ(figure_over(stretches, 100, 10, 0, 102).sum, 4) << "there is none before";
    EXPECT_DOUBLE_EQ(figure_over(stretches, 100, 10, 120, 130).cycles, 0);
}

} // namespace
} // namespace tilescope::analyse
