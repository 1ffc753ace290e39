// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_details.h"
#include "analyse/operation_figures.h"
#include "analyse/plan_choice.h"
#include "analyse/roofline.h"
#include "profile/recorder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

using namespace tilescope;

namespace {

profile::PlanRecord plan(std::int64_t rank, std::int64_t cycles, std::int64_t bytes,
                         std::vector<profile::PlanItem> items, std::vector<profile::PlanItem> placed = {}) {
    return {0,
            "dense/MatMul",
            rank,
            R"({"vertex":"AMP 1x1","units":16,"transforms":["flatten"],"tiles":1468})",
            cycles,
            bytes,
            std::move(items),
            std::move(placed)};
}

/// One operation of two compute sets in a loop of 4, and an exchange of 100 bytes before each: 30 cycles at a
/// balance of a half, 10 cycles at a balance of 1.
/// What a tile can do in a cycle.
struct Peaks {
    std::optional<std::int64_t> half, single, exchanged_bytes;
};
std::unique_ptr<profile::Profile> recorded(const tests::TemporaryFolder& folder, const Peaks& peaks = {},
                                           DType dtype = DType::Float32) {
    const std::string path = folder / "run.tilescope";
    auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
    recorder->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1000, 1e6, 6, peaks.half, peaks.single,
                                        peaks.exchanged_bytes});
    recorder->add(profile::IpuRecord{0, 0, "", 0, 0, -1});
    recorder->add(profile::LayerRecord{0, "dense", "Dense", "[1, 8]", 72});
    recorder->add(profile::TensorRecord{0, "x", dtype, "[1, 8]", 32});
    recorder->add(profile::OperationRecord{
        0, "dense/MatMul", "matmul", 0, profile::Phase::Forward, 0, -1, 1000, "{}", {0}, {}});
    recorder->add(
        profile::OperationRecord{1, "idle", "reshape", -1, profile::Phase::Forward, 0, -1, 0, "{}"});
    recorder->add(profile::ComputeSetRecord{0, "partials", 0, 30, 0.5});
    recorder->add(profile::ComputeSetRecord{1, "reduce", 0, 10, 1});
    recorder->add(profile::ExchangeRecord{0, "inputs", profile::ExchangeKind::Internal, 0, 100, 7, 0, -1});
    recorder->add(
        profile::ProgramRecord{0, -1, 0, profile::StepKind::Repeat, "loop", -1, -1, -1, 4, -1, 0, 0, 0});
    profile::ProgramRecord step{1, 0, 0, profile::StepKind::Exchange, "inputs", 0, -1, 0};
    step.runs = 4;
    step.exchange_cycles = 7;
    step.code_bytes = 52;
    recorder->add(step);
    step = {2, 0, 1, profile::StepKind::Execute, "partials", 0, 0, -1};
    step.runs = 4;
    step.compute_cycles = 30;
    step.code_bytes = 32;
    recorder->add(step);
    step = {3, 0, 2, profile::StepKind::Execute, "reduce", 0, 1, -1};
    step.runs = 4;
    step.compute_cycles = 10;
    step.code_bytes = 8;
    recorder->add(step);
    profile::VariableRecord buffer;
    buffer.name = "rearranged";
    buffer.category = MemoryCategory::RearrangementBuffers;
    buffer.operation_id = 0;
    buffer.bytes = 64;
    recorder->add(buffer);
    recorder->add(plan(0, 105, 640,
                       {{"rearrange", CostKind::Compute, 5}, {"partials", CostKind::Compute, 100}},
                       {{"sync", CostKind::Sync, 9},
                        {"exchange_inputs", CostKind::Exchange, 7},
                        {"partials", CostKind::Compute, 30},
                        {"slices", CostKind::Compute, 0}}));
    recorder->add(
        plan(1, 115, 512, {{"rearrange", CostKind::Compute, 25}, {"partials", CostKind::Compute, 90}}));
    EXPECT_TRUE(recorder->finish(profile::RunStatus::Complete));
    return *profile::Profile::open(path);
}

analyse::PlanChoice choice(std::vector<analyse::PlanChoice::Item> items, std::int64_t cycles,
                           std::int64_t bytes) {
    return {"product", 0, "AMP", {}, std::move(items), cycles, {}, bytes};
}

} // namespace

