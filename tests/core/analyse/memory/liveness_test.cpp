// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "analyse/liveness.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace tilescope;

namespace {

/// Not always live bytes at steps 0, 1, …; 10 bytes are always live.
analyse::Liveness live(const std::vector<std::int64_t>& bytes) {
    analyse::Liveness all;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        all.points.push_back({static_cast<std::int64_t>(i), 10, bytes[i], 0, -1});
    return all;
}

} // namespace

TEST(Liveness, PeaksAreTheHighestPointsOfTheirNeighbourhood) {
    const analyse::Liveness all = live({5, 9, 3, 4, 8, 8, 1, 7});
    EXPECT_EQ(all.peak(), 1);
    EXPECT_EQ(all.peaks(1), (std::vector<std::int64_t>{1, 4, 7}));
    EXPECT_EQ(all.peaks(2), (std::vector<std::int64_t>{1, 4})) << "7 is near a higher one";
    EXPECT_EQ(live({}).peak(), -1);
    EXPECT_TRUE(live({}).peaks(1).empty());
}

TEST(Liveness, TheFirstStepOverTheMemoryOfATile) {
    analyse::Liveness all = live({5, 9, 3, 4});
    all.bytes_per_tile = 7;
    for (std::size_t i = 0; i < 4; ++i)
        all.points[i].fullest_tile = std::vector<std::int64_t>{6, 7, 8, 9}[i];
    EXPECT_TRUE(all.fullest_known());
    EXPECT_FALSE(live({5, 9}).fullest_known()) << "nothing of it is told";
    EXPECT_EQ(all.first_over(), 2);
    all.bytes_per_tile = 9;
    EXPECT_EQ(all.first_over(), -1);
}

// Steps 0 to 3 of programs 10 to 13; the base has 20, 21 and 23, the last of which comes twice.
TEST(Liveness, TheDifferenceIsByStepAndAbsentWhereTheBaseHasNoSuchStep) {
    analyse::Liveness now = live({5, 9, 3, 4}), before = live({5, 2, 11, 99});
    for (std::size_t i = 0; i < 4; ++i) {
        now.points[i].program = 10 + static_cast<std::int64_t>(i);
        before.points[i].program = std::vector<std::int64_t>{20, 21, 23, 23}[i];
    }
    const auto difference = analyse::live_difference(now, before, {{10, 20}, {11, 21}, {12, 22}, {13, 23}});
    EXPECT_EQ(difference.by, (std::vector<std::optional<std::int64_t>>{0, 7, std::nullopt, -7}));
    EXPECT_EQ(difference.largest, 1) << "the first of two";
    EXPECT_EQ(analyse::live_difference(now, now, {{10, 10}}).largest, -1);
}

// Of the made-up run, in bytes: at step 20 the gradient of weights (65,536) appears, and behind it two
// tensors of 16,384 are gone.
TEST(Liveness, AStepTurnsWhatIsLive) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    const auto file = profile::Profile::open(folder / "run.tilescope");
    const auto all = analyse::read_liveness(**file, 0);
    ASSERT_TRUE(all);
    const auto names = [&](const std::vector<std::size_t>& of) {
        std::vector<std::string> result;
        for (const std::size_t i : of)
            result.push_back(all->variables[i].name);
        std::sort(result.begin(), result.end());
        return result;
    };
    using Names = std::vector<std::string>;
    const analyse::Liveness::Turn at_peak = all->turn_at(20);
    EXPECT_EQ(names(at_peak.appear), Names{"dense/WeightGrad"});
    EXPECT_TRUE(at_peak.gone.empty());
    EXPECT_EQ(at_peak.appear_bytes, 65536);
    EXPECT_EQ(at_peak.change, 65536);
    const analyse::Liveness::Turn behind = all->turn_at(21);
    EXPECT_TRUE(behind.appear.empty());
    EXPECT_EQ(names(behind.gone), (Names{"dense/Relu", "dense/ReluGrad"}));
    EXPECT_EQ(behind.gone_bytes, 32768);
    EXPECT_EQ(behind.change, -32768);
    EXPECT_EQ(all->turn_at(0).appear_bytes, 16384) << "the input";
    EXPECT_EQ(all->turn_at(0).change, std::nullopt) << "no step is before";
}

