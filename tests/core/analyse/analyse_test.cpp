// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/budget.h"
#include "analyse/comparison.h"
#include "analyse/settings.h"
#include "analyse/summary.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unistd.h>

using namespace tilescope;
using Json = nlohmann::ordered_json;

namespace {

struct Analysed : testing::Test {
    tests::TemporaryFolder folder;
    std::unique_ptr<profile::Profile> profile;
    void SetUp() override { profile = record("fixture.tilescope", tests::small_fixture); }
    std::unique_ptr<profile::Profile> record(const std::string& name, const tests::FixtureSize& size) {
        const std::string path = folder / name;
        EXPECT_TRUE(tests::record_fixture(path, size));
        return std::move(*profile::Profile::open(path));
    }
};

Result<std::vector<analyse::Verdict>> checked(const std::string& budget, const Json& report,
                                              const Json* base = nullptr,
                                              const analyse::Comparison& comparison = {}) {
    auto limits = analyse::parse_budget(budget, "budget.json");
    if (!limits)
        return Failure(limits.error());
    const auto baseline =
        base != nullptr ? std::optional(analyse::Baseline{*base, comparison}) : std::nullopt;
    return analyse::check(*limits, report, baseline ? &*baseline : nullptr, "budget.json");
}

const Json& report() {
    static const Json document = Json::parse(
        R"({"run": {"status": "complete"},
            "memory": {"max_tile_bytes": 70000, "by_category": {"Vertex Code": 12}},
            "result": {"epochs": [{"loss": 2.0}, {"loss": 0.5}]}})");
    return document;
}

} // namespace

// What a file says of its workload and its outputs is anyone's text.
TEST_F(Analysed, TextsOfAProfileMayBeNoJsonOrNestedTooDeep) {
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    for (const std::string& text : {deep, "{\"a\": " + deep + "}", std::string("no JSON")}) {
        const std::string path = folder / "hostile.tilescope";
        profile::RunRecord run;
        run.workload = text;
        auto recorder = std::move(*profile::Recorder::create(path, run));
        recorder->add(profile::OutputRecord{"y", DType::Float32, "[1]", text, ""});
        ASSERT_TRUE(recorder->finish(profile::RunStatus::Complete));
        const auto hostile = std::move(*profile::Profile::open(path));
        const auto summary = analyse::summarise(*hostile);
        ASSERT_TRUE(summary) << summary.error().line();
        EXPECT_EQ(analyse::document(*summary)["result"]["outputs"]["y"], Json());
        const auto sound = analyse::summarise(*profile);
        EXPECT_FALSE(analyse::setting_differences(*summary, *sound).empty());
    }
    EXPECT_FALSE(analyse::parse_budget("{\"limits\": " + deep + "}", "b.json"));
}

TEST_F(Analysed, TheSummaryAddsUpWithTheFixture) {
    const auto summary = analyse::summarise(*profile);
    ASSERT_TRUE(summary) << summary.error().line();
    const auto& size = tests::small_fixture;
    EXPECT_EQ(summary->executions, size.epochs * size.executions_per_epoch);
    EXPECT_EQ(summary->steps, summary->executions * size.steps_per_execution);
    const std::int64_t step = tests::fixture_step_cycles(size);
    const double execution_us =
        static_cast<double>(tests::fixture_host_cycles + size.steps_per_execution * step) /
        summary->target.clock_hz * 1e6;
    ASSERT_TRUE(summary->step_us && summary->memory);
    EXPECT_NEAR(*summary->step_us, execution_us / static_cast<double>(size.steps_per_execution), 1e-6);
    std::int64_t layers = 0;
    for (const auto& layer : summary->layers)
        layers += layer.cycles.total();
    EXPECT_EQ(layers + tests::fixture_infeed_cycles, step); // the infeed belongs to no layer
    std::int64_t bytes = 0;
    for (const auto& category : summary->memory->categories)
        bytes += category.always_live + category.not_always_live;
    EXPECT_EQ(bytes, summary->memory->total_bytes);
    // 64 bytes of gaps on each tile, and the first tile holds what does not divide.
    EXPECT_EQ(summary->memory->fullest_with_gaps.bytes, summary->memory->fullest.bytes + 64);
    EXPECT_EQ(summary->memory->fullest_with_gaps.tile, 0);
    EXPECT_TRUE(summary->absent.empty());
}

