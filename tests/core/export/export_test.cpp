// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/summary.h"
#include "base/text.h"
#include "export/chrome_trace.h"
#include "export/csv.h"
#include "export/graph_dot.h"
#include "export/page.h"
#include "export/steps_csv.h"
#include "export/text_table.h"
#include "profile/recorder.h"
#include "tests/profile_fixture.h"
#include "tests/record_rows.h"
#include "tests/system_fixture.h"
#include "tests/temporary_folder.h"
#include "tests/trace_check.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

using namespace tilescope;

namespace {

struct Exported : testing::Test {
    tests::TemporaryFolder folder;
    std::unique_ptr<profile::Profile> profile;
    void SetUp() override {
        const std::string path = folder / "fixture.tilescope";
        ASSERT_TRUE(tests::record_fixture(path));
        profile = std::move(*profile::Profile::open(path));
    }
    /// The program steps of IPU 0 that the trace has, in order.
    std::vector<profile::TraceSlice> traced() const {
        std::vector<profile::TraceSlice> steps;
        EXPECT_TRUE(profile->trace_steps(0, 0, std::numeric_limits<std::int64_t>::max(), nullptr,
                                         [&](const profile::TraceSlice& slice) {
                                             steps.push_back(slice);
                                             return true;
                                         }));
        return steps;
    }
};

std::int64_t count(const std::string& text, const std::string& what) {
    std::int64_t found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
        ++found;
    return found;
}

} // namespace

namespace {

const std::string ipu_0 = "IPU 0 (/device:IPU:0)";

} // namespace

TEST(TextTable, LongListsGoOverSeveralLines) {
    exports::TextTable table({"", "base", "new"}, {false, true, true});
    const std::string thirty(30, 'x');
    table.add({"layers", "1,234,567", "[\"" + thirty + "\",\"" + thirty + "\",\"y\"]"});
    table.add({"name", std::string(80, 'n'), "no list, a sentence"});
    std::ostringstream out;
    table.print(out, "  ");
    const auto right = [](const std::string& text, std::size_t width) {
        return std::string(width - text.size(), ' ') + text;
    };
    EXPECT_EQ(out.str(), "          " + right("base", 80) + "  " + right("new", 37) + "\n  layers  " +
                             right("1,234,567", 80) + "  " + right("[\"" + thirty + "\",", 37) + "\n" +
                             std::string(10 + 80 + 2, ' ') + right("\"" + thirty + "\",\"y\"]", 37) +
                             "\n  name    " + std::string(80, 'n') + "  " + right("no list, a sentence", 37) +
                             "\n");
}

TEST_F(Exported, TheLanesOfATraceAddUpToTheProfile) {
    std::stringstream out;
    ASSERT_TRUE(exports::chrome_trace(*profile, out));
    const tests::CheckedTrace trace = tests::check_trace(out);
    EXPECT_EQ(trace.problems, std::vector<std::string>());

    // 3 traced executions of 3 steps of the fixture, and 5 executions in all; each slice may be rounded by a
    // nanosecond.
    const auto lane = [&](const std::string& process, const std::string& name) {
        return trace.lanes.at({process, name});
    };
    const auto ns = [&](std::int64_t cycles) {
        return static_cast<double>(cycles) * 1e9 / profile->target()->clock_hz;
    };
    const std::int64_t steps = 9;
    const std::int64_t step = tests::fixture_step_cycles(tests::small_fixture);
    const auto slices = lane(ipu_0, "program steps");
    EXPECT_EQ(slices.slices, steps * tests::small_fixture.leaves());
    EXPECT_NEAR(slices.outermost_ns, ns(steps * step), slices.slices);
    EXPECT_EQ(lane(ipu_0, "phases").outermost_ns, slices.outermost_ns);
    const std::int64_t operations = step - tests::fixture_infeed_cycles; // and its layer, one after another
    EXPECT_NEAR(lane(ipu_0, "operations").outermost_ns, ns(steps * operations), 100);
    EXPECT_EQ(lane(ipu_0, "layers").outermost_ns, lane(ipu_0, "operations").outermost_ns);
    EXPECT_NEAR(lane(ipu_0, "phases").ns_by_name.at("host copy"), ns(steps * tests::fixture_infeed_cycles),
                9);
    EXPECT_EQ(lane("host", "streams of IPU 0").outermost_ns,
              lane(ipu_0, "phases").ns_by_name.at("host copy"));
    EXPECT_NEAR(lane("host", "launches of engine runs").outermost_ns, ns(3 * tests::fixture_host_cycles), 3);
    EXPECT_NEAR(lane(ipu_0, "engine runs").outermost_ns, ns(5 * (3 * step + tests::fixture_host_cycles)), 5);
    EXPECT_EQ(lane("host", "epochs and engine runs").slices, 5 + 3); // two epochs, and the evaluation
}

