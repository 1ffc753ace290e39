// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "base/text.h"
#include "build_paths.h"
#include "compile/compiler.h"
#include "graph/builder.h"
#include "prepare/job.h"
#include "profile/profile.h"
#include "run/session.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/core/run/run_into.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <thread>

using namespace tilescope;

namespace {

using test::registry;

/// Keeps what a run says; cancels it after a number of steps where asked.
class Witness : public run::Observer {
  public:
    CancelToken cancel;
    std::int64_t cancel_after = -1;
    std::vector<std::pair<std::string, double>> last, evaluation;
    std::vector<double> losses;

    void steps_done(std::int64_t done, std::int64_t, double,
                    const std::vector<std::pair<std::string, double>>& metrics) override {
        last = metrics;
        if (!metrics.empty())
            losses.push_back(metrics.front().second);
        if (cancel_after >= 0 && done >= cancel_after)
            cancel.cancel();
    }
    void evaluated(const std::vector<std::pair<std::string, double>>& metrics) override {
        evaluation = metrics;
    }
};

/// The Keras tutorial's CNN on synthetic digits.
run::Job cnn(std::int64_t samples, std::int64_t epochs, std::int64_t steps_per_execution,
             workload::Overrides overrides = {}) {
    overrides.push_back(R"(data.train={"synthetic": true, "one_hot": 10, "samples": )" +
                        std::to_string(samples) + "}");
    overrides.push_back(R"(data.evaluate={"synthetic": true, "one_hot": 10, "samples": 1024})");
    overrides.push_back("fit.epochs=" + std::to_string(epochs));
    overrides.push_back("compile.steps_per_execution=" + std::to_string(steps_per_execution));
    const auto workload =
        workload::read_workload(TILESCOPE_SOURCE_DIR "/samples/keras_mnist_faster.json", overrides);
    EXPECT_TRUE(workload) << workload.error().line();
    auto prepared = prepare::prepare_job(*workload, registry(), {}, CancelToken());
    EXPECT_TRUE(prepared) << prepared.error().line();
    return std::move(prepared->job);
}

struct Outcome {
    Result<void> result;
    std::unique_ptr<profile::Profile> profile;
};

Outcome run_it(run::Job job, Witness& witness, const std::string& path) {
    auto result =
        test::run_into(path, std::move(job), witness, witness.cancel, profile::RunStatus::Cancelled);
    return {std::move(result), std::move(*profile::Profile::open(path))};
}

double metric(const std::vector<std::pair<std::string, double>>& metrics, const std::string& name) {
    for (const auto& [key, value] : metrics)
        if (key == name)
            return value;
    ADD_FAILURE() << "no " << name;
    return 0;
}

} // namespace

TEST(Session, TheSyntheticDigitsAreLearntButNotInOneBatch) {
    tests::TemporaryFolder folder;
    Witness witness;
    const auto outcome =
        run_it(cnn(12800, 2, 1, {R"(compile.optimizer={"name": "adam"})"}), witness, folder / "a.tilescope");
    ASSERT_TRUE(outcome.result) << outcome.result.error().line();
    EXPECT_GE(metric(witness.evaluation, "accuracy"), 0.95);
    EXPECT_GT(witness.losses.front(), 2.0); // ln 10 = 2.30 before anything is learnt
    std::vector<std::string> told;
    const auto log = outcome.profile->log();
    ASSERT_TRUE(log);
    for (const auto& line : *log)
        told.push_back(line.message);
    ASSERT_EQ(told.size(), 6U) << "started, both compiled, two epochs, evaluated";
    EXPECT_TRUE(told[1].starts_with("training compiled in ")) << told[1];
    const auto steps = outcome.profile->program();
    ASSERT_TRUE(steps);
    const auto leaves = std::count_if(steps->begin(), steps->end(), [](const profile::ProgramRecord& step) {
        return step.kind != StepKind::Sequence && step.kind != StepKind::Repeat;
    });
    EXPECT_LT(leaves, static_cast<std::ptrdiff_t>(steps->size()));
    EXPECT_TRUE(told[1].ends_with(", " + count_text(leaves) + " program steps")) << told[1];
    EXPECT_TRUE(told[3].starts_with("epoch 1 of 2: loss ")) << told[3];
    EXPECT_TRUE(told[4].starts_with("epoch 2 of 2: loss ")) << told[4];
    EXPECT_EQ(told[5], "evaluated: loss " + number_text(metric(witness.evaluation, "loss")) + ", accuracy " +
                           number_text(metric(witness.evaluation, "accuracy")));
    EXPECT_GE(log->back().time_ms, (*log)[3].time_ms) << "each when it was";
}