// Of 10 + 20 + 30 live bytes at step 0 the other run has 10 + 25, and 5 of its own.
TEST(Liveness, WhatIsLiveMoreOrLessIsToldApartFromWhatIsTheSame) {
    const auto run = [](const std::vector<std::pair<const char*, std::int64_t>>& variables) {
        analyse::Liveness of = live({0});
        for (const auto& [name, bytes] : variables) {
            profile::VariableRecord variable;
            variable.id = static_cast<std::int64_t>(of.variables.size());
            variable.name = name;
            variable.bytes = bytes;
            variable.always_live = true;
            of.variables.push_back(variable);
        }
        return of;
    };
    const analyse::Liveness now = run({{"a", 10}, {"b", 20}, {"c", 30}});
    const analyse::Liveness before = run({{"a", 10}, {"b", 25}, {"d", 5}});
    const analyse::LiveChanges changes = analyse::live_changes(now, 0, before, 0, {});
    ASSERT_EQ(changes.changed.size(), 3U);
    EXPECT_EQ(changes.changed[0].change(), 30) << "c is new";
    EXPECT_EQ(std::abs(changes.changed[1].change()), 5);
    EXPECT_EQ(changes.sum.unchanged(), 1);
    EXPECT_EQ(changes.sum.of_unchanged(), 10);
    EXPECT_EQ(changes.sum.by(), 60 - 40);
    EXPECT_EQ(changes.sum.in_now(), 3);
}

TEST(Liveness, ChangesOfAlikeVariablesAreFolded) {
    std::vector<profile::VariableRecord> variables(8);
    const auto named = [&](std::size_t i, const char* name, profile::MemoryCategory category) {
        variables[i].name = name;
        variables[i].category = category;
        return &variables[i];
    };
    using Category = profile::MemoryCategory;
    const std::vector<analyse::VariableChange> changes{
        {named(0, "big", Category::Variables), nullptr, 50, 0},
        {named(1, "l_0/w", Category::Variables), named(2, "l_0/w", Category::Variables), 30, 10},
        {named(3, "l_1/w", Category::Variables), named(4, "l_1/w", Category::Variables), 40, 10},
        {named(5, "l_2/w", Category::Variables), named(6, "l_2/w", Category::Variables), 10, 5},
        {nullptr, named(7, "l_3/w", Category::Variables), 0, 9}};
    const auto folded = analyse::fold_changes(changes);
    ASSERT_EQ(folded.size(), 3U) << "what is gone is no change of what is there";
    EXPECT_EQ(folded[0].name, "l_*/w × 3");
    EXPECT_EQ(folded[0].bytes_now, 80);
    EXPECT_EQ(folded[0].bytes_before, 25);
    EXPECT_EQ(folded[0].largest().now, &variables[3]);
    EXPECT_EQ(folded[1].name, "big");
    EXPECT_EQ(folded[2].change(), -9);
}

