// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/session.h"

#include "base/step_time.h"
#include "base/text.h"
#include "base/try.h"
#include "run/clock.h"
#include "run/executor.h"
#include "run/recording.h"
#include "run/training_step.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <utility>

namespace tilescope::run {
namespace {

using Metrics = std::vector<std::pair<std::string, double>>;
using profile::ExecutionKind;

/// A tensor as nested arrays, in which `other` is what stands for a value that is no finite number.
std::string values_in(const graph::HostTensor& tensor, const std::function<std::string(double)>& other) {
    std::ostringstream out;
    out.precision(9);
    const auto& shape = tensor.shape();
    std::int64_t at = 0;
    const auto write = [&](const auto& self, std::size_t d) -> void {
        if (d == shape.size()) {
            const double value = tensor.at(at++);
            if (tensor.type().dtype == graph::DType::Bool)
                out << (value != 0 ? "true" : "false");
            else if (std::isfinite(value))
                out << value;
            else
                out << other(value);
            return;
        }
        out << '[';
        for (std::int64_t i = 0; i < shape[d]; ++i) {
            out << (i == 0 ? "" : ", ");
            self(self, d + 1);
        }
        out << ']';
    };
    write(write, 0);
    return out.str();
}

/// As JSON, which knows no other numbers.
std::string values_json(const graph::HostTensor& tensor) {
    return values_in(tensor, [](double) { return "null"; });
}

/// For a sentence.
std::string values_text(const graph::HostTensor& tensor) {
    return values_in(tensor, [](double value) { return number_text(value); });
}

/// "epoch 1 of 3: loss 1.6034, accuracy 0.4471"
std::string metrics_text(const std::string& of, const Metrics& metrics) {
    std::string text = of;
    for (const auto& [name, value] : metrics)
        text += (&name == &metrics.front().first ? ": " : ", ") + name + " " + number_text(value);
    return text;
}

/// One run from compilation to the last evaluation.
class Session {
  public:
    Session(Job job, const graph::OperatorRegistry& registry, profile::RunRecord& run,
            profile::Recorder& recorder, Observer& observer, const CancelToken& cancel,
            WallClock::time_point start)
        : job_(std::move(job)), registry_(registry), run_(run), recorder_(recorder), observer_(observer),
          recording_(registry, run, recorder, observer, cancel, job_.epochs, start) {}

    Result<void> start() {
        recording_.log(profile::Severity::Info, "run of " + job_.name + " started");
        if (job_.once)
            return run_once();
        const bool trains = job_.train.has_value();
        const compile::Options evaluating = evaluation_options(job_);
        DeviceProgram train;
        if (trains) {
            TRY(train, recording_.compiled(std::move(*job_.train), "training", training_options(job_),
                                           std::exchange(job_.compiled, std::nullopt)));
        }
        DeviceProgram evaluate;
        if (job_.evaluate) {
            TRY(evaluate, recording_.compiled(std::move(*job_.evaluate), trains ? "evaluation" : "inference",
                                              evaluating, std::exchange(job_.compiled, std::nullopt)));
        }
        if (trains)
            TRY(train_epochs(train));
        if (job_.evaluate)
            TRY(evaluate_once(evaluate));
        recording_.progress(profile::RunActivity::Done, job_.epochs, 0, 0);
        if (const auto& message = recording_.divergence()) {
            run_.status = profile::RunStatus::Diverged;
            return Failure(Error{ErrorKind::NotMet, *message, job_.name,
                                 "set a lower compile.optimizer.learning_rate, or scale the input"});
        }
        return {};
    }

  private:
    Result<void> run_once() {
        TRY(const auto program,
            recording_.compiled(std::move(*job_.once), "the graph", evaluation_options(job_)));
        const compile::Executable& executable = program.executable;
        Clock clock(program, recorder_);
        clock.plan();
        const auto begin = WallClock::now();
        if (!job_.estimate) {
            Executor executor(executable.graph, registry_, pool_, weights_);
            for (std::size_t i = 0; i < job_.feeds.size(); ++i)
                executor.set_feed(i, job_.feeds[i]);
            executor.step({job_.seed, 0, 0, false, job_.rounding});
            if (auto met = record_outputs(executable.graph, executor); !met)
                missed_ = met.error();
        }
        const std::int64_t took_us = microseconds_since(begin);
        execution(clock, ExecutionKind::Predict, 0, 0, 1, took_us);
        recording_.tell(
            "the graph: 1 engine run " +
            (job_.estimate ? "estimated" : "in " + time_text(static_cast<double>(took_us) * 1e-6)));
        recording_.progress(profile::RunActivity::Done, 0, 1, 1);
        if (missed_)
            return Failure(*missed_);
        return {};
    }

