// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/recorder.h"
#include "tests/temporary_folder.h"
#include "ui/trace/trace_lanes.h"

#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

using namespace profile;

constexpr std::int64_t io_load = 1, io_wait = 2, io_product = 3; ///< program steps

/// An engine run of four steps, launched in 50 cycles: the first is waited for 100 cycles, then computes for
/// 300; the others compute for 300 each. In the meantime the next one is loaded in 100.
void record_io(const std::string& path) {
    auto recorder = Recorder::create(path, {});
    ASSERT_TRUE(recorder);
    Recorder& r = **recorder;
    r.set(TargetRecord{"ipu", "ipu2", 1, 16, 1000, 1.0e9, 6});
    r.add(IpuRecord{0, 0, "a", 0, 0, -1});
    r.add(DeviceProgramRecord{0, "training", 0, true, 4});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    const auto step = [&](std::int64_t id, StepKind kind, const char* name) {
        r.add(ProgramRecord{id, 0, id, kind, name});
    };
    step(io_load, StepKind::StreamCopy, "images");
    step(io_wait, StepKind::StreamCopy, "I/O tiles/wait");
    step(io_product, StepKind::Execute, "product");
    const auto part = [](std::int64_t start, std::int64_t program, std::int64_t exchange,
                         std::int64_t compute) {
        return BlockPartRecord{0, 0, start, 1, 0, -1, program, 0, exchange, compute};
    };
    const auto first = r.add_block({part(0, io_wait, 100, 0), part(100, io_product, 0, 300)});
    const auto other = r.add_block({part(0, io_product, 0, 300)});
    const auto both = r.add_block({part(0, io_load, 100, 0), part(100, io_load, 100, 0)});
    const auto one = r.add_block({part(0, io_load, 100, 0)});
    const auto schedule = r.add_schedule(
        {{0, 0, 1200, 0, 0, 0, 150, 0}}, {{0, 0, 0, 50, 1, 0, first}, {0, 0, 1, 450, 3, 300, other}}, 0,
        {{{0, 0, 400, 300}}, {{{0, 0, 0, 50, 1, 0, both}}, {{0, 0, 1, 450, 2, 300, one}}}});
    r.add(ExecutionRecord{0, ExecutionKind::Train, 0, 0, 4, 0, 1350, 1, schedule});
    ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
}

class IoTilesOfATrace : public testing::Test {
  protected:
    void SetUp() override {
        record_io(path);
        file = std::move(*Profile::open(path));
        tables = std::move(*TraceTables::read(*file));
    }
    const tests::TemporaryFolder folder;
    const std::string path = folder / "a.tilescope";
    std::unique_ptr<Profile> file;
    TraceTables tables;
};

} // namespace

TEST_F(IoTilesOfATrace, HaveALaneBesideTheStreamsThatTheOthersWaitFor) {
    const auto lanes = host_lanes(tables, *file, {0, 0, 1350, 1, {}});
    ASSERT_TRUE(lanes);
    const auto named = [&](const char* name) {
        const auto found = std::find_if(lanes->begin(), lanes->end(), [&](const TimelineLane& lane) {
            return lane.name == QLatin1String(name);
        });
        EXPECT_NE(found, lanes->end()) << name;
        std::vector<std::pair<std::int64_t, std::int64_t>> spans;
        if (found != lanes->end())
            for (const TimelineSlice& slice : found->slices)
                spans.emplace_back(slice.start, slice.end);
        return spans;
    };
    using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;
    EXPECT_EQ(named("Streams, IPU 0"), (Spans{{50, 150}})) << "what is waited for";
    EXPECT_EQ(named("I/O tiles, IPU 0"), (Spans{{50, 150}, {150, 250}, {450, 550}, {750, 850}}));
}

// The first step is longer than the others.
TEST_F(IoTilesOfATrace, StepsBeginWhereTheyDo) {
    const auto turns = tables.turnsOf(*tables.execution(0));
    ASSERT_TRUE(turns);
    EXPECT_EQ(turns->updates.count, 4);
    const std::vector<std::int64_t> starts = {50, 450, 750, 1050, 1350};
    for (std::int64_t turn = 0; turn <= 4; ++turn)
        EXPECT_EQ(turns->start(turn), starts[static_cast<std::size_t>(turn)]) << turn;
    EXPECT_EQ(turns->at(0), 0);
    EXPECT_EQ(turns->at(449), 0);
    EXPECT_EQ(turns->at(450), 1);
    EXPECT_EQ(turns->at(1049), 2);
    EXPECT_EQ(turns->at(5000), 3);
}

} // namespace tilescope::ui
