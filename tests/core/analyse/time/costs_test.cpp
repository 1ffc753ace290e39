// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "analyse/graph_cost.h"
#include "analyse/live_bytes.h"
#include "analyse/program_time.h"
#include "profile/recorder.h"
#include "tests/never_run.h"
#include "tests/profile_fixture.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

using namespace tilescope;
using analyse::Basis;

namespace {

profile::ProgramRecord node(std::int64_t id, std::int64_t parent, profile::StepKind kind,
                            std::int64_t operation, std::int64_t repeats, std::int64_t runs) {
    profile::ProgramRecord step;
    step.id = id;
    step.parent_id = parent;
    step.kind = kind;
    step.name = "step " + std::to_string(id);
    step.operation_id = operation;
    step.repeats = repeats;
    step.runs = runs;
    return step;
}

/// Two replicas of a pipeline of two stages: engine runs of 3 weight updates of 4 micro-batches each.
/// Operation 0 computes 10 cycles on IPU 0 and its result goes to IPU 1 (7 cycles), operation 1 computes 20
/// on IPU 1 in a loop of 5, operation 2 updates weights on IPU 0 (100 cycles).
struct Pipeline {
    tests::TemporaryFolder folder;
    std::unique_ptr<profile::Profile> file;

    explicit Pipeline(bool executed = true, profile::Phase of_b = profile::Phase::Backward) {
        const std::string path = folder / "pipeline.tilescope";
        profile::RunRecord run;
        auto recorder = *profile::Recorder::create(path, run);
        recorder->set(profile::TargetRecord{"pod4", "ipu2", 4, 8, 1000, 1e6, 6, 10, 5});
        for (std::int64_t i = 0; i < 4; ++i)
            recorder->add(profile::IpuRecord{i, i, "", i / 2, i % 2, i % 2});
        recorder->add(
            profile::OperationRecord{0, "a", "matmul", 0, profile::Phase::Forward, 0, 0, 1000, "{}"});
        recorder->add(profile::OperationRecord{1, "b", "scan", 1, of_b, 1, 1, 2000, "{}"});
        recorder->add(
            profile::OperationRecord{2, "c", "sgd_update", 0, profile::Phase::Update, 0, 0, 50, "{}"});
        recorder->add(profile::ExchangeRecord{0, "over", profile::ExchangeKind::InterIpu, 0, 64, 7, 0, 1});
        add_program(*recorder);
        if (executed)
            for (std::int64_t id = 0; id < 2; ++id)
                add_execution(*recorder, id);
        EXPECT_TRUE(recorder->finish(profile::RunStatus::Complete));
        file = *profile::Profile::open(path);
    }

    static void add_program(profile::Recorder& recorder) {
        recorder.add(profile::DeviceProgramRecord{0, "training", 0, true});
        recorder.add(node(0, -1, profile::StepKind::Sequence, -1, 1, 1));
        recorder.add(node(1, 0, profile::StepKind::Repeat, -1, 3, 1));
        auto batches = node(2, 1, profile::StepKind::Repeat, -1, 4, 3);
        batches.part = profile::ProgramPart::MicroBatches;
        recorder.add(batches);
        auto feed = node(3, 2, profile::StepKind::StreamCopy, -1, 1, 12);
        feed.exchange_cycles = 3;
        recorder.add(feed);
        recorder.add(node(4, 2, profile::StepKind::Sequence, 0, 1, 12));
        auto compute = node(5, 4, profile::StepKind::Execute, 0, 1, 12);
        compute.compute_cycles = 10;
        recorder.add(compute);
        auto copy = node(6, 4, profile::StepKind::Exchange, 0, 1, 12);
        copy.exchange_cycles = 7;
        copy.sync_cycles = 1;
        copy.exchange_id = 0;
        copy.peer = 1;
        recorder.add(copy);
        auto loop = node(7, 2, profile::StepKind::Repeat, 1, 5, 12);
        loop.part = profile::ProgramPart::MicroBatches;
        loop.ipu = 1;
        recorder.add(loop);
        auto body = node(8, 7, profile::StepKind::Execute, 1, 1, 60);
        body.compute_cycles = 20;
        body.ipu = 1;
        recorder.add(body);
        recorder.add(node(9, 1, profile::StepKind::Sequence, 2, 1, 3));
        auto update = node(10, 9, profile::StepKind::Execute, 2, 1, 3);
        update.compute_cycles = 100;
        recorder.add(update);
    }