TEST_F(Exported, OfARangeATraceHasWhatIsInItAndWhatItCuts) {
    const auto steps = traced();
    ASSERT_GT(steps.size(), 8U);
    std::stringstream out;
    // From within the fifth program step until the eighth begins.
    ASSERT_TRUE(exports::chrome_trace(
        *profile, out,
        exports::TracePart{.cycles = std::pair(steps[4].start_cycle + 1, steps[7].start_cycle)}));
    const tests::CheckedTrace trace = tests::check_trace(out);
    EXPECT_EQ(trace.problems, std::vector<std::string>());
    EXPECT_EQ(trace.lanes.at({ipu_0, "program steps"}).slices, 3);
    EXPECT_NEAR(trace.lanes.at({ipu_0, "program steps"}).outermost_ns,
                static_cast<double>(steps[6].end_cycle - steps[4].start_cycle) * 1e9 /
                    profile->target()->clock_hz,
                3);
    EXPECT_EQ(trace.lanes.at({ipu_0, "engine runs"}).slices, 1);
    EXPECT_EQ(trace.lanes.at({"host", "epochs and engine runs"}).slices, 2) << "one of each";
    const auto launches = trace.lanes.find({"host", "launches of engine runs"});
    EXPECT_TRUE(launches == trace.lanes.end() || launches->second.slices == 0);
    EXPECT_FALSE(trace.counters.contains({"host", "loss"})) << "which comes at the end of an engine run";
}

TEST_F(Exported, OfARangeTheStepsAreATableWithTheirCycles) {
    const auto steps = traced();
    ASSERT_GT(steps.size(), 8U);
    std::stringstream out;
    // From within the fifth program step until the eighth begins.
    const auto count =
        exports::steps_csv(*profile, out, {steps[4].start_cycle + 1, steps[7].start_cycle}, {0});
    ASSERT_TRUE(count);
    EXPECT_EQ(*count, 3);
    std::string line;
    std::getline(out, line);
    const auto fields = [](const std::string& text) { // none of these names holds a comma
        std::vector<std::string> all;
        std::stringstream rest(text + ',');
        for (std::string field; std::getline(rest, field, ',');)
            all.push_back(field);
        return all;
    };
    const std::vector<std::string> heads = fields(line);
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::find(heads.begin(), heads.end(), name) - heads.begin());
    };
    const auto program = profile->program().value();
    for (std::size_t i = 4; i < 7; ++i) {
        ASSERT_TRUE(std::getline(out, line));
        const std::vector<std::string> row = fields(line);
        ASSERT_EQ(row.size(), heads.size()) << line;
        EXPECT_EQ(row[column("ipu")], "0");
        EXPECT_EQ(row[column("start_cycle")], std::to_string(steps[i].start_cycle));
        EXPECT_EQ(row[column("end_cycle")], std::to_string(steps[i].end_cycle));
        const auto named = std::find_if(program.begin(), program.end(),
                                        [&](const auto& each) { return each.id == steps[i].program_id; });
        ASSERT_NE(named, program.end());
        EXPECT_EQ(row[column("name")], named->name);
        std::int64_t cycles = 0;
        for (const char* kind :
             {"compute_cycles", "exchange_cycles", "inter_ipu_cycles", "sync_cycles", "host_cycles"})
            cycles += std::stoll(row[column(kind)]);
        EXPECT_EQ(cycles, steps[i].end_cycle - steps[i].start_cycle) << "all that a step is spent on";
        EXPECT_NEAR(std::stod(row[column("length_us")]),
                    static_cast<double>(cycles) * 1e6 / profile->target()->clock_hz, 1e-6);
    }
    EXPECT_FALSE(std::getline(out, line));
}