// One engine run of a hundred steps: the file says that it trains while it does.
TEST(Session, AFileTellsTheStepWithinAnEngineRun) {
    class Reader : public Witness {
      public:
        explicit Reader(std::string file) : path(std::move(file)) {}
        void steps_done(std::int64_t done, std::int64_t steps, double us,
                        const std::vector<std::pair<std::string, double>>& metrics) override {
            Witness::steps_done(done, steps, us, metrics);
            if (done != 64)
                return;
            const auto file = profile::Profile::follow(path);
            ASSERT_TRUE(file) << file.error().line();
            const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (std::chrono::steady_clock::now() < until) {
                const auto now = (*file)->progress();
                ASSERT_TRUE(now);
                told = *now;
                if (told.activity == profile::RunActivity::Train)
                    return;
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
        }
        std::string path;
        profile::ProgressRecord told;
    };
    const tests::TemporaryFolder folder;
    Reader reader(folder / "a.tilescope");
    ASSERT_TRUE(run_it(cnn(6400, 1, 100), reader, folder / "a.tilescope").result);
    EXPECT_EQ(reader.told.activity, profile::RunActivity::Train);
    EXPECT_LT(reader.told.step, 64);
    EXPECT_EQ(reader.told.steps, 100);
}

TEST(Session, TheSameSeedGivesTheSameLossesAndCyclesWhateverTheExecutions) {
    tests::TemporaryFolder folder;
    Witness a, b, c;
    const auto first = run_it(cnn(640, 1, 5), a, folder / "a.tilescope");
    const auto again = run_it(cnn(640, 1, 5), b, folder / "b.tilescope");
    run_it(cnn(640, 1, 1), c, folder / "c.tilescope");
    EXPECT_EQ(a.last, b.last);
    EXPECT_EQ(a.evaluation, b.evaluation);
    EXPECT_EQ(a.evaluation, c.evaluation); // device-side loops change the time, not the numbers
    EXPECT_EQ(first.profile->phase_cycles()->total(), again.profile->phase_cycles()->total());
    run::Job other = cnn(640, 1, 5);
    other.seed = 2;
    Witness d;
    run_it(std::move(other), d, folder / "d.tilescope");
    EXPECT_NE(a.last, d.last);
}

TEST(Session, TheTimeLineIsTheSumOfItsStepsAndExecutionsFollowEachOther) {
    tests::TemporaryFolder folder;
    Witness witness;
    run::Job job = cnn(640, 1, 5);
    const auto outcome = run_it(std::move(job), witness, folder / "a.tilescope");
    const auto executions = *outcome.profile->executions();
    ASSERT_EQ(executions.size(), 2U + 4U); // evaluation: 16 steps, as many of up to 5 at once as divide them
    for (std::size_t i = 1; i < executions.size(); ++i)
        EXPECT_EQ(executions[i].start_cycle, executions[i - 1].start_cycle + executions[i - 1].cycles);
    const auto schedules = *outcome.profile->schedule_ipus();
    for (const auto& e : executions) {
        const auto& c = schedules.at(static_cast<std::size_t>(e.schedule_id));
        EXPECT_EQ(e.cycles, c.compute + c.exchange + c.sync + c.inter_ipu + c.host + c.waiting);
    }
    EXPECT_EQ(outcome.profile->execution_groups()->size(), 2U) << "training is alike, and evaluation";
}

// What the IPU does while it evaluates beside training: steps that it knows by name, in all their cycles.
TEST(Session, AnEvaluationBesideTrainingIsTracedAndLeavesTheFiguresOfTrainingAlone) {
    tests::TemporaryFolder folder;
    Witness both_witness;
    Witness one_witness;
    const auto both = run_it(cnn(640, 1, 5), both_witness, folder / "a.tilescope");
    run::Job training = cnn(640, 1, 5);
    training.evaluate.reset();
    const auto one = run_it(std::move(training), one_witness, folder / "b.tilescope");
    const profile::Profile& file = *both.profile;
    const auto programs = file.device_programs().value();
    ASSERT_EQ(programs.size(), 2U);
    EXPECT_EQ(programs[1].name, "evaluation");
    EXPECT_EQ(programs[1].root_id, static_cast<std::int64_t>(file.program()->size()));
    std::map<std::int64_t, profile::FurtherStepRecord> steps;
    const auto further = file.further_steps().value();
    for (const profile::FurtherStepRecord& step : further)
        steps[step.id] = step;
    const auto executions = *file.executions();
    ASSERT_EQ(executions.back().kind, profile::ExecutionKind::Evaluate);
    for (const profile::ExecutionRecord& e : executions) {
        const bool evaluates = e.kind == profile::ExecutionKind::Evaluate;
        const auto totals = *file.trace_totals(0, e.start_cycle, e.start_cycle + e.cycles);
        std::int64_t cycles = 0;
        std::int64_t known = 0;
        for (const profile::TraceTotal& total : totals) {
            EXPECT_NE(total.of, profile::TraceTotal::Of::Untraced);
            cycles += total.cycles.total();
            EXPECT_EQ(total.program_id >= 0 && evaluates, steps.contains(total.program_id));
            known += total.operation_id >= 0 ? total.cycles.compute : 0;
        }
        EXPECT_EQ(cycles, e.cycles);
        const auto phases = file.schedule_ipus()->at(static_cast<std::size_t>(e.schedule_id));
        EXPECT_GT(known, phases.compute / 2) << "cycles of operations that the graph of training has, too";
    }
    const auto rows = [](const profile::Profile& of, const std::string& sql) {
        std::vector<std::string> texts;
        const auto result = of.query(sql).value();
        for (const auto& row : result.rows)
            for (const profile::QueryCell& cell : row)
                texts.push_back(cell.text.value_or("NULL"));
        return texts;
    };
    for (const char* sql :
         {"SELECT * FROM program", "SELECT * FROM operation_cost", "SELECT * FROM variable",
          "SELECT * FROM liveness", "SELECT * FROM trace WHERE execution_id < 2 ORDER BY ipu, start_cycle"})
        EXPECT_EQ(rows(file, sql), rows(*one.profile, sql)) << sql;
    EXPECT_EQ(file.phase_cycles(profile::ExecutionKind::Train)->total(),
              one.profile->phase_cycles(profile::ExecutionKind::Train)->total());
}

// The log begins a minute before: as where the run began with what came before the job.
TEST(Session, AGraphTellsItsCompilationAndItsRun) {
    tests::TemporaryFolder folder;
    graph::Graph graph;
    graph::Builder build(graph, registry());
    const auto x = build.feed("x", {graph::DType::Float32, {4}}).value();
    build.fetch("y", build.emit("relu", {x}, {}, "positive").value());
    run::Job job;
    job.name = "small";
    job.once = graph;
    job.feeds.emplace_back(graph::TensorType{graph::DType::Float32, {4}});
    job.target = *ipu::find_target("ipu2");
    profile::RunRecord record;
    record.name = "small";
    auto recorder = profile::Recorder::create(folder / "a.tilescope", record);
    ASSERT_TRUE(recorder);
    (*recorder)->add(profile::IpuRecord{0, 0, "", 0, 0});
    Witness witness;
    const auto began = run::WallClock::now() - std::chrono::minutes(1);
    ASSERT_TRUE(run::run_job(std::move(job), registry(), record, **recorder, witness, CancelToken(), began));
    run::Log(**recorder, began).close("small", profile::RunStatus::Failed);
    ASSERT_TRUE((*recorder)->finish(profile::RunStatus::Failed));
    const auto log = *(*profile::Profile::open(folder / "a.tilescope"))->log();
    ASSERT_EQ(log.size(), 4U);
    EXPECT_EQ(log[0].message, "run of small started");
    EXPECT_TRUE(log[1].message.starts_with("the graph compiled in ")) << log[1].message;
    EXPECT_TRUE(log[2].message.starts_with("the graph: 1 engine run in ")) << log[2].message;
    EXPECT_EQ(log[3].message, "run of small ended: failed");
    EXPECT_EQ(log[3].level, profile::Severity::Error);
    for (const auto& line : log)
        EXPECT_GE(line.time_ms, 60'000) << line.message;
}

TEST(Session, SerialPartsOfAProductRunOneAfterAnother) {
    tests::TemporaryFolder folder;
    Witness witness;
    const auto& registered = registry();
    graph::Graph graph;
    graph::Builder build(graph, registered);
    const auto x = build.feed("x", {graph::DType::Float32, {2048, 2048}}).value();
    const auto w = build.feed("w", {graph::DType::Float32, {2048, 2048}}).value();
    build.fetch("y", build.emit("matmul", {x, w}, {}, "product").value());
    run::Job job;
    job.name = "product";
    job.once = graph;
    job.estimate = true;
    job.target = *ipu::find_target("ipu2");
    job.planning.all.available_memory_proportion = 0.1;
    const auto outcome = run_it(std::move(job), witness, folder / "a.tilescope");
    ASSERT_TRUE(outcome.result) << outcome.result.error().line();
    std::int64_t repeats = 1;
    const auto program = *outcome.profile->program();
    for (const auto& step : program)
        if (step.kind == profile::StepKind::Repeat && step.operation_id >= 0)
            repeats = step.repeats;
    ASSERT_GT(repeats, 1);
    // The costs of the operation, the time line and the phases tell the same.
    const auto costs = analyse::Costs::read(*outcome.profile);
    ASSERT_TRUE(costs) << costs.error().line();
    const std::int64_t operation = outcome.profile->operations()->front().id;
    const profile::PhaseCycles cost = costs->operation(operation).cycles;
    std::int64_t traced = 0;
    const auto slices = *outcome.profile->trace_totals(0, 0, std::numeric_limits<std::int64_t>::max());
    for (const auto& slice : slices)
        for (const auto& step : program)
            if (step.id == slice.program_id && step.operation_id == operation)
                traced += slice.cycles.total();
    EXPECT_EQ(cost.total(), traced);
    EXPECT_GT(outcome.profile->phase_cycles()->compute, cost.compute - 1);
}

TEST(Session, CategoriesAndRegionsAddUpToEachTilesTotal) {
    tests::TemporaryFolder folder;
    Witness witness;
    run::Job job = cnn(640, 1, 5);
    job.estimate = true;
    const auto outcome = run_it(std::move(job), witness, folder / "a.tilescope");
    const auto values = [&](const std::string& entity, const std::string& metric) {
        return *outcome.profile->tile_values(entity, 0, 0, metric);
    };
    const std::vector<std::int64_t> total = values("memory", "total");
    ASSERT_EQ(total.size(), 1472U);
    std::vector<std::int64_t> categories(total.size(), 0);
    std::vector<std::int64_t> regions(total.size(), 0);
    const auto add = [](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& more) {
        for (std::size_t t = 0; t < to.size(); ++t)
            to[t] += more[t];
    };
    const auto found = *outcome.profile->memory_by_category();
    for (const auto& category : found) {
        add(categories, values("category:" + to_string(category.category), "always_live"));
        add(categories, values("category:" + to_string(category.category), "not_always_live"));
    }
    for (const char* region : {"non_interleaved", "interleaved", "overflowed"})
        add(regions, values("memory", region));
    EXPECT_EQ(categories, total);
    EXPECT_EQ(regions, total);
}

TEST(Session, CancellingKeepsWhatWasRecorded) {
    tests::TemporaryFolder folder;
    Witness witness;
    witness.cancel_after = 3;
    const auto outcome = run_it(cnn(640, 1, 1), witness, folder / "a.tilescope");
    ASSERT_FALSE(outcome.result);
    EXPECT_EQ(outcome.result.error().kind, ErrorKind::Cancelled);
    EXPECT_EQ(exit_code(ErrorKind::Cancelled), 5);
    EXPECT_EQ(outcome.profile->executions()->size(), 3U);
    EXPECT_FALSE(outcome.profile->program()->empty());
}

TEST(Session, AnEstimateHasCyclesButNoLosses) {
    tests::TemporaryFolder folder;
    Witness estimated, real;
    run::Job job = cnn(640, 1, 5);
    job.estimate = true;
    const auto estimate = run_it(std::move(job), estimated, folder / "a.tilescope");
    const auto run = run_it(cnn(640, 1, 5), real, folder / "b.tilescope");
    ASSERT_TRUE(estimate.result);
    EXPECT_TRUE(estimate.profile->epoch_metrics()->empty());
    EXPECT_EQ(estimate.profile->phase_cycles()->total(), run.profile->phase_cycles()->total());
}

TEST(Session, LossesMoveWithinAnExecution) {
    tests::TemporaryFolder folder;
    Witness stepwise, whole;
    const auto steps = run_it(cnn(6400, 1, 1), stepwise, folder / "a.tilescope");
    const auto once = run_it(cnn(6400, 1, 100), whole, folder / "b.tilescope");
    ASSERT_TRUE(once.result);
    std::map<std::int64_t, double> losses; // after so many steps, each of which was an execution
    const auto of_steps = *steps.profile->metric_history(1000);
    for (const auto& point : of_steps)
        if (point.name == "loss")
            losses[point.steps] = point.value;
    ASSERT_EQ(losses.size(), 100U);
    EXPECT_EQ(once.profile->execution_totals(profile::ExecutionKind::Train)->executions, 1);
    const auto points = *once.profile->metric_history(1000);
    std::int64_t before = 0;
    for (const auto& point : points)
        if (point.name == "loss") {
            EXPECT_GT(point.steps, before);
            before = point.steps;
            EXPECT_DOUBLE_EQ(point.value, losses.at(point.steps)) << "after step " << point.steps;
        }
    EXPECT_EQ(before, 100);
    EXPECT_GT(std::count_if(points.begin(), points.end(), [](const auto& p) { return p.name == "loss"; }), 1)
        << "a hundred steps of a convolution take more than a quarter of a second";
}

TEST(Session, AProgramThatDoesNotFitIsRecordedBeforeTheRunEnds) {
    tests::TemporaryFolder folder;
    Witness witness;
    run::Job job = cnn(640, 1, 5);
    ipu::TargetOverrides small;
    small.figures["tiles_per_ipu"] = 16;
    small.figures["bytes_per_tile"] = 16384;
    job.target = *ipu::find_target("ipu2", small);
    const auto outcome = run_it(std::move(job), witness, folder / "a.tilescope");
    ASSERT_FALSE(outcome.result);
    EXPECT_EQ(exit_code(outcome.result.error().kind), 4);
    EXPECT_FALSE(outcome.profile->oversize_tiles()->empty());
    EXPECT_FALSE(outcome.profile->variables()->empty());
}
