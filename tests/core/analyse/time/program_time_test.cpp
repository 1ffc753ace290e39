// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/program_time.h"
#include "tests/system_fixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace tilescope::analyse {
namespace {

using profile::ExchangeKind;
using profile::ExchangeRecord;
using profile::ProgramRecord;
using profile::StepKind;

/// Program records, parents first, with ids in order.
class Program {
  public:
    std::int64_t node(std::int64_t parent, StepKind kind, std::int64_t repeats = 1,
                      std::int64_t operation = -1) {
        return add({.parent_id = parent, .kind = kind, .operation_id = operation, .repeats = repeats});
    }
    /// The loop over the micro-batches of a weight update.
    std::int64_t batches(std::int64_t parent, std::int64_t repeats) {
        return add({.parent_id = parent,
                    .kind = StepKind::Repeat,
                    .repeats = repeats,
                    .part = profile::ProgramPart::MicroBatches});
    }
    std::int64_t compute(std::int64_t parent, std::int64_t cycles, std::int64_t ipu = 0) {
        return add({.parent_id = parent,
                    .kind = StepKind::Execute,
                    .operation_id = 7,
                    .compute_cycles = cycles,
                    .ipu = ipu});
    }
    std::int64_t exchange(std::int64_t parent, ExchangeKind kind, std::int64_t sync, std::int64_t cycles,
                          std::int64_t bytes, std::int64_t ipu = 0, std::int64_t peer = -1) {
        ExchangeRecord moved;
        moved.id = static_cast<std::int64_t>(exchanges.size());
        moved.kind = kind;
        moved.bytes = bytes;
        exchanges.push_back(moved);
        return add({.parent_id = parent,
                    .kind = kind == ExchangeKind::Host ? StepKind::StreamCopy : StepKind::Exchange,
                    .operation_id = kind == ExchangeKind::Host ? -1 : 7,
                    .exchange_id = moved.id,
                    .sync_cycles = sync,
                    .exchange_cycles = cycles,
                    .ipu = ipu,
                    .peer = peer});
    }
    ProgramTime time(const std::vector<profile::PipelineSlotRecord>& slots = {}) const {
        return program_time(records, exchanges, slots);
    }

    std::vector<ProgramRecord> records;
    std::vector<ExchangeRecord> exchanges;

