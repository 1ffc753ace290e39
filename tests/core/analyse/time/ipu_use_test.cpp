// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/ipu_use.h"
#include "profile/recorder.h"
#include "tests/record_rows.h"
#include "tests/temporary_folder.h"

#include <array>
#include <gtest/gtest.h>
#include <utility>

namespace tilescope::analyse {
namespace {

using namespace profile;

/// Two replicas of two shards. From 0 to 1,000 shard 0 takes 800 bytes from the host in cycles 100 to 200,
/// moves 600 between its tiles until 300, computes until 400 on half of its tiles on average, sends 500 bytes
/// to shard 1 until 500, and exchanges 40 with the other replica until 600; shard 1 gives the host 70 until
/// 700. An evaluation follows, with a stream of that name.
std::unique_ptr<Profile> four_ipus(const std::string& path, const std::string& stream_name) {
    auto recorder = Recorder::create(path, {});
    EXPECT_TRUE(recorder);
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 4, 2, 1000, 1e9, 6});
    for (std::int64_t ipu = 0; ipu < 4; ++ipu)
        r.add(IpuRecord{ipu, ipu, "a", ipu / 2, ipu % 2, -1});
    r.add(ComputeSetRecord{0, "multiply", -1, 100, 0.5});
    r.add(ExchangeRecord{0, "in", ExchangeKind::Host, -1, 800, 100, 0});
    r.add(ExchangeRecord{1, "between tiles", ExchangeKind::Internal, -1, 600, 100, 0});
    r.add(ExchangeRecord{2, "copy", ExchangeKind::InterIpu, -1, 500, 100, 0, 1});
    r.add(ExchangeRecord{3, "reduce", ExchangeKind::InterIpu, -1, 40, 100, 0, -1});
    r.add(ExchangeRecord{4, "out", ExchangeKind::Host, -1, 70, 100, 1});
    r.add_tile_values("exchange", 0, 0, "received", std::vector<std::int64_t>{400, 400});
    r.add_tile_values("exchange", 4, 1, "sent", std::vector<std::int64_t>{70, 0});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    for (std::int64_t id = 1; id <= 6; ++id) {
        const std::array<std::int64_t, 7> exchange{-1, 0, 1, -1, 2, 3, 4};
        ProgramRecord step{id, 0, id, id == 1 || id == 6 ? StepKind::StreamCopy : StepKind::Exchange, "step"};
        step.kind = id == 3 ? StepKind::Execute : step.kind;
        step.compute_set_id = id == 3 ? 0 : -1;
        step.exchange_id = exchange.at(static_cast<std::size_t>(id));
        step.name = id == 1 ? "images" : id == 6 ? "loss" : step.name;
        r.add(step);
    }
    r.add(DeviceProgramRecord{0, "training", 0, true});
    r.add(DeviceProgramRecord{1, "evaluation", 7});
    FurtherStepRecord stream;
    stream.id = 7;
    stream.kind = StepKind::StreamCopy;
    stream.bytes = 10;
    stream.name = stream_name;
    r.add(stream);
    std::vector<TraceRecord> rows;
    std::vector<tests::ExecutionOnIpu> phases;
    for (std::int64_t ipu = 0; ipu < 4; ++ipu) {
        const bool first = ipu % 2 == 0;
        if (first) {
            rows.push_back({0, 0, 1, ipu, 100, 0, 100, 0});
            rows.push_back({0, 0, 2, ipu, 200, 0, 100, 0});
            rows.push_back({0, 0, 3, ipu, 300, 0, 0, 100});
        }
        rows.push_back({0, 0, 4, ipu, 400, 0, 100, 0});
        if (first)
            rows.push_back({0, 0, 5, ipu, 500, 0, 100, 0});
        else
            rows.push_back({0, 0, 6, ipu, 600, 0, 100, 0});
        phases.push_back(first ? tests::ExecutionOnIpu{0, ipu, 100, 100, 0, 200, 200, 400}
                               : tests::ExecutionOnIpu{0, ipu, 0, 0, 0, 100, 200, 700});
        if (first)
            rows.push_back({1, 0, 7, ipu, 1100, 0, 100, 0});
        phases.push_back(first ? tests::ExecutionOnIpu{1, ipu, 0, 0, 0, 0, 200, 800}
                               : tests::ExecutionOnIpu{1, ipu, 0, 0, 0, 0, 100, 900});
    }
    tests::record_rows(r,
                       {{0, ExecutionKind::Train, 0, 0, 1, 0, 1000, 1},
                        {1, ExecutionKind::Evaluate, 0, 0, 1, 1000, 1000, 1}},
                       phases, rows);
    EXPECT_TRUE((*recorder)->finish(RunStatus::Complete));
    return std::move(*Profile::open(path));
}

class IpuUses : public testing::Test {
  protected:
    std::vector<IpuUse> in(std::int64_t ipu, Range range) {
        const auto program = file->program().value();
        const StepBalances balances = step_balances(*file, program, file->further_steps().value()).value();
        return ipu_uses(*file, ipu, range, balances, StepTraffic::read(*file).value()).value();
    }
    tests::TemporaryFolder folder;
    std::unique_ptr<Profile> file = four_ipus(folder / "a.tilescope", "masks");
};

