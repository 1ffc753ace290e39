// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/program.h"

#include "app/python/engine/arrays.h"
#include "app/python/engine/failure.h"
#include "base/try.h"
#include "graph/update.h"
#include "run/training_step.h"

#include <limits>
#include <pybind11/pybind11.h>

namespace tilescope::python {
namespace {

namespace py = pybind11;

const char* name_of(Mode mode) {
    switch (mode) {
    case Mode::Train:
        return "training";
    case Mode::Evaluate:
        return "evaluation";
    case Mode::Predict:
        break;
    }
    return "inference";
}

} // namespace

Result<std::unique_ptr<Program>> Program::load(ScriptRun& script, prepare::PreparedJob prepared,
                                               graph::Graph graph, Mode mode,
                                               std::shared_ptr<run::Weights> weights,
                                               const std::set<std::string>& dealt_out) {
    TRY(ScriptRun::Profile* const recorded, script.profile_of(prepared));
    run::Recording* const recording = recorded->recording.get();
    run::Job& job = prepared.job;
    const std::int64_t number = ++recorded->programs;
    recorded->takes(mode, prepared.batch_size);
    TRY(auto compiled,
        recording->compiled(std::move(graph), name_of(mode),
                            mode == Mode::Train ? run::training_options(job) : run::evaluation_options(job),
                            std::move(job.compiled)));
    std::unique_ptr<Program> program(new Program(script, *recording, std::move(compiled), mode, job.on_ipu,
                                                 std::move(weights), dealt_out));
    recording->log(profile::Severity::Info, "program " + std::to_string(number) + ": " + name_of(mode) +
                                                " of " + prepared.workload.name + ", executions from " +
                                                std::to_string(recording->last_execution() + 1) + " on");
    program->seed_ = job.seed;
    program->rounding_ = job.rounding;
    program->batch_size_ = job.batch_size;
    if (job.counts_on_ipu && mode == Mode::Train)
        program->clock_.swap_programs(program->executable());
    program->clock_.plan();
    return program;
}

Program::Program(ScriptRun& script, run::Recording& recording, run::DeviceProgram compiled, Mode mode,
                 bool on_ipu, std::shared_ptr<run::Weights> weights, const std::set<std::string>& dealt_out)
    : recording_(recording), compiled_(std::move(compiled)), mode_(mode), on_ipu_(on_ipu),
      weights_(std::move(weights)), clock_(compiled_, recording.recorder()) {
    if (!script.settings().estimate)
        executor_.emplace(executable().graph, script.registry(), script.pool(), *weights_,
                          schedule().replicas, dealt_out, schedule().batches_per_update() == 1);
}

profile::ExecutionKind Program::kind() const {
    switch (mode_) {
    case Mode::Train:
        return profile::ExecutionKind::Train;
    case Mode::Evaluate:
        return profile::ExecutionKind::Evaluate;
    case Mode::Predict:
        break;
    }
    return profile::ExecutionKind::Predict;
}

void Program::step(std::int64_t number, const std::vector<py::array>& feeds) {
    if (!executor_)
        return;
    if (feeds.size() != executable().graph.feeds.size())
        throw Thrown{Error{ErrorKind::BadInput,
                           "the program takes " + std::to_string(executable().graph.feeds.size()) +
                               " arrays, " + std::to_string(feeds.size()) + " are given",
                           executable().graph.name,
                           {}}};
    const std::int64_t lane = number % lanes();
    for (std::size_t i = 0; i < feeds.size(); ++i)
        copy_into(feeds[i], executor_->feed(i, static_cast<std::size_t>(lane)),
                  executable().graph.feeds[i].name);
    if (lane + 1 < lanes())
        return;
    const py::gil_scoped_release others_may_run;
    if (mode_ != Mode::Train) {
        // Layers that do not train have no operations that draw.
        std::vector<graph::RandomState> random;
        for (std::int64_t each = number - lane; each <= number; ++each)
            random.push_back({seed_, static_cast<std::uint64_t>(each), 0, true, rounding_});
        executor_->compute_lanes(random);
        keep_parts();
        executor_->update(random.front());
        return;
    }
    const run::TrainingStep now =
        run::training_step(number - lane, lane + 1, schedule(), batch_size_, seed_, rounding_);
    executor_->compute_lanes(now.random);
    keep_parts();
    if (now.ends_update)
        executor_->update(now.random.front());
    find_lost();
    steps_ += lane + 1;
}

void Program::find_lost() {
    for (std::size_t lane = 0; lane < executor_->lanes() && !lost_; ++lane) {
        const auto value = [&](std::size_t i) -> const graph::HostTensor& { return value_of(i, lane); };
        if (const graph::Fetch* loss = run::lost_loss(graph(), value); loss != nullptr)
            lost_ = {steps_ + static_cast<std::int64_t>(lane), loss->name};
    }
}

void Program::show(std::int64_t lane) {
    if (lane < 0 || lane >= lanes())
        throw Thrown{Error{ErrorKind::BadInput,
                           "there is no step " + std::to_string(lane) + " of " + std::to_string(lanes()) +
                               " that are computed at once",
                           executable().graph.name,
                           {}}};
    shown_ = static_cast<std::size_t>(lane);
}

/// Each replica's sums are its own, which here follow each other: the script adds them up.
void Program::keep_parts() {
    const graph::Graph& of = executable().graph;
    parts_.resize(executor_->lanes());
    for (std::size_t lane = 0; lane < parts_.size(); ++lane) {
        auto& parts = parts_[lane];
        parts.resize(of.fetches.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (const graph::Value& value = of.value(of.fetches[i].value);
                value.source == graph::Source::Operation)
                if (const graph::Operation& made = of.operation(value.producer);
                    graph::is_sum_for_the_host(made)) {
                    if (!parts[i])
                        parts[i].emplace(value.type);
                    operators::copy_values(executor_->of_micro_batch(made.inputs[0], lane), *parts[i]);
                }
    }
}

const graph::HostTensor& Program::value_of(std::size_t index, std::size_t lane) const {
    if (lane < parts_.size() && index < parts_[lane].size() && parts_[lane][index])
        return *parts_[lane][index];
    return executor_->fetched(index, lane);
}

py::array Program::fetched(std::size_t index) const {
    if (executor_)
        return array_of(value_of(index, shown_));
    graph::HostTensor unknown(executable().graph.type(executable().graph.fetches.at(index).value));
    for (std::int64_t i = 0; graph::is_floating(unknown.type().dtype) && i < unknown.elements(); ++i)
        unknown.set(i, std::numeric_limits<double>::quiet_NaN());
    return array_of(unknown);
}

bool Program::under_way(std::int64_t epoch, std::int64_t epochs, std::int64_t done, std::int64_t steps) {
    using Activity = profile::RunActivity;
    if (mode_ == Mode::Train) // an evaluation is a pass over its data, which is no epoch
        recording_.expect_epochs(epochs);
    const Activity activity = mode_ == Mode::Train      ? Activity::Train
                              : mode_ == Mode::Evaluate ? Activity::Evaluate
                                                        : Activity::Predict;
    return recording_.under_way(activity, epoch, done, steps);
}

void Program::metrics_within(std::int64_t epoch, std::int64_t done,
                             const std::vector<std::pair<std::string, double>>& metrics) {
    if (computes())
        recording_.metrics_within(epoch, done, metrics);
}

double Program::end_execution(std::int64_t epoch, std::int64_t first_step, std::int64_t steps,
                              const std::vector<std::pair<std::string, double>>& metrics) {
    value_or_throw(recording_.check());
    const std::int64_t wall_us = run::microseconds_since(begun_);
    profile::ExecutionRecord execution;
    execution.kind = kind();
    execution.epoch = epoch;
    execution.first_step = first_step;
    execution.steps = steps;
    execution.wall_us = wall_us;
    recording_.execution(on_ipu_ ? &clock_ : nullptr, execution);
    if (computes())
        for (const auto& [name, value] : metrics)
            recording_.recorder().add(profile::MetricRecord{recording_.last_execution(), name, value});
    if (lost_)
        recording_.note_divergence(lost_->second, epoch, first_step + lost_->first);
    lost_.reset();
    steps_ = 0;
    begun_ = run::WallClock::now();
    return on_ipu_ ? executable().target.seconds(clock_.execution_cycles())
                   : static_cast<double>(wall_us) * 1e-6;
}

double Program::repeat(std::int64_t epoch, std::int64_t epochs, std::int64_t first_step, std::int64_t steps,
                       std::int64_t count) {
    profile::ExecutionGroupRecord group;
    group.kind = kind();
    group.epoch = epoch;
    group.first_step = first_step;
    group.steps = steps;
    group.count = count;
    value_or_throw(recording_.executions(on_ipu_ ? &clock_ : nullptr, group, epochs, graph().name));
    begun_ = run::WallClock::now();
    return on_ipu_ ? executable().target.seconds(clock_.execution_cycles()) * static_cast<double>(count) *
                         static_cast<double>(epochs)
                   : 0;
}

void Program::end_epoch(std::int64_t epoch, const std::vector<std::pair<std::string, double>>& metrics) {
    if (!computes())
        return;
    for (const auto& [name, value] : metrics)
        recording_.recorder().add(profile::EpochMetricRecord{epoch, kind(), name, value});
}

} // namespace tilescope::python