TEST(StepTime, OfEqualStepsIsTheSameToTheLastBitHoweverManyThereWere) {
    profile::RunRecord run;
    run.device = profile::RunDevice::Ipu;
    profile::TargetRecord target;
    target.clock_hz = 1.33e9;
    for (std::int64_t cycles = 100003; cycles < 100103; ++cycles) {
        profile::ExecutionTotals once, often;
        once.steps = 3;
        once.cycles = cycles;
        often.steps = 3 * 7;
        often.cycles = 7 * cycles;
        EXPECT_EQ(analyse::step_us(run, target, once), analyse::step_us(run, target, often)) << cycles;
    }
}

TEST_F(Analysed, ARunComparedWithItselfHasNoDifference) {
    const auto comparison = analyse::compare(*profile, *profile);
    ASSERT_TRUE(comparison);
    ASSERT_FALSE(comparison->headline.empty());
    for (const auto& line : comparison->headline)
        EXPECT_EQ(line.change().value_or(0), 0) << line.name;
    EXPECT_TRUE(comparison->added_operations.empty());
    EXPECT_TRUE(comparison->removed_operations.empty());
}

TEST_F(Analysed, ALargerRunShowsWhatItAdded) {
    tests::FixtureSize larger = tests::small_fixture;
    larger.layers = 3;
    const auto other = record("larger.tilescope", larger);
    const auto comparison = analyse::compare(*profile, *other);
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->added_operations.size(), 6U);
    EXPECT_TRUE(comparison->removed_operations.empty());
    const auto back = analyse::compare(*other, *profile);
    EXPECT_EQ(back->removed_operations, comparison->added_operations);
}

TEST_F(Analysed, AnExecutionUnderWayIsToldOfAsOne) {
    const std::string path = folder / "under_way.tilescope";
    profile::RunRecord run;
    run.device = profile::RunDevice::Ipu;
    run.workload = "{}";
    run.pid = getpid(); // it goes on
    auto recorder = profile::Recorder::create(path, run);
    ASSERT_TRUE(recorder) << recorder.error().line();
    (*recorder)->set(profile::TargetRecord{"ipu", "ipu2", 1, 1472, 638976, 1.33e9, 6});
    const auto why = [&] {
        (*recorder)->flush();
        const auto summary = analyse::summarise(**profile::Profile::follow(path));
        return summary ? summary->why_absent("timing.step_us") : summary.error().line();
    };
    (*recorder)->set(profile::ProgressRecord{profile::RunActivity::Compile, 0, 1, 3, 12, 5});
    EXPECT_EQ(why(), "the run has not reached the first execution yet");
    (*recorder)->set(profile::ProgressRecord{profile::RunActivity::Train, 0, 1, 109, 936, 20'000});
    EXPECT_EQ(why(), "the first execution has not ended yet");
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Cancelled));
    const auto ended = analyse::summarise(**profile::Profile::open(path));
    ASSERT_TRUE(ended) << ended.error().line();
    EXPECT_EQ(ended->why_absent("timing.step_us"), "cancelled before the first execution had ended");
}

TEST_F(Analysed, ARunThatEndedBeforeItBeganHasNoFiguresButReasons) {
    const std::string path = folder / "cancelled.tilescope";
    profile::RunRecord run;
    run.name = "early";
    run.device = profile::RunDevice::Ipu;
    run.workload = "{}";
    {
        auto recorder = profile::Recorder::create(path, run);
        ASSERT_TRUE(recorder) << recorder.error().line();
        (*recorder)->set(profile::TargetRecord{"ipu", "ipu2", 1, 1472, 638976, 1.33e9, 6});
        (*recorder)->add(profile::IpuRecord{0, 0, "/device:IPU:0", 0, 0, -1});
        ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Cancelled));
    }
    const auto summary = analyse::summarise(**profile::Profile::open(path));
    ASSERT_TRUE(summary) << summary.error().line();
    EXPECT_FALSE(summary->step_us || summary->samples_per_s || summary->cycles_total || summary->by_phase);
    EXPECT_FALSE(summary->memory || summary->compile_s || summary->ipus.at(0).utilisation);
    EXPECT_EQ(summary->why_absent("timing.by_phase.compute"), "cancelled before the first execution");
    EXPECT_EQ(summary->why_absent("memory.max_tile_bytes"), "cancelled before the end of compilation");
    const Json document = analyse::document(*summary);
    EXPECT_TRUE(document.at("memory").at("max_tile_bytes_with_gaps").is_null());
    const auto verdicts = checked(R"({"limits": [{"metric": "memory.by_category.Vertex Code", "max": 1},
                                                 {"metric": "ipus.0.utilisation", "min": 0},
                                                 {"metric": "result.epochs.2.loss", "max": 9}]})",
                                  document);
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    for (const auto& verdict : *verdicts)
        EXPECT_FALSE(verdict.met) << verdict.detail;
    EXPECT_EQ((*verdicts)[1].detail,
              "memory.by_category.Vertex Code is absent: cancelled before the end of compilation");
    EXPECT_EQ(analyse::outcome(*verdicts), "the run is cancelled, 3 of 3 limits are broken");
    EXPECT_FALSE(checked(R"({"limits": [{"metric": "timing.step", "max": 1}]})", document)) << "misspelt";
}