// Four runs of 47 cycles; 4,000 FLOPs take 125 of them at 16 per tile and cycle.
TEST(OperationFigures, LostIsWhatThePeakWouldNotTake) {
    const auto lost = [](const Peaks& peaks, std::size_t operation) {
        const tests::TemporaryFolder folder;
        const auto file = recorded(folder, peaks);
        const auto costs = analyse::Costs::read(*file);
        return (*analyse::operation_figures(*file, *costs))[operation].lost;
    };
    EXPECT_EQ(lost({64, 16, 4}, 0), 4 * 47 - 125);
    EXPECT_EQ(lost({64, 16, 4}, 1), 0) << "it takes no time";
    EXPECT_EQ(lost({}, 0), std::nullopt) << "the file does not say what the target could";
}

TEST(OperationFigures, TogetherAreSharesOfAllTheirCycles) {
    analyse::OperationFigures product, move;
    product.cost.cycles.compute = 60;
    product.cost.cycles.exchange = 20;
    product.unbalanced = 10;
    product.lost = 30;
    move.cost.cycles.exchange = 20;
    const analyse::OperationTotals known = analyse::totals_of({product, move});
    EXPECT_EQ(known.cycles, 100);
    EXPECT_EQ(known.unbalanced, 0.1);
    EXPECT_EQ(known.lost, 0.3) << "what is not known of one is not of any";
    EXPECT_EQ(analyse::totals_of({move}).lost, std::nullopt);
    EXPECT_EQ(analyse::totals_of({}).unbalanced, std::nullopt) << "of no cycles there is no share";
}

TEST(OperationFigures, AddUpAllRunsOfAllSteps) {
    const tests::TemporaryFolder folder;
    const auto file = recorded(folder);
    const auto costs = analyse::Costs::read(*file);
    ASSERT_TRUE(costs) << costs.error().line();
    const auto figures = analyse::operation_figures(*file, *costs);
    ASSERT_TRUE(figures) << figures.error().line();
    ASSERT_EQ(figures->size(), 2U);
    const analyse::OperationFigures& op = figures->front();
    EXPECT_EQ(op.layer, "dense");
    EXPECT_EQ(op.cost.cycles.compute, 4 * (30 + 10));
    EXPECT_DOUBLE_EQ(*op.balance, (30 * 0.5 + 10 * 1.0) / (30 + 10));
    EXPECT_EQ(op.unbalanced, 4 * 15);
    EXPECT_EQ(op.exchanged_bytes, 4 * 100);
    EXPECT_EQ(op.runs, 4);
    EXPECT_EQ(figures->back().runs, 0) << "it has no step";
    EXPECT_EQ(op.rearranged_bytes, 64);
    EXPECT_EQ(op.temporary_bytes, 640);
    EXPECT_EQ(op.code_bytes, 52 + 32 + 8) << "once, however often it runs";
    EXPECT_EQ(figures->back().code_bytes, 0) << "it has no step";
    EXPECT_EQ(op.plan, "AMP 1x1 on 1,468 tiles");
    EXPECT_FALSE(figures->back().balance) << "it computes nothing";
    EXPECT_TRUE(figures->back().plan.empty());
}

/// 4 x 1,000 FLOPs in 4 x (7 + 30 + 10) cycles of 2 tiles.
TEST(OperationFigures, TheShareOfPeakIsOfTheTypeOfItsInput) {
    const auto share = [](const Peaks& peaks, DType dtype) {
        const tests::TemporaryFolder folder;
        const auto costs = analyse::Costs::read(*recorded(folder, peaks, dtype));
        EXPECT_TRUE(costs) << costs.error().line();
        EXPECT_EQ(costs->share_of_peak(costs->operation(1)), std::nullopt) << "it does no FLOPs";
        return costs->share_of_peak(costs->operation(0));
    };
    EXPECT_DOUBLE_EQ(share({128, 32, 4}, DType::Float32).value(), 4000.0 / (2 * 32) / (4 * 47));
    EXPECT_DOUBLE_EQ(share({128, 32, 4}, DType::Float16).value(), 4000.0 / (2 * 128) / (4 * 47));
    EXPECT_EQ(share({}, DType::Float32), std::nullopt) << "recorded before it was known";
}