TEST_F(Exported, ATraceHasCountersOfMemoryAndOfTheLosses) {
    std::stringstream out;
    ASSERT_TRUE(exports::chrome_trace(*profile, out));
    const tests::CheckedTrace trace = tests::check_trace(out);
    EXPECT_GT(trace.counters.at({ipu_0, "live memory"}), 1);
    EXPECT_GT(trace.counters.at({ipu_0, "fullest tile"}), 1);
    EXPECT_EQ(trace.counters.at({"host", "loss"}), 4); // after each execution of training
    EXPECT_EQ(trace.counters.at({"host", "accuracy"}), 4);
}

namespace {

/// Two stages and two micro-batches, forward and back, in one weight update of 70 cycles: a picture of table
/// `pipeline_slot`.
void record_pipeline(const std::string& path) {
    using namespace profile;
    using A = PipelineActivity;
    RunRecord run;
    run.name = "pipeline";
    {
        auto recorder = Recorder::create(path, run);
        ASSERT_TRUE(recorder);
        (*recorder)->set(TargetRecord{"pod4", "ipu2", 2, 4, 1024, 3e8, 6}); // cycles of three and a third ns
        for (const std::int64_t ipu : {0, 1})
            (*recorder)->add(IpuRecord{ipu, ipu, "/device:IPU:0", 0, ipu, ipu});
        (*recorder)->add(ProgramRecord{0, -1, 0, StepKind::Execute, "work", -1, -1, -1, 1, -1, 0, 0, 10});
        tests::record_rows(**recorder, {{0, ExecutionKind::Train, 0, 0, 2, 100, 75, 1}}, {},
                           {{0, 0, 0, 0, 105, 1, 2, 7}, {0, 0, 0, 1, 115, 1, 2, 7}});
        for (const PipelineSlotRecord& slot : std::vector<PipelineSlotRecord>{{0, 0, 10, 0, A::Forward, 0},
                                                                              {0, 10, 20, 1, A::Forward, 1},
                                                                              {0, 20, 30, 2, A::Idle, -1},
                                                                              {0, 30, 40, 3, A::Backward, 0},
                                                                              {0, 40, 50, 4, A::Idle, -1},
                                                                              {0, 50, 60, 5, A::Backward, 1},
                                                                              {0, 60, 70, -1, A::Update, -1},
                                                                              {1, 0, 10, 0, A::Idle, -1},
                                                                              {1, 10, 20, 1, A::Forward, 0},
                                                                              {1, 20, 30, 2, A::Backward, 0},
                                                                              {1, 30, 40, 3, A::Forward, 1},
                                                                              {1, 40, 50, 4, A::Backward, 1},
                                                                              {1, 50, 60, 5, A::Idle, -1},
                                                                              {1, 60, 70, -1, A::Update, -1}})
            (*recorder)->add(slot);
        ASSERT_TRUE((*recorder)->finish(RunStatus::Complete));
    }
}

} // namespace