    /// Writes the fetched values beside those that the workload expects.
    Result<void> record_outputs(const graph::Graph& graph, const Executor& executor) {
        std::optional<Error> missed;
        for (std::size_t i = 0; i < graph.fetches.size(); ++i) {
            const graph::HostTensor& value = executor.fetched(i);
            const auto expected = job_.expected.find(graph.fetches[i].name);
            const bool known = expected != job_.expected.end();
            recorder_.add(profile::OutputRecord{graph.fetches[i].name, value.type().dtype,
                                                graph::to_string(value.shape()), values_json(value),
                                                known ? values_json(expected->second) : std::string()});
            if (!known)
                continue;
            bool equal = expected->second.shape() == value.shape();
            for (std::int64_t k = 0; equal && k < value.elements(); ++k) {
                const double want = expected->second.at(k);
                equal = std::fabs(value.at(k) - want) <= 1e-5 + 1e-5 * std::fabs(want);
            }
            if (!equal && !missed)
                missed = Error{ErrorKind::NotMet,
                               "gives " + values_text(value) + ", expected " + values_text(expected->second),
                               job_.name + ": " + graph.fetches[i].name,
                               {}};
        }
        if (missed)
            return Failure(std::move(*missed));
        return {};
    }

    void execution(Clock& clock, ExecutionKind kind, std::int64_t epoch, std::int64_t first_step,
                   std::int64_t steps, std::int64_t wall_us) {
        profile::ExecutionRecord record;
        record.kind = kind;
        record.epoch = epoch;
        record.first_step = first_step;
        record.steps = steps;
        record.wall_us = wall_us;
        recording_.execution(job_.on_ipu ? &clock : nullptr, record);
    }

    /// What is estimated repeats itself: all executions at once.
    Result<void> executions(Clock& clock, ExecutionKind kind, std::int64_t epochs,
                            std::int64_t steps_of_epoch, std::int64_t steps) {
        profile::ExecutionGroupRecord group;
        group.count = (steps_of_epoch + steps - 1) / steps;
        group.kind = kind;
        group.steps = steps;
        return recording_.executions(job_.on_ipu ? &clock : nullptr, group, epochs, job_.name);
    }

    Result<void> estimate_epochs(Clock& clock, double device_us) {
        const std::int64_t steps = job_.training.steps_per_execution;
        TRY(executions(clock, ExecutionKind::Train, job_.epochs, job_.steps_per_epoch, steps));
        const std::int64_t done = (job_.steps_per_epoch + steps - 1) / steps * steps;
        constexpr std::int64_t most_told = 100; // of the first epochs: the others are the same
        for (std::int64_t epoch = 0; epoch < std::min(job_.epochs, most_told); ++epoch) {
            observer_.epoch_started(epoch, job_.epochs, job_.steps_per_epoch);
            observer_.steps_done(done, job_.steps_per_epoch, device_us, {});
            observer_.epoch_ended();
        }
        recording_.progress(profile::RunActivity::Train, job_.epochs - 1, done, job_.steps_per_epoch);
        return {};
    }

    /// Samples of step `step` in an endless sequence of passes over the data.
    const std::vector<std::int64_t>& batch_of(std::int64_t step) {
        const std::int64_t n = job_.train_data->size();
        indices_.resize(static_cast<std::size_t>(job_.batch_size));
        for (std::int64_t i = 0; i < job_.batch_size; ++i) {
            const std::int64_t at = step * job_.batch_size + i;
            if (at / n != pass_) {
                pass_ = at / n;
                order_ = sample_order(n, job_.shuffle, job_.seed, pass_);
            }
            indices_[static_cast<std::size_t>(i)] = order_[static_cast<std::size_t>(at % n)];
        }
        return indices_;
    }