    /// 2,000 cycles, of which launching takes 50. IPU 0: 120 + 300 computing, 84 + 12 copying, 36 fed. IPU 1:
    /// 1,200 computing, 84 + 12 copying.
    static void add_execution(profile::Recorder& recorder, std::int64_t id) {
        std::vector<tests::ExecutionOnIpu> phases;
        for (std::int64_t replica = 0; replica < 2; ++replica) {
            phases.push_back({id, 2 * replica, 420, 0, 12, 84, 86, 1398});
            phases.push_back({id, 2 * replica + 1, 1200, 0, 12, 84, 50, 654});
        }
        tests::record_rows(recorder, {{id, profile::ExecutionKind::Train, 0, 24 * id, 24, 2000 * id, 2000}},
                           phases);
    }
};

} // namespace

TEST(Loops, CountWhatAnEngineRunHasOfEach) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file);
    ASSERT_TRUE(costs) << costs.error().line();
    const analyse::Loops& loops = costs->loops();
    EXPECT_EQ(loops, (analyse::Loops{3, 4, 2, true, true}));
    EXPECT_EQ(loops.count(Basis::MicroBatch), 12) << "of one replica";
    EXPECT_EQ(loops.count(Basis::Step), 24) << "each replica's batches are steps, as Keras counts them";
    EXPECT_EQ(loops.count(Basis::WeightUpdate), 3);
    EXPECT_EQ(loops.count(Basis::Execution), 1);
    EXPECT_EQ(loops.usual(), Basis::WeightUpdate);
    EXPECT_EQ(loops.shown({}), Basis::WeightUpdate);
    EXPECT_EQ(loops.shown(Basis::MicroBatch), Basis::MicroBatch);
    const analyse::Loops inference{1, 4, 1, false, false};
    EXPECT_EQ(inference.shown(Basis::WeightUpdate), Basis::Step) << "it makes none";
    EXPECT_EQ(analyse::common_basis(&loops, inference, Basis::Execution), Basis::Execution);
    EXPECT_EQ(analyse::common_basis(&loops, inference, Basis::WeightUpdate), Basis::MicroBatch);
}

TEST(Loops, ARunOfOneBatchAnUpdateCountsSteps) {
    EXPECT_EQ((analyse::Loops{100, 1, 1, true, false}.usual()), Basis::Step);
    EXPECT_EQ((analyse::Loops{100, 1, 4, true, false}.usual()), Basis::WeightUpdate);
    EXPECT_EQ((analyse::Loops{100, 8, 1, true, false}.usual()), Basis::WeightUpdate);
    EXPECT_EQ((analyse::Loops{100, 1, 1, false, false}.usual()), Basis::Step);
    EXPECT_EQ((analyse::Loops{1, 8, 1, false, true}.usual()), Basis::Execution) << "there are no updates";
    for (const Basis basis : analyse::Loops{1, 8, 1, false, true}.bases())
        EXPECT_NE(basis, Basis::WeightUpdate);
}

TEST(Loops, SayHowOftenAStepRunsInWholeNumbers) {
    EXPECT_EQ(analyse::runs_text(3, 3, Basis::Step), "1 per step");
    EXPECT_EQ(analyse::runs_text(1536, 3, Basis::WeightUpdate), "512 per weight update");
    EXPECT_EQ(analyse::runs_text(1, 118, Basis::WeightUpdate), "once in 118 weight updates");
    EXPECT_EQ(analyse::runs_text(6, 8, Basis::MicroBatch), "3 in 4 micro-batches");
    EXPECT_EQ(analyse::runs_text(5, 1, Basis::Execution), "5 per execution");
    EXPECT_EQ(analyse::runs_text(0, 12, Basis::Step), "0 per step");
    EXPECT_EQ(analyse::runs_text(1536, 128), "12");
    EXPECT_EQ(analyse::runs_text(2, 256), "1 in 128");
    EXPECT_EQ(analyse::runs_text(6, 4), "3 in 2");
}

