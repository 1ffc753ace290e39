// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/session.h"

#include "base/text.h"
#include "base/try.h"
#include "compile/record_executable.h"
#include "run/clock.h"
#include "run/executor.h"

#include <chrono>
#include <cmath>
#include <sstream>

namespace tilescope::run {
namespace {

using Wall = std::chrono::steady_clock;
using Metrics = std::vector<std::pair<std::string, double>>;
using profile::ExecutionKind;

std::int64_t microseconds_since(Wall::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Wall::now() - start).count();
}

/// A tensor as nested JSON arrays.
std::string values_json(const graph::HostTensor& tensor) {
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
                out << "null";
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

/// One run from compilation to the last evaluation.
class Session {
  public:
    Session(Job job, const graph::OperatorRegistry& registry, profile::RunRecord& run,
            profile::Recorder& recorder, Observer& observer, const CancelToken& cancel)
        : job_(std::move(job)), registry_(registry), run_(run), recorder_(recorder), observer_(observer),
          cancel_(cancel) {}

    Result<void> start() {
        log(profile::Severity::Info, "run of " + job_.name + " started");
        if (job_.once)
            return run_once();
        const bool trains = job_.train.has_value();
        const compile::Options evaluating = evaluation_options(job_);
        compile::Executable train;
        if (trains) {
            TRY(train, compiled(std::move(*job_.train), "training", training_options(job_), true));
        }
        compile::Executable evaluate;
        if (job_.evaluate) {
            TRY(evaluate, compiled(std::move(*job_.evaluate), trains ? "evaluation" : "inference", evaluating,
                                   !trains));
        }
        if (trains)
            TRY(train_epochs(train));
        if (job_.evaluate)
            TRY(evaluate_once(evaluate));
        progress(profile::RunActivity::Done, job_.epochs, 0, 0);
        if (diverged_)
            return Failure(*diverged_);
        return {};
    }

  private:
    void log(profile::Severity level, const std::string& message) {
        recorder_.add(profile::LogRecord{microseconds_since(start_) / 1000, level, message});
        observer_.note(profile::to_string(level), message);
    }

    void progress(profile::RunActivity activity, std::int64_t epoch, std::int64_t step, std::int64_t steps) {
        recorder_.set(profile::ProgressRecord{activity, epoch, job_.epochs, step, steps,
                                              microseconds_since(start_) / 1000});
    }

    Result<compile::Executable> compiled(graph::Graph graph, const std::string& what,
                                         const compile::Options& options, bool recorded) {
        TRY(auto executable, compile::compile(
                                 std::move(graph), registry_, options,
                                 [&](const std::string& pass, std::size_t number, std::size_t count) {
                                     observer_.compiling(what, pass, number, count);
                                     progress(profile::RunActivity::Compile, 0,
                                              static_cast<std::int64_t>(number),
                                              static_cast<std::int64_t>(count));
                                 },
                                 &cancel_));
        if (!executable.cache_note.empty()) {
            const bool warns = executable.cache_warning;
            recorder_.add(profile::LogRecord{microseconds_since(start_) / 1000,
                                             warns ? profile::Severity::Warning : profile::Severity::Info,
                                             executable.cache_note});
            observer_.note(warns ? "warning" : "note", executable.cache_note);
        }
        run_.compile_s += executable.compile_seconds;
        recorder_.update(run_);
        if (recorded) {
            compile::record(executable, registry_, recorder_);
            recorder_.flush();
        }
        if (!executable.fits())
            return Failure(compile::out_of_memory(executable));
        return executable;
    }

    void record_pipeline(const Clock& clock) {
        for (const profile::PipelineSlotRecord& slot : clock.pipeline_slots())
            recorder_.add(slot);
    }

    Result<void> check() const {
        if (const std::string failure = recorder_.failure(); !failure.empty())
            return system_failure("the profile cannot be written: " + failure);
        if (cancel_.cancelled())
            return cancelled();
        return {};
    }

    Result<void> run_once() {
        TRY(auto executable, compiled(std::move(*job_.once), "the graph", evaluation_options(job_), true));
        Clock clock(executable, recorder_, true);
        const auto begin = Wall::now();
        if (!job_.estimate) {
            Executor executor(executable.graph, registry_, pool_, weights_);
            for (std::size_t i = 0; i < job_.feeds.size(); ++i)
                executor.set_feed(i, job_.feeds[i]);
            executor.step({job_.seed, 0, 0, false});
            if (auto met = record_outputs(executable.graph, executor); !met)
                missed_ = met.error();
        }
        execution(clock, ExecutionKind::Predict, 0, 0, 1, microseconds_since(begin));
        progress(profile::RunActivity::Done, 0, 1, 1);
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
            recorder_.add(profile::OutputRecord{graph.fetches[i].name, graph::to_string(value.type().dtype),
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
                               "gives " + values_json(value) + ", expected " + values_json(expected->second),
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
        record.id = executions_++;
        record.kind = kind;
        record.epoch = epoch;
        record.first_step = first_step;
        record.steps = steps;
        record.wall_us = wall_us;
        if (!job_.on_ipu) { // the host's own time is all there is
            recorder_.add(record);
            return;
        }
        clock.start_at(now_);
        clock.execute(record);
        now_ = clock.now();
    }

    /// What is estimated repeats itself: all executions at once.
    Result<void> executions(Clock& clock, ExecutionKind kind, std::int64_t epochs,
                            std::int64_t steps_of_epoch, std::int64_t steps) {
        TRY(check());
        profile::ExecutionGroupRecord group;
        const std::int64_t of_epoch = (steps_of_epoch + steps - 1) / steps;
        if (of_epoch == 0)
            return {};
        group.id = executions_;
        group.count = std::min(epochs, profile::most_cycles / of_epoch) * of_epoch;
        group.kind = kind;
        group.executions_per_epoch = epochs > 1 ? of_epoch : 0;
        group.steps = steps;
        if (job_.on_ipu && group.count > (profile::most_cycles - now_) / clock.execution_cycles())
            return bad_input("the run would go on for years of simulated time: " + count_text(group.count) +
                                 " engine runs of " + count_text(clock.execution_cycles()) + " cycles each",
                             job_.name, "estimate fewer epochs; they are all alike");
        executions_ += group.count;
        if (!job_.on_ipu) {
            recorder_.add(group);
            return {};
        }
        clock.start_at(now_);
        clock.execute(group);
        now_ = clock.now();
        return {};
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
        progress(profile::RunActivity::Train, job_.epochs - 1, done, job_.steps_per_epoch);
        return {};
    }

    /// Samples of step `step` in an endless sequence of passes over the data.
    std::vector<std::int64_t> batch_of(std::int64_t step) {
        const std::int64_t n = job_.train_data->size();
        std::vector<std::int64_t> indices(static_cast<std::size_t>(job_.batch_size));
        for (std::int64_t i = 0; i < job_.batch_size; ++i) {
            const std::int64_t at = step * job_.batch_size + i;
            if (at / n != pass_) {
                pass_ = at / n;
                order_ = sample_order(n, job_.shuffle, job_.seed, pass_);
            }
            indices[static_cast<std::size_t>(i)] = order_[static_cast<std::size_t>(at % n)];
        }
        return indices;
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
        /// The first loss of the last step that is not a number; nullptr where all are.
        const graph::Fetch* lost(const graph::Graph& graph, const Executor& executor) const {
            for (const std::size_t i : fetches)
                if (graph.fetches[i].kind == graph::FetchKind::Loss &&
                    !std::isfinite(executor.fetched(i).at(0)))
                    return &graph.fetches[i];
            return nullptr;
        }
        void add(const Executor& executor) {
            ++steps;
            for (std::size_t i = 0; i < fetches.size(); ++i)
                sums[i].second += executor.fetched(fetches[i]).at(0);
        }
        Metrics means() const {
            Metrics result = sums;
            for (auto& [name, value] : result)
                value /= static_cast<double>(std::max<std::int64_t>(steps, 1));
            return result;
        }
    };

    /// One batch of one replica; the last one's of an update is followed by it. Masks are those that all the
    /// batches of the update would have as one.
    void train_step(Executor& executor, std::int64_t step) const {
        const std::int64_t batches = job_.training.batches_per_update();
        const std::int64_t number = step % batches;
        const graph::RandomState random{job_.seed, static_cast<std::uint64_t>(step / batches),
                                        number * job_.batch_size, true};
        executor.compute(random);
        if (number + 1 == batches)
            executor.update(random);
    }

    /// Once: what comes after a loss that is not a number is none either.
    void note_divergence(const std::string& loss, std::int64_t epoch, std::int64_t step) {
        if (diverged_)
            return;
        const std::string message = "training diverged: " + loss + " is not a number from step " +
                                    std::to_string(step + 1) + " of epoch " + std::to_string(epoch + 1) +
                                    " on";
        log(profile::Severity::Warning, message);
        run_.status = profile::RunStatus::Diverged;
        diverged_ = Error{ErrorKind::NotMet, message, job_.name,
                          "set a lower compile.optimizer.learning_rate, or scale the input"};
    }

    Result<void> train_epochs(const compile::Executable& executable) {
        Clock clock(executable, recorder_, true);
        if (job_.counts_on_ipu)
            clock.swap_programs(executable);
        record_pipeline(clock);
        const double device_us = job_.on_ipu ? executable.target.seconds(clock.execution_cycles()) * 1e6 /
                                                   static_cast<double>(job_.training.steps_per_execution)
                                             : 0;
        if (job_.estimate)
            return estimate_epochs(clock, device_us);
        Executor executor(executable.graph, registry_, pool_, weights_);
        std::int64_t global_step = 0;
        for (std::int64_t epoch = 0; epoch < job_.epochs; ++epoch) {
            observer_.epoch_started(epoch, job_.epochs, job_.steps_per_epoch);
            Means means(executable.graph);
            for (std::int64_t step = 0; step < job_.steps_per_epoch;
                 step += job_.training.steps_per_execution) {
                const auto begin = Wall::now();
                for (std::int64_t k = 0; k < job_.training.steps_per_execution; ++k, ++global_step) {
                    TRY(check());
                    gather(*job_.train_data, batch_of(global_step), executor.feed(0), executor.feed(1));
                    train_step(executor, global_step);
                    means.add(executor);
                    if (const graph::Fetch* loss = means.lost(executable.graph, executor); loss != nullptr)
                        note_divergence(loss->name, epoch, step + k);
                    if (k % 16 == 15)
                        observer_.steps_done(step + k + 1, job_.steps_per_epoch, device_us, means.means());
                }
                TRY(check());
                execution(clock, ExecutionKind::Train, epoch, step, job_.training.steps_per_execution,
                          microseconds_since(begin));
                const Metrics now = means.means();
                for (const auto& [name, value] : now)
                    recorder_.add(profile::MetricRecord{executions_ - 1, name, value});
                progress(profile::RunActivity::Train, epoch, step + job_.training.steps_per_execution,
                         job_.steps_per_epoch);
                observer_.steps_done(step + job_.training.steps_per_execution, job_.steps_per_epoch,
                                     device_us, now);
            }
            for (const auto& [name, value] : means.means())
                recorder_.add(profile::EpochMetricRecord{epoch, ExecutionKind::Train, name, value});
            observer_.epoch_ended();
        }
        return {};
    }

    void evaluate_step(Executor& executor, std::int64_t step) const {
        std::vector<std::int64_t> indices(static_cast<std::size_t>(job_.evaluate_batch_size));
        for (std::size_t i = 0; i < indices.size(); ++i)
            indices[i] = step * job_.evaluate_batch_size + static_cast<std::int64_t>(i);
        gather(*job_.evaluate_data, indices, executor.feed(0), executor.feed(1));
        executor.step({job_.seed, static_cast<std::uint64_t>(step), 0, false});
    }

    Result<void> evaluate_once(const compile::Executable& executable) {
        Clock clock(executable, recorder_, !job_.train);
        if (!job_.train)
            record_pipeline(clock);
        Means means(executable.graph);
        std::optional<Executor> executor;
        if (!job_.estimate && job_.evaluate_data)
            executor.emplace(executable.graph, registry_, pool_, weights_);
        const std::int64_t at_once = job_.evaluation.steps_per_execution;
        if (!executor) {
            const std::int64_t done = (job_.evaluate_steps + at_once - 1) / at_once * at_once;
            TRY(executions(clock, ExecutionKind::Evaluate, 1, job_.evaluate_steps, at_once));
            progress(profile::RunActivity::Evaluate, job_.epochs, done, job_.evaluate_steps);
            return {};
        }
        for (std::int64_t step = 0; step < job_.evaluate_steps; step += at_once) {
            const auto begin = Wall::now();
            for (std::int64_t k = step; k < step + at_once; ++k) {
                TRY(check());
                evaluate_step(*executor, k);
                means.add(*executor);
            }
            TRY(check());
            execution(clock, ExecutionKind::Evaluate, 0, step, at_once, microseconds_since(begin));
            progress(profile::RunActivity::Evaluate, job_.epochs, step + at_once, job_.evaluate_steps);
        }
        for (const auto& [name, value] : means.means())
            recorder_.add(profile::EpochMetricRecord{0, ExecutionKind::Evaluate, name, value});
        observer_.evaluated(means.means());
        return {};
    }

    Job job_;
    const graph::OperatorRegistry& registry_;
    profile::RunRecord& run_;
    profile::Recorder& recorder_;
    Observer& observer_;
    const CancelToken& cancel_;
    WorkerPool pool_;
    Weights weights_;
    Wall::time_point start_ = Wall::now();
    std::int64_t executions_ = 0;
    std::int64_t now_ = 0;
    std::int64_t pass_ = -1;
    std::vector<std::int64_t> order_;
    std::optional<Error> missed_;
    std::optional<Error> diverged_;
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
            .attachment = job.attachment};
}

compile::Options evaluation_options(const Job& job) {
    compile::Options options = training_options(job);
    options.schedule = job.evaluation;
    if (job.train)
        options.dump_directory.clear();
    return options;
}

Result<void> run_job(Job job, const graph::OperatorRegistry& registry, profile::RunRecord& run,
                     profile::Recorder& recorder, Observer& observer, const CancelToken& cancel) {
    return Session(std::move(job), registry, run, recorder, observer, cancel).start();
}

} // namespace tilescope::run
