// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "profile/profile.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"
#include "ui/search/search_index.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Two IPUs of 4 tiles with a layer each, and a variable of the same name on both.
SearchIndex two_ipus() {
    const tests::TemporaryFolder folder;
    profile::RunRecord run;
    run.name = "two";
    auto recorder = *profile::Recorder::create(folder / "two.tilescope", run);
    recorder->set(profile::TargetRecord{"pod4", "ipu2", 2, 4, 1024, 1e9, 6});
    for (std::int64_t i = 0; i < 2; ++i) {
        recorder->add(profile::IpuRecord{i, i, "/device:IPU:" + std::to_string(i), 0, i, -1});
        const std::string name = "layer_" + std::to_string(i);
        recorder->add(profile::LayerRecord{i, name, "Dense", "[4, 2]", 6});
        recorder->add(profile::OperationRecord{i, name + "/MatMul", "matmul", i, profile::Phase::Forward, i});
        profile::VariableRecord variable;
        variable.id = i;
        variable.name = name + "/kernel";
        variable.category = MemoryCategory::Variables;
        variable.ipu = i;
        variable.bytes = 24;
        variable.live_from = variable.live_to = 0;
        recorder->add(variable);
    }
    profile::ProgramRecord step;
    step.id = 7;
    step.kind = profile::StepKind::Execute;
    step.name = "layer_1/MatMul/Convolve";
    step.operation_id = 1;
    step.liveness_step = 0;
    step.ipu = 1;
    recorder->add(step);
    recorder->add(profile::DeviceProgramRecord{0, "training", 7, true});
    recorder->add(profile::DeviceProgramRecord{1, "evaluation", 9});
    recorder->add(profile::FurtherStepRecord{9, 1, -1, 0, profile::StepKind::Execute, "accuracy/ArgMax"});
    recorder->add(profile::CompileEventRecord{3, -1, "lower", 0, 2500, ""});
    recorder->add(profile::LogRecord{12, profile::Severity::Info, "data are made up"});
    EXPECT_TRUE(recorder->finish(profile::RunStatus::Complete));
    return *SearchIndex::read(**profile::Profile::open(folder / "two.tilescope"));
}

std::vector<std::string> names(const SearchAnswer& answer) {
    std::vector<std::string> result;
    for (const SearchHit& hit : answer.hits)
        result.push_back((hitKindName(hit.kind) + QLatin1Char(' ') + hit.name).toStdString());
    return result;
}

using Names = std::vector<std::string>;

TEST(SearchIndex, FindsTheStepsOfFurtherPrograms) {
    const SearchIndex index = two_ipus();
    const auto found = index.find(QStringLiteral("argmax evaluation"), {}, 12);
    ASSERT_EQ(found.hits.size(), 1U);
    EXPECT_EQ(found.hits[0].selected({}).program, 9);
    EXPECT_EQ(names(index.find(QStringLiteral("step 9"), {}, 12)), (Names{"step accuracy/ArgMax"}));
}

TEST(SearchIndex, FindsAllKindsOnAllIpusWhateverTheCase) {
    const SearchIndex index = two_ipus();
    EXPECT_EQ(names(index.find(QStringLiteral("LAYER_1"), {}, 12)),
              (Names{"operation layer_1/MatMul", "layer layer_1", "variable layer_1/kernel",
                     "step layer_1/MatMul/Convolve"}));
    EXPECT_EQ(names(index.find(QStringLiteral("kernel"), {}, 12)),
              (Names{"variable layer_0/kernel", "variable layer_1/kernel"}));
    // All words must occur, in the name or in what stands beside it.
    EXPECT_EQ(names(index.find(QStringLiteral("kernel 1"), {}, 12)), (Names{"variable layer_1/kernel"}));
    EXPECT_EQ(names(index.find(QStringLiteral("dense"), {}, 12)), (Names{"layer layer_0", "layer layer_1"}));
    EXPECT_TRUE(index.find(QStringLiteral("nowhere"), {}, 12).hits.empty());
    EXPECT_TRUE(index.find(QStringLiteral("  "), {}, 12).hits.empty());
}

TEST(SearchIndex, CountsAllAndListsAsManyAsAreWanted) {
    const SearchIndex index = two_ipus();
    const SearchAnswer answer = index.find(QStringLiteral("layer"), HitKind::Variable, 1);
    EXPECT_EQ(names(answer), (Names{"variable layer_0/kernel"}));
    EXPECT_EQ(answer.counts, (std::array<std::int64_t, hit_kinds>{2, 2, 2, 1, 0, 0}));
}

TEST(SearchIndex, TilesAndStepsAreFoundByTheirNumber) {
    const SearchIndex index = two_ipus();
    EXPECT_EQ(names(index.find(QStringLiteral("tile 3"), {}, 12)), (Names{"tile tile 3", "tile tile 3"}));
    for (const char* typed : {"IPU 1 tile 3", "1:3", "ipu 1: 3"}) {
        const SearchAnswer answer = index.find(QLatin1String(typed), {}, 12);
        ASSERT_EQ(answer.hits.size(), 1U) << typed;
        EXPECT_EQ(answer.hits[0].ipu, 1) << typed;
        EXPECT_EQ(answer.hits[0].selected({}).tiles, std::vector<std::int64_t>{3}) << typed;
        EXPECT_EQ(answer.hits[0].view(), QStringLiteral("memory")) << typed;
    }
    EXPECT_TRUE(index.find(QStringLiteral("tile 4"), {}, 12).hits.empty()); // tiles are 0 to 3
    EXPECT_EQ(names(index.find(QStringLiteral("step 7"), {}, 12)), (Names{"step layer_1/MatMul/Convolve"}));
    EXPECT_EQ(names(index.find(QStringLiteral("IPU 1"), HitKind::Ipu, 12)), (Names{"IPU IPU 1"}));
}