// A pass over three steps: "a" lives during 0 and 1, "b" during 1 and 2, the weights always.
TEST(Liveness, SaysWhatIsLiveAppearsAndGoes) {
    const tests::TemporaryFolder folder;
    auto recorder = *profile::Recorder::create(folder / "run.tilescope", profile::RunRecord{});
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 4, 1000, 1e6, 6});
    recorder->add(profile::IpuRecord{0, 0, "", 0, 0, -1});
    recorder->add(profile::LayerRecord{0, "dense", "Dense", "[1]", 1});
    recorder->add(
        profile::OperationRecord{0, "dense/MatMul", "matmul", 0, profile::Phase::Forward, 0, -1, 1, "{}"});
    recorder->add(
        profile::OperationRecord{1, "gradient", "matmul", 0, profile::Phase::Backward, 0, -1, 1, "{}"});
    const std::vector<std::int64_t> operations{0, 0, 1};
    const std::vector<std::int64_t> bytes{64, 164, 100};
    for (std::int64_t i = 0; i < 3; ++i) {
        profile::ProgramRecord step;
        step.id = i;
        step.kind = profile::StepKind::Execute;
        step.name = "step " + std::to_string(i);
        step.operation_id = operations[static_cast<std::size_t>(i)];
        step.liveness_step = i;
        recorder->add(step);
        recorder->add(profile::LivenessSpanRecord{0, i, 1, 32, bytes[static_cast<std::size_t>(i)], 50});
    }
    const auto add = [&](std::int64_t id, const char* name, std::int64_t size, std::int64_t from,
                         std::int64_t to) {
        profile::VariableRecord variable;
        variable.id = id;
        variable.name = name;
        variable.category = MemoryCategory::Variables;
        variable.bytes = size;
        variable.always_live = from < 0;
        variable.live_from = from;
        variable.live_to = to;
        recorder->add(variable);
    };
    add(0, "weights", 32, -1, -1);
    add(1, "a", 64, 0, 1);
    add(2, "b", 100, 1, 2);
    ASSERT_TRUE(recorder->finish(profile::RunStatus::Complete));
    const auto file = *profile::Profile::open(folder / "run.tilescope");
    const auto all = analyse::read_liveness(*file, 0);
    ASSERT_TRUE(all) << all.error().line();

    const auto names = [&](const std::vector<std::size_t>& indices) {
        std::vector<std::string> found;
        found.reserve(indices.size());
        for (const std::size_t i : indices)
            found.push_back(all->variables[i].name);
        return found;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(all->peak(), 1);
    EXPECT_EQ(names(all->live_at(0)), (Names{"a", "weights"})) << "largest first";
    EXPECT_EQ(all->bytes_live_at(0), 64 + 32);
    EXPECT_EQ(all->bytes_live_at(1), 32 + 64 + 100);
    const auto life = [&](const char* name) {
        for (const auto& variable : all->variables)
            if (variable.name == name)
                return all->life_of(variable);
        return analyse::Liveness::Life{-1, -1};
    };
    EXPECT_EQ(life("b").from, 1);
    EXPECT_EQ(life("b").steps(), 2);
    EXPECT_EQ(life("weights").from, 0);
    EXPECT_EQ(life("weights").steps(), 3) << "all of them";
    EXPECT_EQ(names(all->live_at(1)), (Names{"b", "a", "weights"}));
    EXPECT_EQ(names(all->appear_at(1)), (Names{"b"}));
    EXPECT_EQ(names(all->gone_at(2)), (Names{"a"}));
    std::int64_t sum = 0;
    for (const std::size_t i : all->live_at(1))
        sum += all->variables[i].bytes;
    EXPECT_EQ(sum, all->points[1].total()) << "the table adds up to the curve";
    ASSERT_EQ(all->bands.size(), 2U);
    EXPECT_EQ(all->bands[0].to, 1);
    EXPECT_EQ(all->bands[1].phase, profile::Phase::Backward);
    EXPECT_EQ(all->step_names[2], "step 2");
    EXPECT_EQ(all->point_of(7), 2);
}

// One tile of the three-step program above holds half of "a", all of "b" and a quarter of the weights.
TEST(Liveness, OfOneTileIsWhatItsVariablesAddUpTo) {
    const tests::TemporaryFolder folder;
    profile::RunRecord run;
    auto recorder = *profile::Recorder::create(folder / "run.tilescope", run);
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 4, 120, 1e6, 6});
    recorder->add(profile::IpuRecord{0, 0, "", 0, 0, -1});
    recorder->add(profile::OperationRecord{0, "op", "matmul", 0, profile::Phase::Forward, 0, -1, 1, "{}"});
    for (std::int64_t i = 0; i < 3; ++i) {
        profile::ProgramRecord step;
        step.id = i;
        step.kind = profile::StepKind::Execute;
        step.operation_id = 0;
        step.liveness_step = i;
        recorder->add(step);
        recorder->add(profile::LivenessSpanRecord{0, i, 1, 32, 164, 116});
    }
    const auto add = [&](std::int64_t id, std::int64_t from, std::int64_t to,
                         const std::vector<std::int64_t>& on_tiles) {
        profile::VariableRecord variable;
        variable.id = id;
        variable.name = "v" + std::to_string(id);
        variable.bytes = std::accumulate(on_tiles.begin(), on_tiles.end(), std::int64_t{0});
        variable.always_live = from < 0;
        variable.live_from = from;
        variable.live_to = to;
        recorder->add(variable);
        recorder->add_tile_values("variable", id, 0, "bytes", on_tiles);
    };
    add(0, -1, -1, {8, 8, 8, 8});
    add(1, 0, 1, {32, 32, 0, 0});
    add(2, 1, 2, {0, 100, 0, 0});
    ASSERT_TRUE(recorder->finish(profile::RunStatus::Complete));
    const auto file = *profile::Profile::open(folder / "run.tilescope");
    const auto live = analyse::read_liveness(*file, 0, {1});
    ASSERT_TRUE(live) << live.error().line();
    EXPECT_EQ(live->limit(), 120);
    ASSERT_EQ(live->points.size(), 3U);
    const std::vector<std::int64_t> not_always{32, 132, 100};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(live->points[i].always, 8);
        EXPECT_EQ(live->points[i].not_always, not_always[i]);
    }
    EXPECT_EQ(live->peak(), 1);
    EXPECT_EQ(live->first_over(), 1);
    ASSERT_EQ(live->variables.size(), 3U);
    EXPECT_EQ(live->variables[0].name, "v2") << "most bytes on the tile first";
    EXPECT_EQ(live->variables[2].bytes, 8);
    EXPECT_EQ(analyse::read_liveness(*file, 0, {2})->variables.size(), 1U);

    // Tile 0 holds 40, 40 and 8, tile 1 the above.
    const auto both = analyse::read_liveness(*file, 0, {0, 1});
    ASSERT_TRUE(both) << both.error().line();
    EXPECT_EQ(both->limit(), 2 * 120);
    EXPECT_EQ(both->chosen, (std::vector<std::int64_t>{0, 1}));
    const std::vector<std::int64_t> total{80, 180, 116}, fullest{40, 140, 108};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(both->points[i].always, 16);
        EXPECT_EQ(both->points[i].total(), total[i]) << i;
        EXPECT_EQ(both->points[i].fullest_tile, fullest[i]) << i;
    }
    EXPECT_EQ(both->first_over(), 1) << "tile 1 is, the two together are not";
    EXPECT_EQ(both->variables[0].name, "v2");
    EXPECT_EQ(both->variables[1].bytes, 64);
    EXPECT_EQ(analyse::read_liveness(*file, 0, {0, 2})->first_over(), -1);
}

