// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"
#include "profile/block_builder.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

constexpr std::int64_t launch = 50;
constexpr std::int64_t copy_cycles = 7;
constexpr std::int64_t end_cycles = 30;
constexpr std::int64_t rounds = 2; ///< of an engine run

/// a on IPU 0 and b on IPU 1 begin together. c copies what a gives to IPU 1 when both have ended, and goes on
/// there for 30 cycles; meanwhile IPU 0 does d. A round does that for each micro-batch.
struct Sizes {
    std::int64_t a = 100, b = 60, d = 10;
    std::int64_t micro_batches = 1;
    bool folded = true;    ///< they are recorded as one that repeats, else step by step
    std::int64_t idle = 0; ///< IPUs beside these two, which only wait
    std::int64_t meet() const { return std::max(a, b); }
    std::int64_t pass() const { return meet() + copy_cycles + std::max(end_cycles, d); }
    std::int64_t round() const { return micro_batches * pass(); }
    std::int64_t passes() const { return rounds * micro_batches; } ///< of an engine run
    std::int64_t waiting(std::int64_t ipu) const {                 ///< in a pass
        return pass() - copy_cycles - (ipu == 0 ? a + d : b + end_cycles);
    }
};

class WaitingCause : public testing::Test {
  protected:
    std::unique_ptr<profile::Profile> record(const std::string& name, const Sizes& sizes) const {
        const std::string path = folder / (name + ".tilescope");
        auto recorder = *profile::Recorder::create(path, {});
        recorder->set(profile::TargetRecord{"pod4", "ipu2", 2, 8, 1000, 1e6, 6});
        for (std::int64_t i = 0; i < 2 + sizes.idle; ++i)
            recorder->add(profile::IpuRecord{i, i, "", 0, i, -1});
        recorder->add(profile::DeviceProgramRecord{0, "training", 0, true});
        recorder->add(profile::ProgramRecord{0, -1, 0, profile::StepKind::Sequence, "main"});
        const std::array<const char*, 4> names = {"a", "b", "c", "d"};
        for (std::int64_t id = 0; id < 4; ++id) {
            const std::string layer = names[static_cast<std::size_t>(id)];
            recorder->add(profile::LayerRecord{id, layer, "Dense", "[4]", 4});
            recorder->add(profile::OperationRecord{id, layer + "/op", "matmul", id, profile::Phase::Forward});
        }
        recorder->add(
            profile::ExchangeRecord{0, "over", profile::ExchangeKind::InterIpu, 2, 64, copy_cycles, 0, 1});
        const auto add_step = [&](std::int64_t id, std::int64_t operation, std::int64_t ipu,
                                  std::int64_t cycles) {
            profile::ProgramRecord record = step(id, operation, ipu, sizes);
            record.compute_cycles = cycles;
            recorder->add(record);
        };
        add_step(1, 0, 0, sizes.a);
        add_step(2, 1, 1, sizes.b);
        profile::ProgramRecord copy = step(3, 2, 0, sizes);
        copy.kind = profile::StepKind::Exchange;
        copy.exchange_id = 0;
        copy.peer = 1;
        copy.exchange_cycles = copy_cycles;
        recorder->add(copy);
        add_step(4, 2, 1, end_cycles);
        add_step(5, 3, 0, sizes.d);
        add_executions(*recorder, sizes);
        EXPECT_TRUE(recorder->finish(profile::RunStatus::Complete));
        return *profile::Profile::open(path);
    }
    static profile::ProgramRecord step(std::int64_t id, std::int64_t operation, std::int64_t ipu,
                                       const Sizes& sizes) {
        profile::ProgramRecord step;
        step.id = id;
        step.parent_id = 0;
        step.kind = profile::StepKind::Execute;
        step.name = "step " + std::to_string(id);
        step.operation_id = operation;
        step.ipu = ipu;
        step.runs = sizes.passes();
        return step;
    }
    static void add_executions(profile::Recorder& recorder, const Sizes& s) {
        const auto block_of = [&](std::int64_t ipu) {
            profile::BlockBuilder block([&recorder](std::vector<profile::BlockPartRecord> parts) {
                return recorder.add_block(std::move(parts));
            });
            for (std::int64_t i = 0; i < s.micro_batches; ++i) {
                const std::int64_t start = i * s.pass();
                if (s.folded)
                    block.begin();
                block.step(start, ipu == 0 ? 1 : 2, 0, 0, ipu == 0 ? s.a : s.b);
                block.step(start + s.meet(), 3, 0, copy_cycles, 0);
                block.step(start + s.meet() + copy_cycles, ipu == 0 ? 5 : 4, 0, 0,
                           ipu == 0 ? s.d : end_cycles);
                if (s.folded)
                    block.end();
            }
            return block.finish().id;
        };
        const auto phases = [&](std::int64_t ipu) {
            return profile::ScheduleIpuRecord{0,
                                              ipu,
                                              s.passes() * (ipu == 0 ? s.a + s.d : s.b + end_cycles),
                                              0,
                                              0,
                                              s.passes() * copy_cycles,
                                              launch,
                                              s.passes() * s.waiting(ipu)};
        };
        std::vector<profile::ScheduleIpuRecord> ipus{phases(0), phases(1)};
        for (std::int64_t i = 0; i < s.idle; ++i)
            ipus.push_back({0, 2 + i, 0, 0, 0, 0, launch, rounds * s.round()});
        const std::int64_t schedule =
            recorder.add_schedule(ipus, {{0, 0, 0, launch, rounds, s.round(), block_of(0)},
                                         {0, 1, 0, launch, rounds, s.round(), block_of(1)}});
        const std::int64_t cycles = launch + rounds * s.round();
        for (std::int64_t id = 0; id < 2; ++id)
            recorder.add(profile::ExecutionRecord{id, profile::ExecutionKind::Train, 0, 2 * id, 2,
                                                  1000 + cycles * id, cycles, 7, schedule});
    }
    static Cause waiting(const profile::Profile& base, const profile::Profile& now,
                         std::int64_t ipu = every_ipu) {
        const auto comparison = compare(base, now, ipu, Basis::Execution);
        EXPECT_TRUE(comparison) << comparison.error().line();
        for (const Cause& cause : comparison->causes)
            if (cause.kind == CauseKind::Waiting)
                return cause;
        return {};
    }
    /// Changes by layer, as an engine run of two rounds counts them.
    static std::vector<std::pair<std::string, double>> parts(const Cause& cause) {
        std::vector<std::pair<std::string, double>> parts;
        for (const Cause& part : cause.parts)
            parts.emplace_back(part.what, *part.cycles);
        return parts;
    }
    using Parts = std::vector<std::pair<std::string, double>>;

