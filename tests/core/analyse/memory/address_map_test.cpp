// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/address_map.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

using namespace profile;
using Gap = AddressMap::Gap;

/// A tile of 624 KiB, interleaved from 212,992 on. Bytes at addresses, live in steps:
///   weights  0 .. 100    always        early  104 .. 304   0 to 1
///   late   304 .. 404    1 to 3        high   212,992 .. 213,092   2 to 3
/// `late` lies above `early` since both live in step 1. Operations: steps 0 and 1 of one, 2 and 3 of another.
/// `sums` is where `high` lies.
Result<AddressMap> example(const tests::TemporaryFolder& folder, std::int64_t sums = 212'992) {
    auto recorder = Recorder::create(folder / "run.tilescope", RunRecord{});
    EXPECT_TRUE(recorder);
    Recorder& r = **recorder;
    TargetRecord target{"ipu", "ipu2", 1, 2, 638'976, 1e9, 6};
    target.interleaved_bytes = 425'984;
    r.set(target); // the region begins at 638,976 - 425,984
    r.add(IpuRecord{0, 0, "", 0, 0});
    r.add(ProgramRecord{0, -1, 0, StepKind::Sequence, "main"});
    for (std::int64_t step = 0; step < 4; ++step)
        r.add(ProgramRecord{step + 1, 0, step, StepKind::Execute, "step " + std::to_string(step), step / 2,
                            -1, -1, 1, step});
    std::int64_t id = 0;
    const auto add = [&](const char* name, std::int64_t address, std::int64_t bytes, std::int64_t from,
                         std::int64_t to) {
        VariableRecord v;
        v.id = id++;
        v.name = name;
        v.bytes = bytes;
        v.always_live = from < 0;
        v.live_from = from;
        v.live_to = to;
        r.add(v);
        r.add_tile_values("variable", v.id, 0, "bytes", std::vector<std::int64_t>{0, bytes});
        r.add_tile_values("variable", v.id, 0, "address", std::vector<std::int64_t>{-1, address});
    };
    add("weights", 0, 100, -1, -1);
    add("early", 104, 200, 0, 1);
    add("late", 304, 100, 1, 3);
    add("high", sums, 100, 2, 3);
    EXPECT_TRUE(r.finish(RunStatus::Complete));
    const auto file = Profile::open(folder / "run.tilescope");
    EXPECT_TRUE(file);
    return address_map(**file, 0, 1);
}

TEST(AddressMap, HasWhatIsLiveAtEachStepByAddress) {
    const tests::TemporaryFolder folder;
    const auto map = example(folder);
    ASSERT_TRUE(map);
    EXPECT_EQ(map->with_gaps, 213'092);
    EXPECT_EQ(map->interleaved_from, 212'992);
    EXPECT_EQ(map->live_bytes(0), 300);
    EXPECT_EQ(map->live_bytes(1), 400);
    EXPECT_EQ(map->live_bytes(2), 300);
    EXPECT_EQ(map->live_bytes(9), 100);
    EXPECT_EQ(map->peak_step, 1);
    const auto live = map->live_at(2);
    ASSERT_EQ(live.size(), 3U);
    EXPECT_EQ(map->blocks[live[1]].variable.name, "late");
    EXPECT_EQ(map->blocks[live[1]].begin, 304);
    EXPECT_EQ(map->blocks[live[1]].end, 404);
}

TEST(AddressMap, TellsWhyAGapCouldNotBeUsed) {
    const tests::TemporaryFolder folder;
    const auto map = example(folder);
    ASSERT_TRUE(map);
    const auto first = map->gaps_at(1); // four bytes below `early`
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].begin, 100);
    EXPECT_EQ(first[0].end, 104);
    EXPECT_EQ(first[0].why, Gap::Why::Alignment);
    const auto gaps = map->gaps_at(3);
    ASSERT_EQ(gaps.size(), 2U);
    EXPECT_EQ(gaps[0].begin, 100); // where `early` lay while `late` lived
    EXPECT_EQ(gaps[0].end, 304);
    EXPECT_EQ(gaps[0].why, Gap::Why::OtherTime);
    EXPECT_EQ(map->blocks[gaps[0].above].variable.name, "late");
    EXPECT_EQ(map->blocks[gaps[0].other].variable.name, "early");
    EXPECT_EQ(gaps[1].begin, 404);
    EXPECT_EQ(gaps[1].end, 212'992);
    EXPECT_EQ(gaps[1].why, Gap::Why::Region);
    EXPECT_EQ(AddressMap::bytes_of(first), 4);
    EXPECT_EQ(AddressMap::bytes_of(gaps), 204 + 212'588);
}

// From the bottom up `high` would lie at 212,992: nothing else lives there.
TEST(AddressMap, BelowWhatLiesAgainstTheTopAGapIsNotNeeded) {
    const tests::TemporaryFolder folder;
    const auto map = example(folder, 638'976 - 104);
    ASSERT_TRUE(map);
    const auto gaps = map->gaps_at(3);
    ASSERT_EQ(gaps.size(), 2U);
    EXPECT_EQ(gaps[0].why, Gap::Why::OtherTime);
    EXPECT_EQ(gaps[1].begin, 404);
    EXPECT_EQ(gaps[1].end, 638'976 - 104);
    EXPECT_EQ(gaps[1].why, Gap::Why::FromTop);
}

TEST(AddressMap, IsGoneThroughByChangesAndOperations) {
    const tests::TemporaryFolder folder;
    const auto map = example(folder);
    ASSERT_TRUE(map);
    EXPECT_EQ(map->change_from(0, 1), 1); // `late` appears
    EXPECT_EQ(map->change_from(1, 1), 2);
    EXPECT_EQ(map->change_from(2, 1), 2); // nothing more changes within the program
    EXPECT_EQ(map->change_from(2, -1), 1);
    EXPECT_EQ(map->change_from(0, -1), 0);
    EXPECT_EQ(map->operation_from(0, 1), 2);
    EXPECT_EQ(map->operation_from(3, 1), 3);
    EXPECT_EQ(map->operation_from(3, -1), 2);
    EXPECT_EQ(map->operation_from(2, -1), 0);
}

TEST(AddressMap, IsEmptyOfATileThatHoldsNothing) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(example(folder));
    const auto file = Profile::open(folder / "run.tilescope");
    ASSERT_TRUE(file);
    EXPECT_TRUE(address_map(**file, 0, 0)->blocks.empty());
    EXPECT_TRUE(address_map(**file, 0, 7)->blocks.empty());
}

} // namespace
} // namespace tilescope::analyse