TEST(ChromeTrace, FollowsMicroBatchesThroughTheStagesOfAPipeline) {
    tests::TemporaryFolder folder;
    const std::string path = folder / "pipeline.tilescope";
    record_pipeline(path);
    std::stringstream out;
    ASSERT_TRUE(exports::chrome_trace(**profile::Profile::open(path), out));
    const tests::CheckedTrace trace = tests::check_trace(out);
    EXPECT_EQ(trace.problems, std::vector<std::string>());
    const std::string stage_0 = "IPU 0 (/device:IPU:0, stage 0)";
    const std::string stage_1 = "IPU 1 (/device:IPU:0, stage 1)";
    EXPECT_EQ(trace.lanes.at({stage_0, "pipeline"}).slices, 7);
    EXPECT_EQ(trace.lanes.at({stage_1, "pipeline"}).outermost_ns, 233);
    EXPECT_EQ(trace.lanes.at({stage_1, "pipeline"}).ns_by_name.at("forward 1"), 33); // 450 to 483.3

    // The update begins at cycle 105, 350 ns; each micro-batch goes forward on 0 and 1, back on 1 and 0.
    std::vector<std::tuple<std::string, std::int64_t, std::string, std::int64_t>> arrows;
    for (const auto& a : trace.arrows)
        arrows.emplace_back(a.from_lane, a.from_begin, a.to_lane, a.to_begin);
    const decltype(arrows) expected = {{stage_0, 350, stage_1, 383}, {stage_1, 383, stage_1, 417},
                                       {stage_1, 417, stage_0, 450}, {stage_0, 383, stage_1, 450},
                                       {stage_1, 450, stage_1, 483}, {stage_1, 483, stage_0, 517}};
    EXPECT_EQ(arrows, expected);

    std::stringstream part;
    ASSERT_TRUE(exports::chrome_trace(**profile::Profile::open(path), part,
                                      exports::TracePart{.cycles = std::pair(106, 118)}));
    const tests::CheckedTrace some = tests::check_trace(part);
    EXPECT_EQ(some.problems, std::vector<std::string>());
    ASSERT_EQ(some.arrows.size(), 1U) << "of micro-batch 0; of the other there is one pass";
    EXPECT_EQ(some.arrows[0].from_begin, 350);
    EXPECT_EQ(some.arrows[0].to_begin, 383);
}

TEST(ChromeTrace, OfAProcessorIsRefusedForItHasNoSimulatedTime) {
    tests::TemporaryFolder folder;
    const std::string path = folder / "cpu.tilescope";
    {
        profile::RunRecord run;
        run.device = profile::RunDevice::Cpu;
        auto recorder = profile::Recorder::create(path, run);
        ASSERT_TRUE(recorder);
        (*recorder)->set(profile::TargetRecord{"", "cpu", 0, 0, 0, 0, 0});
        ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    }
    std::ostringstream out;
    const auto refused = exports::chrome_trace(**profile::Profile::open(path), out);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().line().find("no simulated time line"), std::string::npos);
    EXPECT_EQ(out.str(), "");
}

// It has no target yet, either, and has run on no processor.
TEST(ChromeTrace, OfARunThatEndedBeforeItWasCompiledIsRefused) {
    tests::TemporaryFolder folder;
    const std::string path = folder / "cancelled.tilescope";
    ASSERT_TRUE((*profile::Recorder::create(path, {}))->finish(profile::RunStatus::Cancelled));
    std::ostringstream out;
    const auto refused = exports::chrome_trace(**profile::Profile::open(path), out);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().line(),
              path + ": cancelled before it was compiled; export a run that executed something");
}

TEST_F(Exported, ATableAsCsvHasALinePerRow) {
    std::ostringstream out;
    ASSERT_TRUE(exports::csv(*profile, "operation", out));
    EXPECT_EQ(count(out.str(), "\n"), 1 + tests::small_fixture.operations());
    EXPECT_EQ(out.str().rfind("id,", 0), 0U);
}

TEST_F(Exported, AnUnknownTableIsRefusedWithTheNearestName) {
    std::ostringstream out;
    const auto failed = exports::csv(*profile, "operatoin", out);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().line().find("operation"), std::string::npos);
    EXPECT_EQ(exit_code(failed.error().kind), 2);
    EXPECT_TRUE(out.str().empty());
}