    /// Running means of the losses and metrics of a graph.
    struct Means {
        std::vector<std::size_t> fetches;
        Metrics sums;
        std::int64_t steps = 0;
        explicit Means(const graph::Graph& graph) {
            for (std::size_t i = 0; i < graph.fetches.size(); ++i)
                if (graph.fetches[i].kind != graph::FetchKind::Output) {
                    fetches.push_back(i);
                    sums.emplace_back(graph.fetches[i].name, 0.0);
                }
        }
        void add(const Executor& executor, std::size_t lane = 0) {
            ++steps;
            for (std::size_t i = 0; i < fetches.size(); ++i)
                sums[i].second += executor.fetched(fetches[i], lane).at(0);
        }
        Metrics means() const {
            Metrics result = sums;
            for (auto& [name, value] : result)
                value /= static_cast<double>(std::max<std::int64_t>(steps, 1));
            return result;
        }
    };

    /// One batch of one replica, or of each of a group that computes together; the last one's of an update is
    /// followed by it.
    void train_step(Executor& executor, std::int64_t step) {
        const auto lanes = static_cast<std::int64_t>(executor.lanes());
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            gather(*job_.train_data, batch_of(step + lane), executor.feed(0, static_cast<std::size_t>(lane)),
                   executor.feed(1, static_cast<std::size_t>(lane)));
        step_ = training_step(step, lanes, job_.training, job_.batch_size, job_.seed, job_.rounding,
                              std::move(step_));
        executor.compute_lanes(step_.random);
        if (step_.ends_update)
            executor.update(step_.random.front());
    }

    Result<void> train_epochs(const DeviceProgram& program) {
        const compile::Executable& executable = program.executable;
        Clock clock(program, recorder_);
        if (job_.counts_on_ipu)
            clock.swap_programs(executable);
        clock.plan();
        const double device_us = job_.on_ipu
                                     ? step_us(clock.execution_cycles(), job_.training.steps_per_execution,
                                               executable.target.clock_hz)
                                     : 0;
        if (job_.estimate)
            return estimate_epochs(clock, device_us);
        Executor executor(executable.graph, registry_, pool_, weights_, job_.training.replicas, {},
                          job_.training.batches_per_update() == 1);
        std::int64_t global_step = 0;
        for (std::int64_t epoch = 0; epoch < job_.epochs; ++epoch) {
            observer_.epoch_started(epoch, job_.epochs, job_.steps_per_epoch);
            Means means(executable.graph);
            for (std::int64_t step = 0; step < job_.steps_per_epoch;
                 step += job_.training.steps_per_execution) {
                const auto begin = WallClock::now();
                for (std::int64_t k = 0; k < job_.training.steps_per_execution;) {
                    TRY(recording_.check());
                    if (recording_.under_way(profile::RunActivity::Train, epoch, step + k,
                                             job_.steps_per_epoch) &&
                        k > 0)
                        recording_.metrics_within(epoch, step + k, means.means());
                    train_step(executor, global_step);
                    for (std::size_t lane = 0; lane < executor.lanes(); ++lane, ++k, ++global_step) {
                        means.add(executor, lane);
                        const auto value = [&](std::size_t i) -> const graph::HostTensor& {
                            return executor.fetched(i, lane);
                        };
                        if (const graph::Fetch* loss = lost_loss(executable.graph, value); loss != nullptr)
                            recording_.note_divergence(loss->name, epoch, step + k);
                        if (k % 16 == 15)
                            observer_.steps_done(step + k + 1, job_.steps_per_epoch, device_us,
                                                 means.means());
                    }
                }
                TRY(recording_.check());
                execution(clock, ExecutionKind::Train, epoch, step, job_.training.steps_per_execution,
                          microseconds_since(begin));
                const Metrics now = means.means();
                for (const auto& [name, value] : now)
                    recorder_.add(profile::MetricRecord{recording_.last_execution(), name, value});
                recording_.progress(profile::RunActivity::Train, epoch,
                                    step + job_.training.steps_per_execution, job_.steps_per_epoch);
                observer_.steps_done(step + job_.training.steps_per_execution, job_.steps_per_epoch,
                                     device_us, now);
            }
            const Metrics reached = means.means();
            for (const auto& [name, value] : reached)
                recorder_.add(profile::EpochMetricRecord{epoch, ExecutionKind::Train, name, value});
            recording_.tell(
                metrics_text("epoch " + count_text(epoch + 1) + " of " + count_text(job_.epochs), reached));
            observer_.epoch_ended();
        }
        return {};
    }