TEST_F(Analysed, WhatWasAskedForDiffersBeforeAnyFigure) {
    const auto summary = analyse::summarise(*profile);
    ASSERT_TRUE(summary);
    analyse::Summary other = *summary;
    other.run.status = profile::RunStatus::OutOfMemory;
    other.target.clock_hz = 1.85e9;
    other.run.workload =
        R"({"name":"x","device":"ipu","fit":{"epochs":3,"shuffle":true},"pipeline":{"stages":{"a":1}}})";
    const auto differences = analyse::setting_differences(*summary, other);
    std::vector<std::string> texts;
    texts.reserve(differences.size());
    for (const auto& d : differences)
        texts.push_back(d.name + ": " + analyse::setting_text(d.base, d.unit) + ", " +
                        analyse::setting_text(d.now, d.unit));
    EXPECT_EQ(texts, (std::vector<std::string>{"status: complete, out of memory", "clock: 1 GHz, 1.85 GHz",
                                               "epochs: –, 3", "fit.shuffle: –, yes",
                                               "pipeline.stages: –, {\"a\":1}"}));
    EXPECT_TRUE(analyse::setting_differences(*summary, *summary).empty());
}

// Two equal runs differ in it.
TEST_F(Analysed, TheWallTimeOfCompilationIsNoDifference) {
    const auto comparison = analyse::compare(*profile, *profile);
    ASSERT_TRUE(comparison);
    analyse::Difference compile = comparison->headline.at(0);
    for (const auto& line : comparison->headline)
        if (line.name == "compile time")
            compile = line;
    ASSERT_EQ(compile.name, "compile time");
    compile.now = 2 * *compile.base;
    EXPECT_FALSE(compile.change() || compile.percent());
}

TEST(Difference, OfWhatWasNothingIsAnAmountWithItsUnit) {
    using analyse::FigureUnit;
    const auto of = [](FigureUnit unit, double now) {
        return analyse::relative_text(analyse::Difference{"flatten", unit, 0, now});
    };
    EXPECT_EQ(of(FigureUnit::Cycles, 21630), "+21,630 cycles");
    EXPECT_EQ(of(FigureUnit::Cycles, 1), "+1 cycle");
    EXPECT_EQ(of(FigureUnit::Bytes, 2048), "+2 KiB");
    EXPECT_EQ(of(FigureUnit::None, 3), "+3");
}

// A loss that is not a number is the same in two runs, and another than a number is.
TEST(Difference, OfWhatIsNotANumber) {
    const double nan = std::nan("");
    const auto of = [](double base, double now) {
        return analyse::Difference{"loss", analyse::FigureUnit::None, base, now};
    };
    EXPECT_EQ(of(nan, nan).change(), 0.0);
    EXPECT_EQ(analyse::relative_text(of(nan, nan)), "=");
    EXPECT_EQ(of(1, nan).change(), std::nullopt);
    EXPECT_EQ(analyse::relative_text(of(nan, 1)), "–");
    analyse::Comparison comparison;
    comparison.headline = {of(nan, nan)};
    EXPECT_FALSE(analyse::differ(comparison));
    comparison.headline = {of(1, nan)};
    EXPECT_TRUE(analyse::differ(comparison));
}

TEST(Budget, AReportWithoutAStatusThatIsKnownSaysSo) {
    const auto verdicts = checked(R"({"limits": [{"metric": "timing.steps", "max": 1}]})",
                                  Json{{"run", {{"status", "tidy"}}}, {"timing", {{"steps", 1}}}});
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    EXPECT_FALSE(verdicts->at(0).met);
    EXPECT_EQ(verdicts->at(0).detail, "run.status is unknown, not complete");
    EXPECT_EQ(analyse::outcome(*verdicts), "the run is unknown, all 1 limits are met");
}