    const tests::TemporaryFolder folder;
    const Sizes usual{};
};

TEST_F(WaitingCause, IsTheOperationWhoseSlowestTileTheOthersWaitFor) {
    const Sizes grown{120, 60, 16};
    ASSERT_EQ(usual.waiting(0) + usual.waiting(1), 20 + 40);
    ASSERT_EQ(grown.waiting(0) + grown.waiting(1), 14 + 60);
    const auto base = record("base", usual), now = record("now", grown);
    const Cause cause = waiting(*base, *now);
    EXPECT_EQ(cause.cycles, rounds * 14);
    // IPU 1 waits 20 longer for a; what IPU 0 does more of d it would wait.
    EXPECT_EQ(parts(cause), (Parts{{"a", rounds * 20}, {"d", rounds * -6}}));
    EXPECT_EQ(cause.why,
              "a: op: is waited for +40 cycles on IPU 0, its slowest tile +40 cycles; IPU 1 waits +40 "
              "cycles; IPU 0 waits −12 cycles");
    EXPECT_EQ(cause.parts[1].why, "op: takes +12 cycles while others are waited for");
    EXPECT_EQ(parts(waiting(*base, *now, 1)), (Parts{{"a", rounds * 20}}));
    EXPECT_EQ(parts(waiting(*base, *now, 0)), (Parts{{"d", rounds * -6}})) << "IPU 0 does not wait for a";
    EXPECT_TRUE(waiting(*now, *now).parts.empty());
}

TEST_F(WaitingCause, IsAnotherOperationWhereAnotherIpuIsTheSlowest) {
    const Sizes other{100, 150, 10};
    ASSERT_EQ(other.waiting(0) + other.waiting(1), 70);
    const auto base = record("base", usual), now = record("now", other);
    const Cause cause = waiting(*base, *now);
    EXPECT_EQ(cause.cycles, rounds * (70 - 60));
    // Of b: twice 150 less 150, was not on the path and less 60; of a: less 100, was twice 100 less 100.
    EXPECT_EQ(parts(cause), (Parts{{"b", rounds * 210}, {"a", rounds * -200}}));
    EXPECT_TRUE(cause.parts[0].why.starts_with("op: is waited for, was not: +300 cycles on IPU 1"));
    EXPECT_TRUE(cause.parts[1].why.starts_with("op: is no longer waited for: −200 cycles on IPU 0"));
}