TEST(Liveness, OfAllTilesIsTheSumOfEach) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope"));
    const auto file = *profile::Profile::open(folder / "run.tilescope");
    const auto all = *analyse::read_liveness(*file, 0);
    ASSERT_FALSE(all.points.empty());
    std::vector<std::int64_t> always(all.points.size(), 0), not_always(all.points.size(), 0);
    for (std::int64_t tile = 0; tile < all.tiles; ++tile) {
        const auto one = *analyse::read_liveness(*file, 0, {tile});
        ASSERT_EQ(one.points.size(), all.points.size());
        for (std::size_t i = 0; i < all.points.size(); ++i) {
            always[i] += one.points[i].always;
            not_always[i] += one.points[i].not_always;
        }
    }
    for (std::size_t i = 0; i < all.points.size(); ++i) {
        EXPECT_EQ(always[i], all.points[i].always) << i;
        EXPECT_EQ(not_always[i], all.points[i].not_always) << i;
    }
}

// Two IPUs of two tiles, which hold 3 and 4 always, and 10, 0 and 0, 20 at the two steps; a second replica is
// like the first.
TEST(Liveness, OfAllIpusIsTheSumOfThoseOfAReplica) {
    const tests::TemporaryFolder folder;
    auto recorder = profile::Recorder::create(folder / "run.tilescope", profile::RunRecord{});
    ASSERT_TRUE(recorder);
    recorder.value()->set(profile::TargetRecord{"pod4", "ipu2", 4, 2, 30, 1e9, 6});
    for (std::int64_t ipu = 0; ipu < 4; ++ipu)
        recorder.value()->add(profile::IpuRecord{ipu, ipu, "", ipu % 2, ipu / 2});
    const auto add = [&](std::int64_t ipu, std::int64_t step, std::int64_t always, std::int64_t not_always) {
        recorder.value()->add(
            profile::LivenessSpanRecord{ipu, step, 1, always, not_always, always + not_always});
    };
    add(0, 0, 3, 10);
    add(0, 1, 3, 0);
    add(1, 0, 4, 0);
    add(1, 1, 4, 20);
    for (std::int64_t ipu = 0; ipu < 2; ++ipu) {
        profile::VariableRecord variable;
        variable.id = ipu;
        variable.name = "of " + std::to_string(ipu);
        variable.ipu = ipu;
        variable.bytes = 3 + ipu;
        variable.always_live = true;
        recorder.value()->add(variable);
    }
    for (std::int64_t at = 0; at < 2; ++at) {
        profile::ProgramRecord step;
        step.id = at;
        step.kind = profile::StepKind::Execute;
        step.liveness_step = at;
        recorder.value()->add(step);
    }
    ASSERT_TRUE(recorder.value()->finish(profile::RunStatus::Complete));
    const auto file = *profile::Profile::open(folder / "run.tilescope");
    const auto all = analyse::read_liveness(*file, analyse::every_ipu);
    ASSERT_TRUE(all) << all.error().line();
    EXPECT_EQ(all->ipus, 2);
    EXPECT_EQ(all->limit(), 2 * 2 * 30);
    ASSERT_EQ(all->points.size(), 2U);
    EXPECT_EQ(all->points[0].always, 7);
    EXPECT_EQ(all->points[0].not_always, 10);
    EXPECT_EQ(all->points[0].fullest_tile, 13);
    EXPECT_EQ(all->points[1].total(), 27);
    EXPECT_EQ(all->points[1].fullest_tile, 24);
    EXPECT_EQ(all->peak(), 1);
    ASSERT_EQ(all->variables.size(), 2U);
    EXPECT_EQ(all->variables[0].name, "of 1") << "the larger one first";
}