// As one whose outputs are not what its workload expects.
TEST(Budget, ARunThatEndedWithAnErrorIsBroken) {
    Json run = report();
    run["run"]["error"] = "case: y: gives [4], expected [3]";
    const std::string budget = R"({"limits": [{"metric": "memory.max_tile_bytes", "max": 70000}]})";
    const auto verdicts = checked(budget, run);
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    EXPECT_FALSE(verdicts->at(0).met);
    EXPECT_EQ(verdicts->at(0).detail,
              "run.status is complete, but the run ended with an error: case: y: gives [4], expected [3]");
    EXPECT_TRUE(verdicts->at(1).met);
    EXPECT_EQ(analyse::outcome(*verdicts), "the run ended with an error, all 1 limits are met");
    const auto relative = checked(
        R"({"limits": [{"metric": "memory.max_tile_bytes", "max_increase_percent": 0}]})", report(), &run);
    EXPECT_EQ(relative->at(1).detail,
              "memory.max_tile_bytes: the baseline ended with an error: case: y: gives [4], expected [3]");
}

// Its fullest tile is of the IPUs that were kept, its steps of the engine runs that were.
TEST(Budget, ATrimmedFileIsNotTheRun) {
    Json run = report();
    run["run"]["trimmed"] = "1 of 2 IPUs";
    const auto verdicts = checked(R"({"limits": [{"metric": "memory.max_tile_bytes", "max": 70000}]})", run);
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    EXPECT_FALSE(verdicts->at(0).met);
    EXPECT_EQ(verdicts->at(0).detail, "run.status is complete, but the run was trimmed to 1 of 2 IPUs");
    EXPECT_EQ(analyse::outcome(*verdicts), "the run was trimmed to 1 of 2 IPUs, all 1 limits are met");
    const auto relative = checked(
        R"({"limits": [{"metric": "memory.max_tile_bytes", "max_increase_percent": 0}]})", report(), &run);
    EXPECT_EQ(relative->at(1).detail, "memory.max_tile_bytes: the baseline was trimmed to 1 of 2 IPUs");
}

TEST(Budget, WhatIsNoNumberMeetsNoLimit) {
    Json run = report();
    run["result"]["epochs"][1]["loss"] = std::numeric_limits<double>::quiet_NaN();
    for (const char* bound : {R"("max": 2)", R"("min": 2)", R"("max_increase_percent": 1)"}) {
        const auto verdicts =
            checked(R"({"limits": [{"metric": "result.epochs.-1.loss", )" + std::string(bound) + "}]}", run,
                    &report());
        ASSERT_TRUE(verdicts) << verdicts.error().line();
        EXPECT_FALSE(verdicts->at(1).met);
        EXPECT_EQ(verdicts->at(1).detail, "result.epochs.-1.loss is not a number");
    }
    const auto verdicts = checked(
        R"({"limits": [{"metric": "result.epochs.-1.loss", "max_increase_percent": 1}]})", report(), &run);
    EXPECT_EQ(verdicts->at(1).detail, "result.epochs.-1.loss: the baseline's is not a number");
}

TEST(Budget, TheReasonOfABrokenLimitIsShown) {
    const auto verdicts = checked(R"({"limits": [
        {"metric": "memory.max_tile_bytes", "max": 1, "reason": "half a tile is for the next layer"},
        {"metric": "memory.max_tile_bytes", "min": 1, "reason": "not shown"},
        {"metric": "memory.max_tile_bytes", "max": 69999.9}]})",
                                  report());
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    EXPECT_EQ((*verdicts)[1].detail,
              "memory.max_tile_bytes is 70,000, more than 1 (half a tile is for the next layer)");
    EXPECT_EQ((*verdicts)[2].detail, "memory.max_tile_bytes is 70,000, not less than 1");
    EXPECT_EQ((*verdicts)[3].detail, "memory.max_tile_bytes is 70,000, more than 69,999.9")
        << "with the digits that tell them apart";
    EXPECT_FALSE(
        checked(R"({"limits": [{"metric": "memory.max_tile_bytes", "max": 1, "reason": 3}]})", report()));
}

TEST(Budget, LimitsHoldOrAreNamed) {
    const auto verdicts = checked(R"({"limits": [{"metric": "memory.max_tile_bytes", "max": 65536},
                                                  {"metric": "result.epochs.-1.loss", "max": 0.5},
                                                  {"metric": "memory.by_category.Vertex Code", "min": 13}]})",
                                  report());
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    ASSERT_EQ(verdicts->size(), 4U);
    EXPECT_TRUE((*verdicts)[0].met); // of the run itself
    EXPECT_FALSE((*verdicts)[0].limit);
    EXPECT_FALSE((*verdicts)[1].met);
    EXPECT_EQ((*verdicts)[1].detail, "memory.max_tile_bytes is 70,000, more than 65,536");
    EXPECT_TRUE((*verdicts)[2].met); // a limit that is just reached holds
    EXPECT_FALSE((*verdicts)[3].met);
    EXPECT_EQ(analyse::outcome(*verdicts), "2 of 3 limits are broken");
}