TEST_F(Exported, TheGraphHasANodePerOperationWithWhatItMakes) {
    std::ostringstream out;
    ASSERT_TRUE(exports::graph_dot(*profile, out));
    const std::string text = out.str();
    EXPECT_EQ(text.rfind("// Written by tilescope.\ndigraph \"fixture\" {\n", 0), 0U);
    const auto operations = *profile->operations();
    for (const auto& op : operations)
        EXPECT_NE(text.find("op" + std::to_string(op.id) + " [label=\"" + op.name + "\\n" + op.kind),
                  std::string::npos)
            << op.name;
    EXPECT_NE(text.find("matmul\\nfloat32[32, 128]\""), std::string::npos);
}

// The product of the first layer feeds its activation, which is carried over to the backward pass.
TEST_F(Exported, AnEdgeStaysWithinItsPhase) {
    std::ostringstream out;
    ASSERT_TRUE(exports::graph_dot(*profile, out));
    EXPECT_NE(out.str().find("op0 -> op1;"), std::string::npos);
    EXPECT_EQ(out.str().find("op1 -> op2;"), std::string::npos);
    EXPECT_EQ(count(out.str(), "Relu\\nfloat32[32, 128]\", shape=oval"), 3)
        << "each layer needs its own, and the second the first's for the gradient of its weights";
}

TEST_F(Exported, ByLayersTheGraphHasANodeForWhatEachDoesInAPhase) {
    std::ostringstream out;
    ASSERT_TRUE(exports::graph_dot(*profile, out, exports::GraphNodes::Layers));
    const std::string text = out.str();
    const auto operations = *profile->operations();
    const auto layers = *profile->layers();
    std::map<std::pair<std::int64_t, profile::Phase>, int> groups;
    for (const auto& op : operations)
        ++groups[{op.layer_id, op.phase}];
    for (const auto& layer : layers)
        for (const auto phase : {profile::Phase::Forward, profile::Phase::Backward, profile::Phase::Update}) {
            const int size = groups[{layer.id, phase}];
            const std::string node = "layer" + std::to_string(layer.id) + "_" + to_string(phase) +
                                     " [label=\"" + layer.name + "\\n" + layer.kind + ", " +
                                     to_string(phase) + "\\n" + std::to_string(size) +
                                     (size == 1 ? " operation\"" : " operations\"");
            EXPECT_EQ(count(text, node), size == 0 ? 0 : 1) << node << "\n" << text;
        }
    EXPECT_EQ(count(text, "layer0_forward -> layer1_forward;"), 1) << text;
    EXPECT_EQ(text.find("forward -> layer0_backward"), std::string::npos);
    EXPECT_EQ(text.find("shape=oval"), std::string::npos);
}

namespace {

std::string html_with_pictures(const profile::Profile& profile) {
    const auto summary = analyse::summarise(profile);
    EXPECT_TRUE(summary);
    exports::Page page = exports::report_page(*summary);
    EXPECT_TRUE(exports::add_pictures(page, profile, *summary));
    return exports::html(page);
}

} // namespace

TEST_F(Exported, TheHtmlReportDrawsTilesLivenessAndPhases) {
    const std::string html = html_with_pictures(*profile);
    EXPECT_EQ(count(html, "<svg"), 4) << "no pipeline";
    EXPECT_NE(html.find("624 KiB of a tile"), std::string::npos);
    EXPECT_NE(html.find("tile 63<"), std::string::npos);
    std::int64_t most = 0;
    const auto liveness = *profile->liveness(0);
    for (const auto& step : liveness)
        most = std::max(most, step.always_live_bytes + step.not_always_live_bytes);
    EXPECT_NE(html.find("at most " + bytes_text(static_cast<double>(most))), std::string::npos);

    // 15 steps, each engine run of 3 after host time; the infeed is the host's too. The bar is 740 wide.
    const auto phases = *profile->phase_cycles({}, 0);
    EXPECT_EQ(phases.host, 5 * tests::fixture_host_cycles + 15 * tests::fixture_infeed_cycles);
    char wide[32];
    std::snprintf(wide, sizeof wide, "width=\"%.1f\"",
                  740.0 * static_cast<double>(phases.host) / static_cast<double>(phases.total()));
    EXPECT_NE(html.find(wide), std::string::npos) << wide;
}