/// 2 tiles; 1,000 FLOPs for 100 bytes in 47 cycles.
TEST(OperationFigures, TheRooflineIsOfAllTilesAndTheExchange) {
    const tests::TemporaryFolder folder;
    const auto file = recorded(folder, {128, 32, 4});
    auto figures = analyse::operation_figures(*file, *analyse::Costs::read(*file));
    figures->at(1).cost.cycles.exchange = 5; // the other one moves data
    const auto roofline = analyse::roofline(*file->target(), *figures);
    ASSERT_TRUE(roofline);
    ASSERT_EQ(roofline->points.size(), 1U) << "one does no FLOPs";
    EXPECT_EQ(roofline->points[0].name, "dense/MatMul");
    EXPECT_DOUBLE_EQ(roofline->points[0].flops_per_cycle, 1000.0 / 47);
    EXPECT_DOUBLE_EQ(roofline->points[0].flops_per_byte.value(), 10);
    const auto room = roofline->headroom(roofline->points[0]);
    ASSERT_TRUE(room);
    EXPECT_DOUBLE_EQ(room->flops_per_cycle, 64) << "2 tiles of 32, under the 80 that the exchange feeds";
    EXPECT_DOUBLE_EQ(room->times, 64 / (1000.0 / 47));
    EXPECT_EQ(room->roof, analyse::Roof::Arithmetic);
    analyse::RooflinePoint starved = roofline->points[0];
    starved.flops_per_byte = 4;
    EXPECT_DOUBLE_EQ(roofline->headroom(starved)->flops_per_cycle, 4 * 8);
    EXPECT_EQ(roofline->headroom(starved)->roof, analyse::Roof::Exchange);
    starved.link_cycles = starved.cycles * 40 / 47; // so long 1,000 FLOPs take at least
    EXPECT_DOUBLE_EQ(roofline->headroom(starved)->flops_per_cycle, 25);
    EXPECT_EQ(roofline->headroom(starved)->roof, analyse::Roof::Links);
    starved.link_cycles = starved.cycles * 30 / 47; // 33.3 in a cycle, where the exchange feeds 32
    EXPECT_EQ(roofline->headroom(starved)->roof, analyse::Roof::Exchange);
    ASSERT_EQ(roofline->without_flops.size(), 1U);
    EXPECT_EQ(roofline->without_flops[0].operation, 1);
    EXPECT_FALSE(roofline->headroom(roofline->without_flops[0]));
    EXPECT_DOUBLE_EQ(roofline->roof(2, roofline->float_flops_per_cycle), 2 * 8) << "of the exchange";
    EXPECT_DOUBLE_EQ(roofline->roof(20, roofline->float_flops_per_cycle), 64) << "of the tiles";
    EXPECT_DOUBLE_EQ(roofline->ridge(roofline->float_flops_per_cycle), 8)
        << "64 FLOPs over 8 bytes, in a cycle";
    EXPECT_FALSE(roofline->half_vector_flops_per_cycle) << "the file does not say";
    EXPECT_FALSE(roofline->link_bytes_per_cycle) << "there is no other IPU";
    profile::TargetRecord two = *file->target();
    two.ipus = 2;
    two.link_bytes_per_cycle = 40;
    two.data_path_bytes = 8;
    const auto other = analyse::roofline(two, *figures);
    EXPECT_EQ(other->half_vector_flops_per_cycle, 2 * 8) << "a multiply-add of 4 elements";
    EXPECT_EQ(other->float_vector_flops_per_cycle, 2 * 4) << "of 2";
    EXPECT_EQ(other->link_bytes_per_cycle, 40);
    EXPECT_FALSE(analyse::roofline(profile::TargetRecord{}, *figures)) << "recorded before it was known";
}

TEST(OperationFigures, APointOfAGroupHasThePhaseThatAllOfItHave) {
    const tests::TemporaryFolder folder;
    const auto file = recorded(folder, {128, 32, 4});
    const auto figures = analyse::operation_figures(*file, *analyse::Costs::read(*file));
    using profile::Phase;
    const auto point = [&](const std::set<Phase>& phases) {
        const auto roofline = analyse::roofline(
            *file->target(), std::vector{analyse::OperationGroup{figures->at(0), {0, 1, 2}, phases}});
        EXPECT_EQ(roofline->points.size(), 1U);
        return roofline->points.at(0);
    };
    EXPECT_EQ(point({Phase::Backward}).phase, Phase::Backward);
    EXPECT_EQ(point({Phase::Forward, Phase::Backward}).phase, std::nullopt);
    EXPECT_DOUBLE_EQ(point({Phase::Forward}).flops_per_cycle, 1000.0 / 47);
    EXPECT_FALSE(analyse::roofline(profile::TargetRecord{}, std::vector<analyse::OperationGroup>()));
}

TEST(OperationDetails, WhatWasMadeOfAPlanIsOfOneRun) {
    const tests::TemporaryFolder folder;
    const auto details = analyse::operation_details(*recorded(folder), 0);
    ASSERT_TRUE(details) << details.error().line();
    const auto emitted = details->emitted();
    ASSERT_TRUE(emitted);
    EXPECT_EQ(emitted->exchange, 7);
    EXPECT_EQ(emitted->compute, 30 + 10);
    EXPECT_EQ(emitted->total(), 47);
    ASSERT_EQ(details->variables.size(), 1U);
    EXPECT_EQ(details->variables[0].name, "rearranged");
    const tests::TemporaryFolder another;
    EXPECT_FALSE(analyse::operation_details(*recorded(another), 1)->emitted()) << "it has no step";
}