TEST(Budget, ALimitHoldsForEachEntryOfAListThatItNames) {
    Json run = report();
    run["layers"] = Json::array({{{"name", "conv2d"}, {"cycles", 10}},
                                 {{"name", "conv2d_1"}, {"cycles", 30}},
                                 {{"name", "a.b/dense"}, {"cycles", 50}}});
    Json before = run;
    before["layers"][1]["cycles"] = 20;
    std::swap(before["layers"][0], before["layers"][1]); // found by name, wherever it stands
    const auto verdicts =
        checked(R"({"limits": [{"metric": "layers.conv2d*.cycles", "max": 40, "max_increase_percent": 0},
                               {"metric": "layers.a.b/*.cycles", "max": 49},
                               {"metric": "layers.-1.cycles", "max": 49}]})",
                run, &before);
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    std::vector<std::string> texts;
    for (const analyse::Verdict& verdict : *verdicts)
        texts.push_back((verdict.met ? "" : "! ") + verdict.metric + " " + to_string(verdict.unit));
    EXPECT_EQ(texts, (std::vector<std::string>{
                         "run.status ", "layers.conv2d.cycles cycles", "! layers.conv2d_1.cycles cycles",
                         "! layers.a.b/dense.cycles cycles", "! layers.-1.cycles cycles"}));
    const auto unknown = checked(R"({"limits": [{"metric": "layers.konv2d.cycles", "max": 1}]})", run);
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().line().find("layers.conv2d.cycles"), std::string::npos);
}

TEST(Budget, ARenamedLayerKeepsItsBaselineAndANewOneHasNone) {
    Json before = report();
    before["layers"] = Json::array({{{"name", "conv2d"}, {"cycles", 10}}});
    Json run = report();
    run["layers"] = Json::array({{{"name", "my.conv"}, {"cycles", 12}}, {{"name", "extra"}, {"cycles", 1}}});
    analyse::Comparison comparison;
    comparison.layers = {{"my.conv", "conv2d", {"cycles", analyse::FigureUnit::Cycles, 10, 12}, {}},
                         {"extra", "extra", {"cycles", analyse::FigureUnit::Cycles, {}, 1}, {}}};
    const auto verdicts =
        checked(R"({"limits": [{"metric": "layers.*.cycles", "max_increase_percent": 30}]})", run, &before,
                comparison);
    ASSERT_TRUE(verdicts) << verdicts.error().line();
    ASSERT_EQ(verdicts->size(), 3U);
    EXPECT_EQ((*verdicts)[1].baseline, 10);
    EXPECT_TRUE((*verdicts)[1].met);
    EXPECT_FALSE((*verdicts)[2].met);
    EXPECT_EQ((*verdicts)[2].detail, "layers.extra.cycles: absent from the baseline");
}

TEST(Budget, RelativeLimitsNeedABaseline) {
    const std::string budget =
        R"({"limits": [{"metric": "memory.max_tile_bytes", "max_increase_percent": 5}]})";
    EXPECT_FALSE(checked(budget, report()));
    Json before = report();
    before["memory"]["max_tile_bytes"] = 67000; // 70,000 is 4.5 % more
    EXPECT_TRUE(checked(budget, report(), &before)->back().met);
    before["memory"]["max_tile_bytes"] = 66000; // 6.1 % more
    EXPECT_FALSE(checked(budget, report(), &before)->back().met);
    before["memory"]["max_tile_bytes"] = 140000; // half of it
    EXPECT_TRUE(checked(budget, report(), &before)->back().met);
}

TEST(Budget, MistakesAreNamedWithTheirPlace) {
    for (const char* budget : {
             R"({"limits": [{"metric": "memory.max_tile_byte", "max": 1}]})", // misspelt
             R"({"limits": [{"metric": "memory.max_tile_bytes"}]})",          // without a bound
             R"({"limits": [{"metric": "memory.max_tile_bytes", "maximum": 1}]})",
             R"({"limit": []})",
             R"({"limits": [)",
             R"([])",
         }) {
        const auto failed = checked(budget, report());
        ASSERT_FALSE(failed) << budget;
        EXPECT_EQ(exit_code(failed.error().kind), 3) << budget;
        EXPECT_NE(failed.error().line().find("budget.json"), std::string::npos) << failed.error().line();
    }
    EXPECT_NE(checked(R"({"limits": [{"metric": "memory.max_tile_byte", "max": 1}]})", report())
                  .error()
                  .line()
                  .find("memory.max_tile_bytes"),
              std::string::npos);
}
