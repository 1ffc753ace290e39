// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "compile/compiler.h"
#include "prepare/job.h"
#include "profile/profile.h"
#include "run/clock.h"
#include "run/session.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace tilescope;

namespace {

using test::registry;

/// Cycles of what a batch does: the host loads it, it goes from the I/O tiles to the others, is computed, its
/// results go to the I/O tiles, and from there to the host.
struct BatchCycles {
    std::int64_t load = 0, arrive = 0, body = 0, leave = 0, store = 0;
};

/// A program made by hand, of `rounds` weight updates of `micro_batches` batches each, that ends a round with
/// `update` cycles.
compile::Executable by_hand(const BatchCycles& cycles, std::int64_t rounds, std::int64_t micro_batches = 1,
                            std::int64_t update = 0, bool overlaps = true) {
    compile::Executable made;
    made.schedule.steps_per_execution = rounds * micro_batches;
    made.schedule.accumulation = micro_batches;
    made.target.clock_hz = 1e9;
    program::Program& p = made.program;
    const auto node = [&](StepKind kind, std::int64_t repeats, program::StepId parent, ProgramPart part) {
        program::Step step;
        step.kind = kind;
        step.repeats = repeats;
        step.part = part;
        return p.add_step(step, parent);
    };
    const auto leaf = [&](StepKind kind, std::int64_t of, program::StepId parent, bool on_io_tiles = false) {
        program::Step step;
        step.kind = kind;
        (kind == StepKind::Execute ? step.compute_cycles : step.exchange_cycles) = of;
        step.on_io_tiles = on_io_tiles;
        return p.add_step(step, parent);
    };
    const auto root = node(StepKind::Sequence, 1, program::StepId(-1), ProgramPart::Whole);
    p.rounds = node(StepKind::Repeat, rounds, root, ProgramPart::Whole);
    program::StepId batch = p.rounds;
    if (micro_batches > 1)
        batch = p.micro_batches = node(StepKind::Repeat, micro_batches, p.rounds, ProgramPart::MicroBatches);
    const auto infeed = node(StepKind::Sequence, 1, batch, ProgramPart::Infeed);
    leaf(StepKind::StreamCopy, cycles.load, infeed, true);
    p.io_wait = leaf(StepKind::StreamCopy, 0, infeed);
    leaf(StepKind::Exchange, cycles.arrive, infeed);
    leaf(StepKind::Execute, cycles.body, node(StepKind::Sequence, 1, batch, ProgramPart::MicroBatches));
    const auto outfeed = node(StepKind::Sequence, 1, batch, ProgramPart::Outfeed);
    leaf(StepKind::Exchange, cycles.leave, outfeed);
    leaf(StepKind::StreamCopy, cycles.store, outfeed, true);
    if (update > 0)
        leaf(StepKind::Execute, update, node(StepKind::Sequence, 1, p.rounds, ProgramPart::Update));
    p.io_overlaps = overlaps;
    return made;
}

} // namespace

// 100 to load, 40 to store, 5 and 3 between the tiles. All is hidden but the first load and the last store.
TEST(IoOverlap, ComputeHidesTheHostButForTheFirstLoadAndTheLastStore) {
    const BatchCycles bound_by_compute{100, 5, 1000, 3, 40};
    EXPECT_EQ(run::execution_cycles(by_hand(bound_by_compute, 4)), 100 + 4 * (5 + 1000 + 3) + 40);
    EXPECT_EQ(run::execution_cycles(by_hand(bound_by_compute, 2)), 100 + 2 * (5 + 1000 + 3) + 40);
    EXPECT_EQ(run::execution_cycles(by_hand(bound_by_compute, 4, 1, 0, false)), 4 * (100 + 5 + 1000 + 3 + 40))
        << "in turn";
}

// With 10 cycles of compute the loads and stores follow each other: the second load is waited for alone, and
// the last but one store.
TEST(IoOverlap, AProgramBoundByTheHostIsAsLongAsItsExchange) {
    const BatchCycles bound_by_host{100, 5, 10, 3, 40};
    EXPECT_EQ(run::execution_cycles(by_hand(bound_by_host, 4)),
              100 + (5 + 100) + 2 * (5 + 3 + 140) + (5 + 3 + 40) + 3 + 40);
    EXPECT_EQ(run::execution_cycles(by_hand(bound_by_host, 2)), 100 + (5 + 100) + (5 + 3 + 40) + 3 + 40);
}

// A load of 100 is hidden by 120 cycles, a load and a store of 40 are not.
TEST(IoOverlap, WhatComputeDoesNotHideIsWaitedFor) {
    EXPECT_EQ(run::execution_cycles(by_hand({100, 5, 120, 3, 40}, 4)),
              100 + (5 + 120) + 2 * (5 + 3 + 140) + (5 + 3 + 120) + 3 + 40);
}

// Each weight update fills and drains: nothing is loaded for the next one while it updates.
TEST(IoOverlap, MicroBatchesOverlapWithinAWeightUpdate) {
    const BatchCycles cycles{100, 5, 1000, 3, 40};
    EXPECT_EQ(run::execution_cycles(by_hand(cycles, 2, 3, 50)), 2 * (100 + 3 * (5 + 1000 + 3) + 40 + 50));
    EXPECT_EQ(run::execution_cycles(by_hand(cycles, 1, 3)), 100 + 3 * (5 + 1000 + 3) + 40);
}