// A round of an all-reduce has no peer, and goes over the links all the same.
TEST(OperationDetails, WhatGoesOverLinksIsNoExchangeBetweenTiles) {
    const tests::TemporaryFolder folder;
    const std::string path = folder / "run.tilescope";
    auto recorder = *profile::Recorder::create(path, profile::RunRecord{});
    recorder->add(profile::IpuRecord{0, 0, "", 0, 0, -1});
    recorder->add(
        profile::OperationRecord{0, "sum", "all_reduce", -1, profile::Phase::Update, 0, -1, 0, "{}"});
    recorder->add(profile::ExchangeRecord{0, "round", profile::ExchangeKind::InterIpu, 0, 100, 7, 0, -1});
    recorder->add(profile::ExchangeRecord{1, "gather", profile::ExchangeKind::Internal, 0, 100, 5, 0, -1});
    profile::ProgramRecord step{0, -1, 0, profile::StepKind::Exchange, "round", 0, -1, 0};
    step.runs = 6; // three times in each run of the operation
    step.exchange_cycles = 7;
    step.sync_cycles = 2;
    recorder->add(step);
    step = {1, -1, 1, profile::StepKind::Exchange, "gather", 0, -1, 1};
    step.runs = 2;
    step.exchange_cycles = 5;
    recorder->add(step);
    ASSERT_TRUE(recorder->finish(profile::RunStatus::Complete));
    recorder.reset();
    const auto details = analyse::operation_details(**profile::Profile::open(path), 0);
    ASSERT_TRUE(details) << details.error().line();
    EXPECT_EQ(details->emitted()->inter_ipu, 3 * 7);
    EXPECT_EQ(details->emitted()->exchange, 5);
    EXPECT_EQ(details->emitted()->sync, 3 * 2);
    EXPECT_EQ(details->cycles(), 6 * (7 + 2) + 2 * 5);
    EXPECT_EQ(details->steps[0].cycles.inter_ipu, 6 * 7);
}

TEST(PlanChoices, SayWhatWasDecidedAndWhatItCosts) {
    const tests::TemporaryFolder folder;
    const auto plans = analyse::plan_choices(*recorded(folder), 0);
    ASSERT_TRUE(plans) << plans.error().line();
    ASSERT_EQ(plans->size(), 2U);
    EXPECT_EQ(plans->front().rank, 0);
    EXPECT_EQ(plans->front().description(), "units 16; transforms flatten");
    ASSERT_EQ(plans->front().items.size(), 2U);
    EXPECT_EQ(plans->front().items[1].name, "partials");
    EXPECT_EQ(plans->front().items[1].cycles, 100);
    EXPECT_EQ(analyse::to_string(plans->front().placed), "sync 9, exchange inputs 7, partials 30");
    EXPECT_EQ(plans->front().placed_cycles(), 46);
    EXPECT_EQ(plans->front().placed[0].kind, analyse::TimeKind::Sync);
    EXPECT_EQ(plans->front().placed[1].kind, analyse::TimeKind::Exchange);
    EXPECT_EQ(plans->front().placed[2].kind, analyse::TimeKind::Compute);
    EXPECT_TRUE(plans->back().placed.empty()) << "it was not chosen";
    EXPECT_EQ(analyse::against((*plans)[0], (*plans)[1]), "10 cycles slower: rearrange +20, partials −10");
}

TEST(PlanChoices, AnEquallyFastPlanDiffersByMemory) {
    EXPECT_EQ(analyse::against(choice({{"partials", 8}}, 8, 64), choice({{"partials", 8}}, 8, 128)),
              "as fast, with 64 B more on the fullest tile");
    EXPECT_EQ(analyse::against(choice({{"partials", 8}}, 8, 64), choice({{"partials", 6}}, 6, 128)),
              "2 cycles faster, with 64 B more on the fullest tile: partials −2");
}

TEST(PlanChoices, ADamagedPlanIsAnErrorWithItsName) {
    const auto damaged = analyse::plan_choice({0, "dense/MatMul", 0, "{", 1, 1, {}, {}});
    ASSERT_FALSE(damaged);
    EXPECT_NE(damaged.error().line().find("dense/MatMul"), std::string::npos);
}