/// Two tiles of 32 FLOPs and 4 exchanged bytes a cycle: both peaks are within the decades from 10 to 100.
TEST(HtmlReport, DrawsOperationsUnderTheirRoof) {
    tests::TemporaryFolder folder;
    const std::string path = folder / "roofline.tilescope";
    {
        auto recorder = profile::Recorder::create(path, {});
        (*recorder)->set(profile::TargetRecord{"ipu", "ipu2", 1, 2, 1024, 1e9, 6, 50, 32, 4});
        (*recorder)->add(profile::IpuRecord{});
        (*recorder)->add(profile::LayerRecord{0, "dense", "Dense", "[1]", 1});
        (*recorder)->add(
            profile::OperationRecord{0, "dense/MatMul", "matmul", 0, Phase::Forward, 0, -1, 1000});
        profile::ProgramRecord step{0, -1, 0, profile::StepKind::Execute, "a", 0};
        step.runs = 1;
        step.compute_cycles = 100;
        (*recorder)->add(step);
        ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Complete));
    }
    const std::string html = html_with_pictures(**profile::Profile::open(path));
    EXPECT_NE(html.find("dense/MatMul: 10 FLOPs per cycle, no exchange"), std::string::npos);
    // 10 to 100 FLOPs a cycle are 280 pixels; those of the operation stand on the ground, beside the plot.
    EXPECT_NE(html.find("cx=\"755.0\" cy=\"296.0\""), std::string::npos);
    EXPECT_NE(html.find("H710.0"), std::string::npos);
    EXPECT_NE(html.find(">half peak<"), std::string::npos);
}

TEST(HtmlReport, DrawsThePipelineStageByStage) {
    tests::TemporaryFolder folder;
    const std::string path = folder / "pipeline.tilescope";
    record_pipeline(path);
    const std::string html = html_with_pictures(**profile::Profile::open(path));
    EXPECT_NE(html.find(">stage 1<"), std::string::npos);
    // 70 cycles on 740 units: the first pass of stage 0 is from 60 to 165.7, that of stage 1 begins there.
    EXPECT_NE(html.find("M60.0 0.0h105.7v24.0"), std::string::npos);
    EXPECT_NE(html.find("M165.7 28.0h105.7v24.0"), std::string::npos);
}

TEST_F(Exported, AnAccuracyOfTheReportIsAShareAsInTheWindow) {
    const exports::Page page = exports::report_page(*analyse::summarise(*profile));
    std::vector<std::string> told; // of the evaluation
    for (const exports::PageSection& section : page.sections)
        for (const exports::PageTable& table : section.tables)
            for (const auto& row : table.rows)
                if (row.size() == 2 && row[0] == "accuracy")
                    told.push_back(row[1]);
    EXPECT_EQ(told, std::vector<std::string>{"75.0 %"});
    EXPECT_EQ(count(exports::html(page), "75.0 %"), 2) << "at the top, too";
}

TEST_F(Exported, CyclesOfMoreThanThePhasesAreOfAreSaidToBe) {
    auto summary = *analyse::summarise(*profile);
    ASSERT_TRUE(summary.cycles);
    for (const auto& [more, label] :
         {std::pair(0, "cycles in all"), std::pair(7, "cycles in all, other programs included")}) {
        summary.cycles_total = *summary.cycles + more;
        std::vector<std::string> told;
        for (const exports::PageSection& section : exports::report_page(summary).sections)
            for (const exports::PageTable& table : section.tables)
                for (const auto& row : table.rows)
                    if (row.size() == 2 && row[1] == count_text(*summary.cycles_total) &&
                        row[0].starts_with("cycles"))
                        told.push_back(row[0]);
        EXPECT_EQ(told, std::vector<std::string>{label});
    }
}

