// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/change_sum.h"
#include "analyse/operation_baseline.h"
#include "analyse/operation_details.h"
#include "analyse/phases.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>

namespace tilescope::analyse {
namespace {

using namespace profile;

/// Operations of a loop of 4, each a compute set of so many cycles on the two tiles of one IPU.
struct Computed {
    const char* operation;
    std::vector<std::int64_t> of_tiles;
};
std::unique_ptr<Profile> recorded(const tests::TemporaryFolder& folder, const char* name,
                                  const std::vector<Computed>& all) {
    auto recorder = *Recorder::create(folder / name, {});
    Recorder& r = *recorder;
    r.set(TargetRecord{"ipu", "ipu2", 1, 2, 1000, 1e6, 6});
    r.add(IpuRecord{0, 0, "", 0, 0, -1});
    r.add(ProgramRecord{0, -1, 0, StepKind::Repeat, "loop", -1, -1, -1, 4});
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto id = static_cast<std::int64_t>(i);
        OperationRecord operation;
        operation.id = id;
        operation.name = operation.kind = all[i].operation;
        r.add(operation);
        const std::int64_t slowest = std::max(all[i].of_tiles[0], all[i].of_tiles[1]);
        r.add(ComputeSetRecord{id, std::string(all[i].operation) + "/compute", id, slowest, 1});
        r.add_tile_values("compute_set", id, 0, "cycles", all[i].of_tiles);
        ProgramRecord step{1 + id, 0, id, StepKind::Execute, all[i].operation, id, id, -1};
        step.runs = 4;
        step.compute_cycles = slowest;
        step.sync_cycles = 2;
        r.add(step);
    }
    EXPECT_TRUE(recorder->finish(RunStatus::Complete));
    return *Profile::open(folder / name);
}

} // namespace

TEST(OperationDetails, OfAllRunsOfItsSteps) {
    const tests::TemporaryFolder folder;
    const auto file = recorded(folder, "a.tilescope", {{"a", {30, 10}}, {"b", {5, 7}}});
    const auto details = operation_details(*file, 1);
    ASSERT_TRUE(details) << details.error().line();
    ASSERT_EQ(details->steps.size(), 1U);
    EXPECT_EQ(details->steps[0].record.name, "b");
    EXPECT_EQ(details->steps[0].cycles.total(), 4 * (7 + 2));
    EXPECT_EQ(details->tile_cycles, (std::vector<std::int64_t>{5, 7}));
    EXPECT_EQ(details->sets.at(1), "b/compute");
    EXPECT_TRUE(operation_details(*file, 9)->steps.empty());
}

TEST(OperationDetails, ThePhaseThatTakesMostIsTheFirstOfSeveral) {
    PhaseCycles cycles;
    cycles.exchange = 40;
    cycles.host = 40;
    cycles.compute = 30;
    EXPECT_STREQ(largest_phase(cycles).name, "exchange");
    EXPECT_STREQ(largest_phase({}).name, "compute");
}

// "b" goes, "w_0", "w_1" and "w_2" go together; "a" is the same; per execution all is four times a step's.
TEST(OperationBaseline, HasWhatIsTheSameAndWhatIsGone) {
    const tests::TemporaryFolder folder;
    const auto base =
        recorded(folder, "base.tilescope",
                 {{"a", {30, 10}}, {"b", {5, 7}}, {"w_0", {1, 1}}, {"w_1", {2, 1}}, {"w_2", {3, 1}}});
    const auto now = recorded(folder, "now.tilescope", {{"a", {20, 10}}, {"new", {9, 9}}});
    const auto read = OperationBaseline::read(*base, *Parts::read(*now), {});
    ASSERT_TRUE(read) << read.error().line();
    EXPECT_EQ(read->cycles(0, Basis::Execution), 4 * 32);
    EXPECT_EQ(read->cycles(1, Basis::Execution), std::nullopt) << "the base does not have it";
    const auto costs = Costs::read(*now);
    const auto rows = operation_figures(*now, *costs);
    EXPECT_EQ(read->cycles(OperationGroup{(*rows)[0], {0, 1}}, *rows, Basis::Execution), 4 * 32)
        << "of those that it has";
    EXPECT_EQ(read->cycles(OperationGroup{(*rows)[1], {1}}, *rows, Basis::Execution), std::nullopt);
    EXPECT_EQ(read->gone_count(), 4);
    const auto gone = read->gone(true, Basis::Execution);
    ASSERT_EQ(gone.size(), 2U);
    EXPECT_EQ(gone[0].name, "b");
    EXPECT_EQ(gone[0].cycles, 4 * 9);
    EXPECT_EQ(gone[1].name, "w_* × 3");
    EXPECT_EQ(gone[1].cycles, 4 * (3 + 4 + 5));
    ASSERT_EQ(gone[1].members.size(), 3U);
    EXPECT_EQ(gone[1].members[2].name, "w_2");
    EXPECT_EQ(gone[1].members[2].cycles, 4 * 5);
    EXPECT_EQ(read->gone(false, Basis::Execution).size(), 4U);
}

TEST(ChangeSum, OfOneThingIsItsChange) {
    EXPECT_EQ(change_of(std::optional<std::int64_t>(10), std::optional<std::int64_t>(14)), 4);
    EXPECT_EQ(change_of(std::optional<std::int64_t>(10), std::optional<std::int64_t>()), -10);
    EXPECT_EQ(change_of(std::optional<double>(), std::optional(2.5)), 2.5);
}

} // namespace tilescope::analyse