TEST(Loops, RunsAreComparedPerWhatTheyHaveInCommon) {
    const analyse::Loops plain{100, 1, 1, true, false};
    const analyse::Loops pipeline{12, 8, 1, true, true};
    EXPECT_EQ(analyse::common_basis(&plain, plain), Basis::Step);
    EXPECT_EQ(analyse::common_basis(&plain, pipeline), Basis::MicroBatch);
    analyse::Loops longer = pipeline; // its updates have twice as many micro-batches
    longer.micro_batches *= 2;
    EXPECT_EQ(analyse::common_basis(&longer, pipeline), Basis::MicroBatch);
    EXPECT_EQ(analyse::common_basis(&longer, pipeline, Basis::WeightUpdate), Basis::WeightUpdate);
    longer.micro_batches = pipeline.micro_batches;
    longer.updates = pipeline.updates * 3;
    EXPECT_EQ(analyse::common_basis(&longer, pipeline), Basis::WeightUpdate) << "each is as long";
    EXPECT_EQ(analyse::common_basis(nullptr, pipeline), Basis::WeightUpdate) << "of one run: its own";
    const analyse::Loops inference{1, 4, 1, false, false};
    EXPECT_EQ(analyse::common_bases(&inference, plain),
              (std::vector{Basis::MicroBatch, Basis::Step, Basis::Execution}))
        << "one of them makes no updates";
    EXPECT_EQ(analyse::common_bases(nullptr, plain), plain.bases());
}