  private:
    std::int64_t add(ProgramRecord record) {
        record.id = static_cast<std::int64_t>(records.size());
        record.position = record.id;
        records.push_back(std::move(record));
        return records.back().id;
    }
};

const StepTime& of(const ProgramTime& time, std::int64_t id) {
    return time.steps[static_cast<std::size_t>(id)];
}

/// What run::Clock does with four batches: 100 to load, 5 from the I/O tiles, `body` to compute, 3 back to
/// them and 40 to store.
ProgramTime overlapped(std::int64_t body) {
    Program p;
    const auto loop = p.node(p.node(-1, StepKind::Sequence), StepKind::Repeat, 4);
    const auto host = [&](std::int64_t parent, const std::string& verb, std::int64_t cycles) {
        const auto id = p.exchange(parent, ExchangeKind::Host, 0, cycles, 10);
        ProgramRecord& record = p.records[static_cast<std::size_t>(id)];
        record.role = StepRole::Host;
        record.verb = verb;
        record.part = p.records[static_cast<std::size_t>(parent)].part;
    };
    const auto infeed = p.node(loop, StepKind::Sequence);
    p.records.back().part = profile::ProgramPart::Infeed;
    host(infeed, "", 100);
    host(infeed, "wait", 0);
    p.exchange(infeed, ExchangeKind::Internal, 0, 5, 10);
    p.compute(loop, body);
    const auto outfeed = p.node(loop, StepKind::Sequence);
    p.records.back().part = profile::ProgramPart::Outfeed;
    p.exchange(outfeed, ExchangeKind::Internal, 0, 3, 10);
    host(outfeed, "", 40);
    return p.time();
}

TEST(ExecutionTime, IsThatOfTheProgramAndOfLaunchingIt) {
    const StepTime step{.runs = 4, .elapsed = 50};
    EXPECT_EQ(step.each(), 12.5);
    const ExecutionTime run = execution_time(80, 100);
    EXPECT_EQ(run.cycles, 100);
    EXPECT_EQ(run.launch, 20);
    EXPECT_EQ(run.share(step), 0.5);
    const ExecutionTime never_run = execution_time(80, 0);
    EXPECT_EQ(never_run.cycles, 80);
    EXPECT_EQ(never_run.launch, 0);
    EXPECT_EQ(execution_time(0, 0).share(step), 0);
}

TEST(StepDifference, IsTheTimeLessThatOfTheBase) {
    const StepDifference both{60, 40};
    EXPECT_EQ(both.by(), 20);
    EXPECT_EQ(both.times(), 1.5);
    const StepDifference added{60, {}};
    EXPECT_EQ(added.by(), 60) << "all of what is new";
    EXPECT_EQ(added.times(), std::nullopt);
    EXPECT_EQ((StepDifference{60, 0}).times(), std::nullopt);
    EXPECT_EQ(elapsed_of({StepTime{.elapsed = 50}, StepTime{.elapsed = 7}}), 57);
    EXPECT_EQ(elapsed_of({}), 0);
}

TEST(ProgramTime, WhatIoTilesExchangeGoesOnBesideTheOthers) {
    const ProgramTime hidden = overlapped(1000);
    EXPECT_EQ(hidden.elapsed, 100 + 4 * (5 + 1000 + 3) + 40);
    EXPECT_EQ(of(hidden, 3).elapsed, 400) << "all that is loaded";
    EXPECT_EQ(of(hidden, 4).elapsed, 140) << "the waiting";
    EXPECT_EQ(of(hidden, 2).elapsed, 140 + 4 * 5) << "with what comes from the I/O tiles";
    EXPECT_EQ(of(hidden, 0).ipu_time.total(), hidden.elapsed) << "what is hidden is no part of it";
    EXPECT_EQ(overlapped(10).elapsed, 100 + (5 + 100) + 2 * (5 + 3 + 140) + (5 + 3 + 40) + 3 + 40);
    EXPECT_EQ(overlapped(120).elapsed, 100 + (5 + 120) + 2 * (5 + 3 + 140) + (5 + 3 + 120) + 3 + 40);
}

TEST(ProgramTime, OneIpuRunsStepsOneAfterAnother) {
    Program p;
    const auto main = p.node(-1, StepKind::Sequence);
    const auto steps = p.node(main, StepKind::Repeat, 3);
    const auto infeed = p.exchange(steps, ExchangeKind::Host, 2, 8, 100, -1);
    const auto batches = p.batches(steps, 4);
    const auto dense = p.compute(batches, 5);
    const auto op = p.node(steps, StepKind::Sequence, 1, 7);
    const auto moved = p.exchange(op, ExchangeKind::Internal, 1, 3, 64);
    const auto product = p.compute(op, 7);
    const ProgramTime time = p.time();
    EXPECT_EQ(time.ipus, 1);
    EXPECT_EQ(time.elapsed, 3 * (10 + 4 * 5 + 11));
    EXPECT_EQ(of(time, main).elapsed, 123);
    EXPECT_EQ(of(time, main).runs, 1);
    EXPECT_EQ(of(time, steps).elapsed, 123);
    EXPECT_EQ(of(time, infeed).elapsed, 30);
    EXPECT_EQ(of(time, infeed).ipu_time.host, 24);
    EXPECT_EQ(of(time, infeed).ipu_time.sync, 6);
    EXPECT_EQ(of(time, batches).elapsed, 60);
    EXPECT_EQ(of(time, batches).runs, 3);
    EXPECT_EQ(of(time, dense).elapsed, 60);
    EXPECT_EQ(of(time, dense).runs, 12);
    EXPECT_EQ(of(time, op).elapsed, 33);
    EXPECT_EQ(of(time, op).ipu_time.exchange, 9);
    EXPECT_EQ(of(time, op).bytes, 192);
    EXPECT_EQ(of(time, moved).elapsed, 12);
    EXPECT_EQ(of(time, product).elapsed, 21);
    EXPECT_EQ(of(time, main).ipu_time.total(), 123); // nothing waits for anything
    for (const StepTime& step : time.steps)
        EXPECT_FALSE(step.at_once);
}

TEST(ProgramTime, ShardsThatWorkAtTheSameTimeAreNotAdded) {
    Program p;
    const auto main = p.node(-1, StepKind::Sequence);
    const auto steps = p.node(main, StepKind::Repeat, 2);
    p.compute(steps, 10, 0);                                                     // IPU 0: 0 to 10
    const auto copy = p.exchange(steps, ExchangeKind::InterIpu, 1, 3, 50, 0, 1); // both: 10 to 14
    const auto tail = p.node(steps, StepKind::Sequence);
    p.compute(tail, 6, 1);  // IPU 1: 14 to 20
    p.compute(tail, 20, 0); // IPU 0: 14 to 34
    const ProgramTime time = p.time();
    EXPECT_EQ(time.ipus, 2);
    EXPECT_EQ(time.elapsed, 2 * 34);
    EXPECT_EQ(of(time, steps).elapsed, 68);
    EXPECT_FALSE(of(time, steps).at_once);
    EXPECT_EQ(of(time, tail).elapsed, 2 * 20);
    EXPECT_TRUE(of(time, tail).at_once);
    EXPECT_EQ(of(time, tail).ipu_time.compute, 2 * 26);
    EXPECT_EQ(of(time, copy).elapsed, 2 * 4);
    EXPECT_EQ(of(time, copy).ipu_time.inter_ipu, 2 * 2 * 3); // it takes the time of both
    EXPECT_EQ(of(time, copy).bytes, 2 * 50);                 // but moves its bytes once
    EXPECT_EQ(of(time, main).ipu_time.compute, 2 * 36);
}

TEST(ProgramTime, AnIpuMayRunAheadIntoTheNextTurnOfALoop) {
    Program p;
    const auto main = p.node(-1, StepKind::Sequence);
    const auto steps = p.node(main, StepKind::Repeat, 1);
    const auto batches = p.batches(steps, 5);
    p.compute(batches, 10, 0);
    p.exchange(batches, ExchangeKind::InterIpu, 0, 2, 8, 0, 1);
    p.compute(batches, 4, 1);
    const ProgramTime time = p.time();
    // IPU 0 takes 12 cycles a turn, and IPU 1 works on one batch while IPU 0 works on the next.
    EXPECT_EQ(of(time, batches).elapsed, 5 * 12 + 4);
    EXPECT_EQ(time.elapsed, 64);
    EXPECT_TRUE(of(time, batches).at_once);
}

TEST(ProgramTime, APipelineTakesTheTimeOfItsSlotsAndItsStagesThatOfTheLongest) {
    Program p;
    const auto main = p.node(-1, StepKind::Sequence);
    const auto steps = p.node(main, StepKind::Repeat, 3);
    const auto batches = p.batches(steps, 2);
    const auto both = p.node(batches, StepKind::Sequence);
    const auto first = p.compute(both, 50, 0);
    const auto copy = p.exchange(both, ExchangeKind::InterIpu, 0, 10, 16, 0, 1);
    const auto second = p.compute(both, 30, 1);
    const auto update = p.compute(steps, 30, 0);
    const auto other = p.compute(steps, 20, 1);
    // One update: 390 cycles of micro-batches, then 30.
    const ProgramTime time = p.time(tests::grouped_pipeline());
    EXPECT_EQ(time.elapsed, 3 * 420);
    EXPECT_EQ(of(time, main).elapsed, 3 * 420);
    EXPECT_EQ(of(time, batches).elapsed, 3 * 390);
    EXPECT_EQ(of(time, both).elapsed, 6 * 60); // of IPU 0, whose share is the larger
    EXPECT_TRUE(of(time, both).at_once);
    EXPECT_EQ(of(time, both).runs, 6);
    EXPECT_EQ(of(time, first).elapsed, 6 * 50);
    EXPECT_EQ(of(time, copy).elapsed, 6 * 10);
    EXPECT_EQ(of(time, second).elapsed, 6 * 30);
    EXPECT_EQ(of(time, update).elapsed, 3 * 30);
    EXPECT_EQ(of(time, other).elapsed, 3 * 20);
    EXPECT_EQ(of(time, both).ipu_time.inter_ipu, 6 * 2 * 10);
    EXPECT_EQ(of(time, main).ipu_time.compute, 6 * 80 + 3 * 50);
}

TEST(ProgramTime, TheWorkOfAPipelineIsGroupedByItsStages) {
    Program p;
    const auto main = p.node(-1, StepKind::Sequence);
    const auto steps = p.node(main, StepKind::Repeat, 3);
    const auto batches = p.batches(steps, 2);
    const auto work = p.batches(batches, 1);
    p.records.back().kind = StepKind::Sequence;
    const auto operation = [&](std::int64_t id, std::int64_t cycles, std::int64_t ipu) {
        const auto step = p.node(work, StepKind::Sequence, 1, id);
        p.records.back().stage = ipu;
        p.compute(step, cycles, ipu);
        return step;
    };
    const auto forward_0 = operation(0, 50, 0);
    const auto feed = p.node(work, StepKind::Sequence); // what operation 1 reads of the host
    p.records.back().stage = 1;
    const auto of_none = p.node(work, StepKind::Sequence);
    const auto forward_1 = operation(1, 20, 1);
    const auto backward_1 = operation(2, 10, 1);
    const auto backward_0 = operation(3, 10, 0);
    const auto update = p.node(steps, StepKind::Sequence, 1, 4);
    std::vector<profile::OperationRecord> operations(5);
    for (std::int64_t id = 0; id < 5; ++id) {
        operations[static_cast<std::size_t>(id)].id = id;
        operations[static_cast<std::size_t>(id)].stage = id == 1 || id == 2 ? 1 : 0;
    }
    const std::vector<profile::IpuRecord> ipus{{0, 0, "", 0, 0, 0}, {1, 1, "", 0, 1, 1}, {2, 2, "", 1, 0, 0}};
    const auto stages = group_by_stage(p.records, operations, ipus);
    ASSERT_EQ(stages.size(), 2U);
    const std::int64_t first = stages.begin()->first;
    EXPECT_EQ(stages, (std::map<std::int64_t, std::int64_t>{{first, 0}, {first + 1, 1}}));
    std::map<std::int64_t, std::int64_t> parent;
    std::map<std::int64_t, std::size_t> place;
    for (std::size_t r = 0; r < p.records.size(); ++r) {
        parent[p.records[r].id] = p.records[r].parent_id;
        place[p.records[r].id] = r;
    }
    EXPECT_EQ(parent[first], work);
    EXPECT_EQ(parent[forward_0], first);
    EXPECT_EQ(parent[backward_0], first);
    EXPECT_EQ(parent[feed], first + 1);
    EXPECT_EQ(parent[of_none], work);
    EXPECT_EQ(parent[forward_1], first + 1);
    EXPECT_EQ(parent[backward_1], first + 1);
    EXPECT_EQ(parent[update], steps) << "it is no micro-batch's";
    const ProgramTime time = p.time(tests::grouped_pipeline());
    EXPECT_EQ(time.steps[place[first]].elapsed, 6 * 60);
    EXPECT_EQ(time.steps[place[first + 1]].elapsed, 6 * 30);
    EXPECT_EQ(time.steps[place[first + 1]].runs, 6);
    EXPECT_TRUE(time.steps[place[work]].at_once);
    EXPECT_FALSE(time.steps[place[first]].at_once);
}

// Three weight updates, of two IPUs: 2 x 50 cycles of micro-batches, then 20 steps of 3 and of 2 cycles.
TEST(ProgramTime, WhatAnUpdateDoesBesideTheMicroBatchesIsOneStep) {
    const auto made = [](int updates) {
        Program p;
        const auto main = p.node(-1, StepKind::Sequence);
        const auto steps = p.node(main, StepKind::Repeat, 3);
        p.compute(p.batches(steps, 2), 50);
        for (int i = 0; i < updates; ++i) {
            const auto step = p.node(steps, StepKind::Sequence, 1, 4);
            p.records.back().part = profile::ProgramPart::Update;
            p.compute(step, i % 2 == 0 ? 3 : 2, i % 2);
        }
        p.node(steps, StepKind::Sequence);
        p.records.back().part = profile::ProgramPart::Outfeed;
        return p;
    };
    Program p = made(20);
    const ProgramTime before = p.time();
    const std::size_t count = p.records.size();
    group_update(p.records);
    ASSERT_EQ(p.records.size(), count + 1);
    const auto group = std::find_if(p.records.begin(), p.records.end(),
                                    [](const ProgramRecord& each) { return each.name == "update"; });
    ASSERT_NE(group, p.records.end());
    const auto parents = [&](profile::ProgramPart part, std::int64_t parent) {
        return std::count_if(p.records.begin(), p.records.end(), [&](const ProgramRecord& each) {
            return each.part == part && each.parent_id == parent;
        });
    };
    EXPECT_EQ(parents(profile::ProgramPart::Update, group->id), 20);
    EXPECT_EQ(parents(profile::ProgramPart::Update, group->parent_id), 1) << "the group";
    EXPECT_EQ(parents(profile::ProgramPart::MicroBatches, group->parent_id), 1);
    EXPECT_EQ(parents(profile::ProgramPart::Outfeed, group->parent_id), 1);
    const ProgramTime time = p.time();
    EXPECT_EQ(time.elapsed, before.elapsed);
    const StepTime& update = time.steps[static_cast<std::size_t>(group - p.records.begin())];
    EXPECT_EQ(update.runs, 3);
    EXPECT_EQ(update.ipu_time.compute, 3 * 10 * (3 + 2));

    Program few = made(16);
    const std::size_t as_before = few.records.size();
    group_update(few.records);
    EXPECT_EQ(few.records.size(), as_before);
}

TEST(ProgramTime, AnEmptyProgramTakesNoTime) {
    const ProgramTime time = program_time({}, {}, {});
    EXPECT_EQ(time.elapsed, 0);
    EXPECT_TRUE(time.steps.empty());
}

} // namespace
} // namespace tilescope::analyse