TEST_F(IpuUses, BytesAreOfTheIpuThatSendsOrReceivesThem) {
    const auto uses = in(every_ipu, {0, 1000});
    ASSERT_EQ(uses.size(), 4U);
    for (const IpuUse& use : uses) {
        const bool first = use.ipu % 2 == 0;
        EXPECT_DOUBLE_EQ(use.between_tiles.value(), first ? 600 : 0) << use.ipu;
        EXPECT_DOUBLE_EQ(use.in.value(), first ? 800 + 40 : 500) << use.ipu;
        EXPECT_DOUBLE_EQ(use.out.value(), first ? 500 + 40 : 70) << use.ipu;
        EXPECT_EQ(use.tiles.has_value(), first) << use.ipu;
    }
    EXPECT_DOUBLE_EQ(uses[0].tiles->busy, 0.5 * 100 / 1000);
    EXPECT_DOUBLE_EQ(uses[0].tiles->balance, 0.5);
    EXPECT_EQ(uses[1].cycles.waiting, 700);
}

TEST_F(IpuUses, AnExchangeThatTheRangeCutsCountsByItsShare) {
    const auto uses = in(0, {150, 425});
    ASSERT_EQ(uses.size(), 1U);
    EXPECT_DOUBLE_EQ(uses[0].in.value(), 400);
    EXPECT_DOUBLE_EQ(uses[0].between_tiles.value(), 600);
    EXPECT_DOUBLE_EQ(uses[0].out.value(), 125);
}

TEST_F(IpuUses, WhichWayAStreamOfAnEvaluationGoesIsThatOfItsName) {
    const auto uses = in(0, {0, 2000});
    EXPECT_EQ(uses[0].between_tiles, 600);
    EXPECT_FALSE(uses[0].in);
    EXPECT_FALSE(uses[0].out);
    EXPECT_TRUE(in(0, {0, 1050})[0].in) << "before it begins";
    EXPECT_EQ(in(1, {1000, 2000})[0].in, 0) << "which has none";
    file = four_ipus(folder / "b.tilescope", "images");
    EXPECT_EQ(in(0, {1000, 2000})[0].in, 10);
    EXPECT_EQ(in(0, {1000, 2000})[0].out, 0);
    file = four_ipus(folder / "c.tilescope", "loss");
    EXPECT_EQ(in(0, {1000, 2000})[0].in, 0);
    EXPECT_EQ(in(0, {1000, 2000})[0].out, 10);
}

// Statistics go to the other replica of a group of two, gradients around the ring of four.
TEST(StepTraffics, ALinkHasWhatGoesAroundItsOwnRing) {
    const tests::TemporaryFolder folder;
    auto recorder = Recorder::create(folder / "groups.tilescope", {});
    ASSERT_TRUE(recorder);
    Recorder& r = **recorder;
    r.set(TargetRecord{"pod4", "ipu2", 4, 2, 1000, 1e9, 6});
    for (std::int64_t ipu = 0; ipu < 4; ++ipu)
        r.add(IpuRecord{ipu, ipu, "a", ipu, 0, -1});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    for (std::int64_t id = 0; id < 2; ++id) {
        OperationRecord operation;
        operation.id = id;
        operation.name = operation.kind = id == 0 ? "group_moments" : "all_reduce";
        operation.group_replicas = id == 0 ? 2 : 0;
        r.add(operation);
        r.add(ExchangeRecord{id, "sum", ExchangeKind::InterIpu, id, id == 0 ? 8 : 300, 100, 0, -1});
        ProgramRecord step{1 + id, 0, 1 + id, StepKind::Exchange, "sum"};
        step.exchange_id = id;
        step.operation_id = id;
        r.add(step);
    }
    constexpr std::array<std::int64_t, 4> ring{0, 2, 3, 1};
    for (std::size_t i = 0; i < 4; ++i) {
        r.add(LinkTrafficRecord{ring[i], ring[i] ^ 1, LinkKind::AllReduce, 1, 8, 100});
        if (ring[(i + 1) % 4] != (ring[i] ^ 1))
            r.add(LinkTrafficRecord{ring[i], ring[(i + 1) % 4], LinkKind::AllReduce, 1, 300, 100});
    }
    ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
    const auto file = std::move(*Profile::open(folder / "groups.tilescope"));
    const auto ipus = file->ipus().value();
    const StepTraffic traffic = StepTraffic::read(*file).value();
    const auto bytes = [&](std::size_t from, std::size_t to) {
        const std::vector<double> of_step = traffic.over_link(ipus[from], ipus[to]).of_step;
        return std::pair(of_step.at(1), of_step.at(2));
    };
    EXPECT_EQ(bytes(0, 1), std::pair(8.0, 0.0));
    EXPECT_EQ(bytes(0, 2), std::pair(0.0, 300.0));
    EXPECT_EQ(bytes(1, 0), std::pair(8.0, 300.0)) << "both";
}

TEST_F(IpuUses, ALinkHasWhatGoesFromOneIpuToTheOther) {
    const auto ipus = file->ipus().value();
    const StepTraffic traffic = StepTraffic::read(*file).value();
    const auto bytes = [&](std::size_t from, std::size_t to, Range range) {
        return file
            ->trace_figure(ipus[from].id, range.first, range.second - range.first, 1,
                           traffic.over_link(ipus[from], ipus[to]))
            .value()
            .front()
            .sum;
    };
    EXPECT_DOUBLE_EQ(bytes(0, 1, {0, 1000}), 500);
    EXPECT_DOUBLE_EQ(bytes(0, 1, {450, 1000}), 250) << "half of the copy";
    EXPECT_DOUBLE_EQ(bytes(2, 3, {0, 1000}), 500) << "the other replica does the same";
    EXPECT_DOUBLE_EQ(bytes(1, 0, {0, 1000}), 0);
    EXPECT_DOUBLE_EQ(bytes(0, 2, {0, 1000}), 40) << "gradients";
    EXPECT_DOUBLE_EQ(bytes(0, 3, {0, 1000}), 0);
}

} // namespace
} // namespace tilescope::analyse