TEST(Costs, AnOperationTakesTheRepeatsAboveItOnEachIpuThatRunsIt) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    EXPECT_EQ(costs.ipus(), (std::vector<std::int64_t>{0, 1})) << "of the first replica";
    const analyse::Cost copied = costs.operation(0);
    EXPECT_EQ(copied.cycles, (profile::PhaseCycles{120, 0, 2 * 12, 2 * 84, 0, 0}))
        << "a copy takes both IPUs";
    EXPECT_EQ(copied.ipus, (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(costs.operation(0, 0).cycles, (profile::PhaseCycles{120, 0, 12, 84, 0, 0}));
    EXPECT_EQ(costs.operation(0, 1).cycles, (profile::PhaseCycles{0, 0, 12, 84, 0, 0}));
    EXPECT_EQ(costs.operation(0, 2).cycles, costs.operation(0, 0).cycles)
        << "the second replica does the same";
    EXPECT_EQ(costs.operation(1).cycles.compute, 20 * 5 * 12);
    EXPECT_EQ(costs.operation(2).cycles.compute, 300) << "once in an update";
    EXPECT_EQ(costs.operation(analyse::no_operation).cycles.host, 36);
    EXPECT_EQ(costs.operation(7).cycles.total(), 0) << "there is none";
    EXPECT_EQ(costs.layer(0).cycles.compute, 420) << "operations 0 and 2";
    EXPECT_EQ(costs.operation(0).flops, 12'000);
    EXPECT_EQ(costs.operation(1).flops, 24'000) << "its own loop is in its figure";
    EXPECT_EQ(costs.layer(0).flops, 12'000 + 3 * 50);
}

TEST(GraphCosts, OfAGroupAreThoseOfItsPartsTogether) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    analyse::LiveVariables live;
    live.by_operation = {{0, {8, 100}}, {2, {40, 40}}};
    live.by_tensor = {{5, {64, 64}}};
    live.all = {200, 300};
    const analyse::GraphCost a = cost_of_operation(costs, live, 0);
    const analyse::GraphCost b = cost_of_operation(costs, live, 1);
    const analyse::GraphCost c = cost_of_operation(costs, live, 2);
    const analyse::GraphCost weights = cost_of_source(live, 5);
    EXPECT_EQ(a.bytes, (analyse::LiveBytes{8, 100}));
    EXPECT_EQ(b.bytes, analyse::LiveBytes());
    EXPECT_EQ(weights.time.cycles.total(), 0);
    const analyse::GraphCost group = analyse::together(std::vector{&a, &c, &weights});
    EXPECT_EQ(group.time.cycles, (profile::PhaseCycles{420, 0, 24, 168, 0, 0}));
    EXPECT_EQ(group.time.ipus, (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(group.time.flops, 12'150);
    EXPECT_EQ(group.bytes, (analyse::LiveBytes{112, 204}));
    EXPECT_EQ(analyse::together(std::vector{&a.time, &c.time}).cycles, group.time.cycles);
    const auto operations = pipeline.file->operations().value();
    const analyse::GraphCost all = cost_of_graph(costs, live, operations);
    EXPECT_EQ(all.time.cycles.compute, 420 + 1200);
    EXPECT_EQ(all.bytes, live.all) << "those of no operation, too";
}

TEST(GraphCosts, ALineBringsTheBytesOfItsTensors) {
    std::vector<profile::TensorRecord> tensors(3);
    tensors[0].bytes = 4;
    tensors[1].bytes = 1000;
    tensors[2].bytes = 20;
    EXPECT_EQ(analyse::bytes_along(tensors, std::vector<std::size_t>{0, 2}), 24);
    EXPECT_EQ(analyse::bytes_along(tensors, {}), 0);
}

TEST(Costs, ProgramHostAndWaitingMakeTheElapsedTimeOfAnIpu) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    EXPECT_EQ(costs.elapsed(), 2000) << "of one of the two engine runs";
    for (const std::int64_t ipu : {0, 1, 2, 3}) {
        const profile::PhaseCycles beside = costs.beside(ipu);
        EXPECT_EQ(beside.host, 50) << "launching";
        EXPECT_EQ(costs.program(ipu).cycles.total() + beside.total(), costs.elapsed()) << ipu;
    }
    EXPECT_EQ(costs.beside().waiting, 1398 + 654);
    EXPECT_EQ(costs.program().cycles.total() + costs.beside().total(), 2 * costs.elapsed());
}

TEST(Costs, AnIpusCyclesAreItsProgramsWithWhatIsBesideIt) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    EXPECT_EQ(costs.with_beside(0), (profile::PhaseCycles{420, 0, 12, 84, 36 + 50, 1398}));
    EXPECT_EQ(costs.with_beside(1), (profile::PhaseCycles{1200, 0, 12, 84, 50, 654}));
    EXPECT_EQ(costs.with_beside(3), costs.with_beside(1)) << "of the second replica";
    EXPECT_EQ(costs.with_beside(), (profile::PhaseCycles{1620, 0, 24, 168, 136, 2052})) << "of one replica";
    const Pipeline compiled(false);
    const auto before = analyse::Costs::read(*compiled.file).value();
    EXPECT_EQ(before.with_beside(0), (profile::PhaseCycles{420, 0, 12, 84, 36, 0})) << "nothing has run";
}

TEST(Costs, FiguresAreThoseOfTheEngineRunSharedOutToWhatTheyArePer) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    const profile::PhaseCycles update = costs.operation(2).cycles;
    EXPECT_EQ(costs.in(Basis::Execution, update).compute, 300);
    EXPECT_EQ(costs.in(Basis::WeightUpdate, update).compute, 100);
    EXPECT_EQ(costs.in(Basis::MicroBatch, update).compute, 25);
    EXPECT_EQ(costs.in(Basis::Step, update).compute, 13) << "12.5";
}

TEST(Costs, AShareIsOfTheElapsedTimeOfTheIpusThatRunIt) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    EXPECT_DOUBLE_EQ(*costs.share(costs.operation(1)), 1200.0 / 2000);
    EXPECT_DOUBLE_EQ(*costs.share(costs.operation(0)), (216.0 + 96) / 4000) << "two IPUs";
    EXPECT_DOUBLE_EQ(*costs.share(costs.operation(0, 1)), 96.0 / 2000);
    EXPECT_FALSE(costs.share(costs.operation(7)));
    const Pipeline compiled(false);
    const auto before = analyse::Costs::read(*compiled.file).value();
    EXPECT_EQ(before.operation(1).cycles.compute, 1200) << "the program is known";
    EXPECT_FALSE(before.share(before.operation(1))) << "the time of an engine run is not";
}

// A step of 60 cycles behind a launch of 100.
TEST(Costs, WhatIsPlannedHasTheLaunchToo) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::never_run(profile::RunStatus::OutOfMemory)(folder / "run.tilescope"));
    const auto costs = analyse::Costs::read(**profile::Profile::open(folder / "run.tilescope")).value();
    EXPECT_EQ(costs.planned(), 160);
    EXPECT_EQ(costs.planned_phases(0).compute, 60);
    EXPECT_EQ(costs.planned_phases(0).host, 100);
    EXPECT_EQ(costs.planned_phases().total(), 160);
    EXPECT_DOUBLE_EQ(costs.share_or_planned(costs.operation(0)).value_or(0), 60.0 / 160);
}