TEST(SearchIndex, AHitSaysWhatIsSelectedThenAndKeepsTheBasis) {
    const SearchIndex index = two_ipus();
    Selection before;
    before.layer = 5;
    before.basis = analyse::Basis::Execution;
    const SearchHit variable = index.find(QStringLiteral("layer_1 kernel"), {}, 12).hits.at(0);
    Selection expected;
    expected.variable = 1;
    expected.lookAt(1);
    expected.program = 7; // the step from which on it is live
    expected.basis = analyse::Basis::Execution;
    EXPECT_EQ(variable.selected(before), expected);
    const SearchHit operation = index.find(QStringLiteral("matmul"), HitKind::Operation, 12).hits.at(1);
    EXPECT_EQ(operation.selected(before).operation, 1);
    EXPECT_EQ(operation.view(), QStringLiteral("operations"));
}

// Else Memory would show the fullest IPU after the search for stage 0.
TEST(SearchIndex, TheFirstIpuIsChosenWhereItOrItsStageIsMeant) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_system(folder / "pipeline.tilescope", {2, 1, true}));
    const SearchIndex index = *SearchIndex::read(**profile::Profile::open(folder / "pipeline.tilescope"));
    for (const HitKind kind : {HitKind::Stage, HitKind::Ipu}) {
        const auto hits =
            index.find(QString::fromUtf8(kind == HitKind::Ipu ? "IPU 0" : "stage 0"), kind, 12).hits;
        ASSERT_FALSE(hits.empty());
        EXPECT_EQ(hits[0].selected({}).ipu, 0);
        EXPECT_TRUE(hits[0].selected({}).ipu_chosen) << hits[0].name.toStdString();
    }
    const auto layers = index.find(QStringLiteral("layer_0"), HitKind::Layer, 12).hits;
    ASSERT_FALSE(layers.empty());
    EXPECT_FALSE(layers[0].selected({}).ipu_chosen) << "a layer is of several";
}

TEST(SearchIndex, WhatBeginsWithTheTypedWordStandsFirst) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "run.tilescope", {64, 12, 1, 1, 1}));
    const SearchIndex index = *SearchIndex::read(**profile::Profile::open(folder / "run.tilescope"));
    const SearchAnswer answer = index.find(QStringLiteral("dense_1"), HitKind::Layer, 12);
    ASSERT_FALSE(answer.hits.empty());
    EXPECT_EQ(answer.hits[0].name, QStringLiteral("dense_1")); // before dense_10 and dense_11
}

TEST(SearchIndex, FindsPassesAndLinesOfTheLog) {
    const SearchIndex index = two_ipus();
    const SearchAnswer passes = index.find(QStringLiteral("lower"), {}, 12);
    ASSERT_EQ(names(passes), Names{"pass lower"});
    EXPECT_EQ(passes.hits[0].view(), QStringLiteral("compile"));
    EXPECT_EQ(passes.hits[0].selected({}).pass, 3);
    EXPECT_EQ(passes.hits[0].remark, QStringLiteral("2.50 ms"));
    const SearchAnswer lines = index.find(QStringLiteral("made up"), {}, 12);
    ASSERT_EQ(names(lines), Names{"log data are made up"});
    EXPECT_EQ(lines.hits[0].view(), QStringLiteral("live"));
    EXPECT_EQ(lines.hits[0].selected({}).log, 0);
}

/// Stage 1 of a pipeline of two is on IPU 1, whose last tile is nearly full.
TEST(SearchIndex, FindsStagesAndFindings) {
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(
        tests::record_system(folder / "pipeline.tilescope", {.pipelined = true, .nearly_full = true}));
    const auto file = *profile::Profile::open(folder / "pipeline.tilescope");
    const SearchIndex index = *SearchIndex::read(*file);
    const SearchAnswer stages = index.find(QStringLiteral("stage 1"), HitKind::Stage, 12);
    ASSERT_EQ(names(stages), Names{"stage stage 1"}) << "of the first replica";
    EXPECT_EQ(stages.hits[0].view(), QStringLiteral("pipeline"));
    EXPECT_EQ(stages.hits[0].selected({}).ipu, 1);
    const auto insights = analyse::summarise(*file)->insights;
    ASSERT_FALSE(insights.empty());
    for (const analyse::Insight& insight : insights) {
        const SearchAnswer found = index.find(QString::fromStdString(insight.title), HitKind::Finding, 12);
        EXPECT_TRUE(std::any_of(found.hits.begin(), found.hits.end(), [&](const SearchHit& hit) {
            return hit.selected({}).finding == analyse::identity(insight) &&
                   hit.view() == QLatin1String("insights");
        })) << insight.title;
    }
}

} // namespace
} // namespace tilescope::ui