    void evaluate_step(Executor& executor, std::int64_t step) const {
        std::vector<std::int64_t> indices(static_cast<std::size_t>(job_.evaluate_batch_size));
        for (std::size_t i = 0; i < indices.size(); ++i)
            indices[i] = step * job_.evaluate_batch_size + static_cast<std::int64_t>(i);
        gather(*job_.evaluate_data, indices, executor.feed(0), executor.feed(1));
        executor.step({job_.seed, static_cast<std::uint64_t>(step), 0, false, job_.rounding});
    }

    Result<void> evaluate_once(const DeviceProgram& program) {
        const compile::Executable& executable = program.executable;
        Clock clock(program, recorder_);
        clock.plan();
        Means means(executable.graph);
        std::optional<Executor> executor;
        if (!job_.estimate && job_.evaluate_data)
            executor.emplace(executable.graph, registry_, pool_, weights_);
        const std::int64_t at_once = job_.evaluation.steps_per_execution;
        if (!executor) {
            const std::int64_t done = (job_.evaluate_steps + at_once - 1) / at_once * at_once;
            TRY(executions(clock, ExecutionKind::Evaluate, 1, job_.evaluate_steps, at_once));
            recording_.progress(profile::RunActivity::Evaluate, job_.epochs, done, job_.evaluate_steps);
            return {};
        }
        for (std::int64_t step = 0; step < job_.evaluate_steps; step += at_once) {
            const auto begin = WallClock::now();
            for (std::int64_t k = step; k < step + at_once; ++k) {
                TRY(recording_.check());
                recording_.under_way(profile::RunActivity::Evaluate, job_.epochs, k, job_.evaluate_steps);
                evaluate_step(*executor, k);
                means.add(*executor);
            }
            TRY(recording_.check());
            execution(clock, ExecutionKind::Evaluate, 0, step, at_once, microseconds_since(begin));
            recording_.progress(profile::RunActivity::Evaluate, job_.epochs, step + at_once,
                                job_.evaluate_steps);
        }
        for (const auto& [name, value] : means.means())
            recorder_.add(profile::EpochMetricRecord{0, ExecutionKind::Evaluate, name, value});
        recording_.tell(metrics_text("evaluated", means.means()));
        observer_.evaluated(means.means());
        return {};
    }

    Job job_;
    const graph::OperatorRegistry& registry_;
    profile::RunRecord& run_;
    profile::Recorder& recorder_;
    Observer& observer_;
    Recording recording_;
    WorkerPool pool_;
    Weights weights_;
    std::int64_t pass_ = -1;
    std::vector<std::int64_t> order_;
    std::vector<std::int64_t> indices_; ///< of a batch
    TrainingStep step_;
    std::optional<Error> missed_;
};

} // namespace

compile::Options training_options(const Job& job) {
    return {.target = job.target,
            .schedule = job.training,
            .planning = job.planning,
            .host_only = !job.on_ipu,
            .dump_directory = job.dump_directory,
            .cache_directory = job.cache_directory,
            .recompute = job.recompute,
            .recompute_parts = job.recompute_parts,
            .checkpoints = job.checkpoints,
            .recompute_piecewise = job.recompute_piecewise,
            .offload_state = job.offload_state,
            .offload_weights = job.offload_weights,
            .offload_activations = job.offload_activations,
            .shard_state = job.shard_state,
            .shard_weights = job.shard_weights,
            .most_merged = job.most_merged,
            .norm_replicas = job.norm_replicas,
            .io_tiles = job.io_tiles,
            .attachment = job.attachment};
}

compile::Options evaluation_options(const Job& job) {
    compile::Options options = training_options(job);
    options.schedule = job.evaluation;
    options.norm_replicas = 1; // running statistics, or those that a graph takes itself
    if (job.train)
        options.dump_directory.clear();
    return options;
}

Result<void> run_job(Job job, const graph::OperatorRegistry& registry, profile::RunRecord& run,
                     profile::Recorder& recorder, Observer& observer, const CancelToken& cancel,
                     WallClock::time_point start) {
    return Session(std::move(job), registry, run, recorder, observer, cancel, start).start();
}

} // namespace tilescope::run