TEST(Costs, AShareOfAProgramThatNeverRanIsOfItsPlannedTime) {
    const Pipeline pipeline(false);
    const auto costs = analyse::Costs::read(*pipeline.file);
    ASSERT_TRUE(costs) << costs.error().line();
    EXPECT_EQ(costs->elapsed(), 0);
    EXPECT_EQ(costs->planned(), analyse::planned_cycles(*pipeline.file).value());
    ASSERT_GT(costs->planned(), 0);
    const analyse::Cost cost = costs->operation(0);
    EXPECT_EQ(costs->share(cost), std::nullopt);
    EXPECT_EQ(costs->share_or_planned(cost), analyse::planned_share(cost, costs->planned()));
    EXPECT_EQ(costs->planned_phases(1).total(), costs->planned());
    EXPECT_EQ(costs->planned_phases().total(), 4 * costs->planned()) << "of two replicas of two IPUs";
    const auto executed = analyse::Costs::read(*Pipeline().file);
    EXPECT_EQ(executed->planned(), 0);
    EXPECT_EQ(executed->planned_phases().total(), 0);
    EXPECT_EQ(executed->share_or_planned(cost), executed->share(cost));
}

TEST(Costs, TheShareOfPeakOfARunIsOfAllItsIpusFromStartToEnd) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    constexpr double flops = 12'000 + 24'000 + 3 * 50; // at 5 a cycle on each of 8 tiles
    EXPECT_DOUBLE_EQ(costs.share_of_peak().value(), flops / (5 * 8) / (2 * 2000));
    EXPECT_DOUBLE_EQ(costs.share_of_peak(costs.operation(1)).value(), 24'000.0 / (5 * 8) / 1200);
    const Pipeline compiled(false);
    EXPECT_FALSE(analyse::Costs::read(*compiled.file).value().share_of_peak()) << "it has not run";
    EXPECT_EQ(costs.model_flops_utilisation(), costs.share_of_peak()) << "nothing is computed again";
}

TEST(Costs, TheUseOfTheModelsFlopsLeavesOutWhatIsComputedAgain) {
    const Pipeline pipeline(true, profile::Phase::Recompute);
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    EXPECT_DOUBLE_EQ(costs.model_flops_utilisation().value(), (12'000 + 3 * 50) / (5.0 * 8) / (2 * 2000));
    EXPECT_DOUBLE_EQ(costs.share_of_peak().value(), (12'000 + 24'000 + 3 * 50) / (5.0 * 8) / (2 * 2000));
}

TEST(Costs, SqlTellsTheSame) {
    const Pipeline pipeline;
    const auto costs = analyse::Costs::read(*pipeline.file).value();
    const auto rows = pipeline.file
                          ->query("SELECT operation_id, sync_cycles + exchange_cycles + compute_cycles FROM "
                                  "operation_cost ORDER BY 1")
                          ->rows;
    ASSERT_EQ(rows.size(), 3U);
    for (std::int64_t id = 0; id < 3; ++id)
        EXPECT_EQ(rows[static_cast<std::size_t>(id)][1].text,
                  std::to_string(costs.operation(id).cycles.total()));
}

TEST(LiveBytes, AreThoseOfVariablesThatLiveTogetherAtThePeak) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "fixture.tilescope";
    ASSERT_TRUE(tests::record_fixture(path));
    const auto file = *profile::Profile::open(path);
    const auto live = analyse::live_variables(*file).value();
    // Always live: the weights, code, state and exchange code of 64 tiles. At the peak the first layer's
    // weight gradient is made: it, an activation and a gradient of one, and the weight gradient of the second
    // layer.
    const std::int64_t always = 65536 + 64 * (96 + 24 + 40);
    EXPECT_EQ(live.by_layer.at(0), (analyse::LiveBytes{always, always + 65536 + 2 * 16384}));
    EXPECT_EQ(live.by_layer.at(1), (analyse::LiveBytes{always, always + 65536}));
    EXPECT_EQ(live.by_operation.at(0), (analyse::LiveBytes{64 * (96 + 24 + 40), 64 * (96 + 24 + 40)}));
    const auto point = file->liveness(0)->at(20);
    EXPECT_EQ(live.all.at_peak, point.always_live_bytes + point.not_always_live_bytes);
    EXPECT_EQ(live.all.always, point.always_live_bytes);
}