// The fixture knows how far off whole steps (1.25) and bytes (1.125) are, and nothing of cycles.
TEST_F(Exported, TheReportSaysBesideItsFiguresHowFarOffTheirKindIs) {
    const exports::Page page = exports::report_page(*analyse::summarise(*profile));
    for (const std::string& report : {exports::text(page), exports::markdown(page)}) {
        for (const char* title :
             {"Timing (simulated; typical error of whole steps ×1.25)", "Memory (typical error ×1.12)",
              "IPUs (typical error of bytes ×1.12)", "Layers (per step; typical error of bytes ×1.12)"})
            EXPECT_EQ(count(report, title), 1) << title << report;
        EXPECT_EQ(count(report, "one, two, three, four"), 1) << "the published figures" << report;
        EXPECT_EQ(count(report, "five, six"), 1) << report;
    }
}

// So does a comparison, of two files and of more. Files of different versions may differ in it: then no title
// has what is one run's alone, and the table has both.
TEST_F(Exported, AComparisonSaysBesideItsFiguresHowFarOffTheirKindIs) {
    const auto same = analyse::compare(*profile, *profile);
    ASSERT_TRUE(same);
    EXPECT_EQ(analyse::document(*same)["new"]["accuracy"],
              analyse::document(*analyse::summarise(*profile))["accuracy"]);
    const std::string two = exports::text(exports::comparison_page(*same, "base", "now"));
    const std::string three =
        exports::text(exports::comparisons_page({{"now", *same}, {"then", *same}}, "base"));
    for (const std::string& report : {two, three}) {
        for (const char* part :
             {"Figures (typical error of whole steps ×1.25, of bytes ×1.12)", "\n  bytes ", "five, six"})
            EXPECT_EQ(count(report, part), 1) << part << report;
        EXPECT_EQ(count(report, "base: whole steps"), 0) << report;
    }
    EXPECT_EQ(count(two, "Layers (per step, of one replica; typical error of bytes ×1.12)"), 1) << two;
    analyse::Comparison other = *same;
    other.now.error_bands.front().typical = 1.5;
    const std::string differs = exports::text(exports::comparison_page(other, "base", "now"));
    EXPECT_EQ(count(differs, "(typical error"), 0) << differs;
    EXPECT_EQ(count(differs, "base: whole steps"), 2) << differs;
    EXPECT_EQ(count(differs, "now: whole steps"), 2) << differs;
    EXPECT_EQ(count(differs, "×1.50 "), 1) << differs;
}

TEST(ReportPage, ItsTableOfIpusHasAllStagesOfEach) {
    const tests::TemporaryFolder folder;
    tests::SystemFixture system;
    system.pipelined = system.comes_back = true; // stages 0, 1 and 2 on IPUs 0, 1 and 0
    ASSERT_TRUE(tests::record_system(folder / "run.tilescope", system));
    const auto profile = profile::Profile::open(folder / "run.tilescope");
    ASSERT_TRUE(profile);
    const auto summary = analyse::summarise(**profile);
    ASSERT_TRUE(summary);
    const exports::Page page = exports::report_page(*summary);
    const auto ipus = std::find_if(page.sections.begin(), page.sections.end(),
                                   [](const auto& section) { return section.name == "ipus"; });
    ASSERT_NE(ipus, page.sections.end());
    const exports::PageTable& table = ipus->tables.at(0);
    EXPECT_EQ(table.header.at(2), "stages");
    EXPECT_EQ(table.rows.at(0).at(2), "0, 2");
    EXPECT_EQ(table.rows.at(1).at(2), "1");
}