// A round takes 137 cycles, in which a third IPU waits: for a, and for c with its copy.
TEST_F(WaitingCause, IsAnIpuMoreThatWaitsForTheSame) {
    Sizes more = usual, many = usual;
    more.idle = 1;
    many.idle = 4;
    const auto base = record("base", usual), now = record("now", more);
    const Cause cause = waiting(*base, *now);
    EXPECT_EQ(cause.cycles, rounds * 137);
    EXPECT_EQ(parts(cause), (Parts{{"a", rounds * 100}, {"c", rounds * 37}}));
    EXPECT_EQ(cause.why, "a: op: another IPU now waits while it runs; IPU 2 waits +274 cycles");
    EXPECT_EQ(waiting(*now, *base).parts.at(0).why, "op: one IPU less waits while it runs");
    const auto three = record("many", many);
    EXPECT_EQ(waiting(*now, *three).parts.at(0).why, "op: 3 more IPUs now wait while it runs");
    EXPECT_EQ(waiting(*three, *now).parts.at(0).why, "op: 3 IPUs less wait while it runs");
}

TEST_F(WaitingCause, IsThatOfOneMicroBatchTimesAllWhetherTheyAreRecordedFoldedOrNot) {
    constexpr std::int64_t many = 5000;
    for (const bool folded : {true, false}) {
        const std::string name = folded ? "folded" : "step by step";
        const auto base = record("base " + name, {100, 60, 10, many, folded});
        const auto now = record("now " + name, {120, 60, 16, many, folded});
        const Cause cause = waiting(*base, *now);
        EXPECT_EQ(cause.cycles, rounds * many * 14) << name;
        EXPECT_EQ(parts(cause), (Parts{{"a", rounds * many * 20}, {"d", rounds * many * -6}})) << name;
        const auto other = record("other " + name, {100, 150, 10, many, folded});
        EXPECT_EQ(parts(waiting(*base, *other)),
                  (Parts{{"b", rounds * many * 210}, {"a", rounds * many * -200}}))
            << name;
    }
}

/// From 50 + 2 x 137 cycles of a microsecond to 50 + 2 x 157. Of the 40 more, both IPUs compute 226 instead
/// of 200 in the mean (a: twice 20 on one of two, d: twice 6), and wait 74 instead of 60.
TEST_F(WaitingCause, TheBridgeAddsUpToTheChangeOfElapsedTime) {
    const auto base = record("base", usual), now = record("now", {120, 60, 16});
    const auto comparison = compare(*base, *now, every_ipu, Basis::Execution);
    ASSERT_TRUE(comparison) << comparison.error().line();
    ASSERT_TRUE(comparison->bridge);
    const TimeBridge& bridge = *comparison->bridge;
    EXPECT_DOUBLE_EQ(bridge.base_us, 324);
    EXPECT_DOUBLE_EQ(bridge.now_us, 364);
    ASSERT_EQ(bridge.parts.size(), 2U);
    EXPECT_EQ(bridge.parts[0].name, "compute");
    EXPECT_DOUBLE_EQ(bridge.parts[0].us, 26);
    ASSERT_EQ(bridge.parts[0].parts.size(), 2U);
    EXPECT_EQ(bridge.parts[0].parts[0].name, "a");
    EXPECT_DOUBLE_EQ(bridge.parts[0].parts[0].us, 20);
    EXPECT_DOUBLE_EQ(bridge.parts[0].parts[1].us, 6);
    EXPECT_EQ(bridge.parts[1].name, "waiting");
    EXPECT_DOUBLE_EQ(bridge.parts[1].us, 14);
    EXPECT_EQ(answer(*comparison, "one", "two"),
              "two is 12.3 % slower than one: 364 µs instead of 324 µs per execution (+40 µs), of which "
              "+26 µs is compute, mostly in a.");
    const auto of_one = compare(*base, *now, 1, Basis::Execution); // the IPU that only waits
    ASSERT_TRUE(of_one && of_one->bridge);
    ASSERT_EQ(of_one->bridge->parts.size(), 1U);
    EXPECT_DOUBLE_EQ(of_one->bridge->parts[0].us, 40);
    const auto same = compare(*now, *now, every_ipu, Basis::Execution);
    ASSERT_TRUE(same && same->bridge);
    EXPECT_TRUE(same->bridge->parts.empty());
    EXPECT_EQ(answer(*same, "two", "two"), "two takes as long as two: 364 µs per execution.");
}

} // namespace
} // namespace tilescope::analyse