namespace {

/// Keeps the losses that a run tells.
class Losses : public run::Observer {
  public:
    std::vector<double> all;
    std::vector<std::string> notes;
    void steps_done(std::int64_t, std::int64_t, double,
                    const std::vector<std::pair<std::string, double>>& metrics) override {
        if (!metrics.empty())
            all.push_back(metrics.front().second);
    }
    void note(const std::string&, const std::string& message) override { notes.push_back(message); }
};

struct Ran {
    std::unique_ptr<profile::Profile> profile;
    Losses told;
};

/// Ran by itself, with and without I/O tiles.
Ran ran(const std::string& sample, workload::Overrides overrides, std::int64_t io_tiles,
        const tests::TemporaryFolder& folder) {
    if (io_tiles > 0)
        overrides.push_back(R"(ipu_config.io_tiles={"num_io_tiles": )" + std::to_string(io_tiles) +
                            R"(, "place_ops_on_io_tiles": true})");
    const auto workload =
        workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/" + sample + ".json", overrides);
    EXPECT_TRUE(workload) << workload.error().line();
    auto prepared = prepare::prepare_job(*workload, registry(), {}, CancelToken());
    EXPECT_TRUE(prepared) << prepared.error().line();
    run::Job job = std::move(prepared->job);
    const std::string path = folder / (std::to_string(io_tiles) + ".tilescope");
    profile::RunRecord record;
    auto recorder = profile::Recorder::create(path, record);
    for (std::int32_t i = 0; i < job.training.ipus(); ++i)
        (*recorder)->add(profile::IpuRecord{i, i, "", i / job.training.ipus_per_replica,
                                            i % job.training.ipus_per_replica});
    Ran result;
    const auto done =
        run::run_job(std::move(job), registry(), record, **recorder, result.told, CancelToken());
    EXPECT_TRUE(done) << done.error().line();
    EXPECT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    result.profile = std::move(*profile::Profile::open(path));
    return result;
}

const workload::Overrides few_steps = {R"(data.train={"synthetic": true, "one_hot": 10, "samples": 512})",
                                       R"(data.evaluate={"synthetic": true, "one_hot": 10, "samples": 256})",
                                       "fit.epochs=1", "compile.steps_per_execution=8"};

/// What the I/O tiles of an IPU do from start to end adds up to what `schedule_io` says of it, they do one
/// thing at a time, and the cycles by phase add up to the engine runs.
void expect_consistent(const profile::Profile& profile, std::int64_t ipu) {
    const auto range = profile.time_range().value();
    std::int64_t busy = 0;
    const auto slices = profile.io_trace(ipu, range.first, range.second, 1).value();
    for (const auto& slice : slices)
        if (slice.merged > 0)
            busy += slice.end_cycle - slice.start_cycle;
    std::map<std::int64_t, std::int64_t> runs;
    std::int64_t cycles = 0;
    const auto groups = profile.execution_groups().value();
    for (const auto& group : groups) {
        runs[group.schedule_id] += group.count;
        cycles += group.count * group.cycles;
    }
    std::int64_t told = 0;
    std::int64_t hidden = 0;
    const auto rows = profile.schedule_io().value();
    for (const auto& row : rows)
        if (row.ipu == ipu) {
            told += row.cycles * runs[row.schedule_id];
            hidden += row.hidden_cycles * runs[row.schedule_id];
        }
    EXPECT_GT(busy, 0);
    EXPECT_EQ(busy, told);
    EXPECT_GT(hidden, 0);
    EXPECT_LT(hidden, told) << "the first load is waited for";
    EXPECT_EQ(profile.phase_cycles({}, ipu)->total(), cycles);
    std::int64_t line = 0;
    const auto totals = profile.trace_totals(ipu, range.first, range.second).value();
    for (const auto& total : totals)
        line += total.cycles.total();
    EXPECT_EQ(line, cycles);
}

std::int64_t training_cycles(const profile::Profile& profile) {
    return profile.execution_totals(profile::ExecutionKind::Train)->cycles;
}

} // namespace

TEST(IoOverlap, LossesAreTheSameToTheBitAndTheRunIsShorter) {
    const tests::TemporaryFolder folder;
    const Ran without = ran("keras_mnist_faster", few_steps, 0, folder);
    const Ran with = ran("keras_mnist_faster", few_steps, 32, folder);
    EXPECT_EQ(with.told.all, without.told.all);
    EXPECT_EQ(with.told.notes, without.told.notes) << "nothing is to be said of the I/O tiles";
    EXPECT_LT(training_cycles(*with.profile), training_cycles(*without.profile));
    expect_consistent(*with.profile, 0);
    EXPECT_TRUE(without.profile->schedule_io()->empty());
    EXPECT_TRUE(without.profile->io_trace(0, 0, 1000000000, 1)->empty());
    EXPECT_EQ(with.profile->device_programs()->front().io_tiles, 32);
    EXPECT_EQ(without.profile->device_programs()->front().io_tiles, 0);
}

TEST(IoOverlap, AGroupedPipelineOverlapsSlotBySlot) {
    const tests::TemporaryFolder folder;
    const workload::Overrides pipeline = {
        R"(data.train={"synthetic": true, "one_hot": 10, "samples": 4096})",
        R"(data.evaluate={"synthetic": true, "one_hot": 10, "samples": 1024})",
        "fit.epochs=1",
        "fit.batch_size=64",
        "compile.steps_per_execution=16",
        R"(pipeline.schedule="Grouped")",
        "pipeline.gradient_accumulation_steps_per_replica=8"};
    const Ran without = ran("keras_mnist_pipelined", pipeline, 0, folder);
    const Ran with = ran("keras_mnist_pipelined", pipeline, 32, folder);
    EXPECT_EQ(with.told.all, without.told.all);
    EXPECT_LT(training_cycles(*with.profile), training_cycles(*without.profile));
    expect_consistent(*with.profile, 0);
    expect_consistent(*with.profile, 1);
}