// Twice over four batches: I/O tiles load one for 100 cycles beside the others, which take 5 from them, and
// compute for 70 after a sync of 2. An update of 30 follows the batches.
TEST(Liveness, InOnePassEachStepRunsOnce) {
    using profile::ProgramRecord;
    using profile::StepKind;
    const tests::TemporaryFolder folder;
    auto recorder = *profile::Recorder::create(folder / "run.tilescope", profile::RunRecord{});
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 4, 120, 1e6, 6});
    recorder->add(profile::IpuRecord{0, 0, "", 0, 0, -1});
    const auto node = [&](std::int64_t id, std::int64_t parent, std::int64_t repeats,
                          profile::ProgramPart part) {
        recorder->add(ProgramRecord{.id = id,
                                    .parent_id = parent,
                                    .position = id,
                                    .kind = repeats > 1 ? StepKind::Repeat : StepKind::Sequence,
                                    .repeats = repeats,
                                    .part = part});
    };
    const auto leaf = [&](std::int64_t id, std::int64_t parent, std::int64_t step, StepKind kind,
                          std::array<std::int64_t, 3> cycles, const std::string& verb = {}) {
        const bool host = kind == StepKind::StreamCopy;
        recorder->add(
            ProgramRecord{.id = id,
                          .parent_id = parent,
                          .position = id,
                          .kind = kind,
                          .liveness_step = step,
                          .sync_cycles = cycles[0],
                          .exchange_cycles = cycles[1],
                          .compute_cycles = cycles[2],
                          .part = parent == 2 ? profile::ProgramPart::Infeed : profile::ProgramPart::Whole,
                          .role = host ? StepRole::Host : StepRole::Structure,
                          .verb = verb});
    };
    node(0, -1, 2, profile::ProgramPart::Whole);
    node(1, 0, 4, profile::ProgramPart::MicroBatches);
    node(2, 1, 1, profile::ProgramPart::Infeed);
    leaf(3, 2, 0, StepKind::StreamCopy, {0, 100, 0});
    leaf(4, 2, 1, StepKind::StreamCopy, {0, 0, 0}, "wait");
    leaf(5, 2, 2, StepKind::Exchange, {0, 5, 0});
    leaf(6, 1, 3, StepKind::Execute, {2, 0, 70});
    leaf(7, 0, 4, StepKind::Execute, {0, 0, 30});
    recorder->add(profile::LivenessSpanRecord{0, 0, 5, 32, 164, 116});
    ASSERT_TRUE(recorder->finish(profile::RunStatus::Complete));
    const auto file = *profile::Profile::open(folder / "run.tilescope");
    const auto live = analyse::read_liveness(*file, 0);
    ASSERT_TRUE(live) << live.error().line();
    ASSERT_EQ(live->points.size(), 5U);
    // Four batches wait 100 cycles for the first, and for the others what loading takes longer than
    // computing.
    const std::int64_t waiting = (100 + 3 * (100 - 72)) / 4;
    EXPECT_EQ(live->starts,
              (std::vector<std::int64_t>{0, 0, waiting, waiting + 5, waiting + 77, waiting + 107}))
        << "what is loaded meanwhile takes none";
    EXPECT_EQ(live->pass_cycles(), waiting + 107);
}

TEST(Liveness, WhereNoStepTakesAnyTimeItIsNotKnown) {
    const analyse::Liveness none = live({5, 9});
    EXPECT_EQ(none.pass_cycles(), 0);
}
