// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/recording.h"

#include "base/text.h"
#include "base/try.h"
#include "compile/discard.h"
#include "compile/record_executable.h"
#include "graph/update.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::run {
namespace {

/// "training compiled in 2.40 s: 1,204 operations, 3,310 program steps": those that do something
std::string compiled_text(const std::string& what, const compile::Executable& executable) {
    const auto& steps = executable.program.steps;
    const auto leaves =
        std::count_if(steps.begin(), steps.end(), [](const auto& step) { return step.leaf(); });
    return what + " compiled in " + time_text(executable.compile_seconds) + ": " +
           counted_text(static_cast<std::int64_t>(executable.graph.operations().size()), "operation") + ", " +
           counted_text(leaves, "program step");
}

} // namespace

const graph::Fetch* lost_loss(const graph::Graph& graph,
                              const std::function<const graph::HostTensor&(std::size_t)>& value) {
    for (std::size_t i = 0; i < graph.fetches.size(); ++i) {
        if (graph.fetches[i].kind != graph::FetchKind::Loss)
            continue;
        const graph::HostTensor& loss = value(i);
        for (std::int64_t k = 0; k < loss.elements(); ++k)
            if (!std::isfinite(loss.at(k)))
                return &graph.fetches[i];
    }
    return nullptr;
}

void Recording::log(profile::Severity level, const std::string& message) {
    log_.add(level, message);
    observer_.note(profile::to_string(level), message);
}

void Recording::tell(const std::string& message) {
    log_.add(profile::Severity::Info, message);
}

void Recording::progress(profile::RunActivity activity, std::int64_t epoch, std::int64_t step,
                         std::int64_t steps, std::optional<double> pass_share) {
    recorder_.set(profile::ProgressRecord{activity, epoch, epochs_, step, steps,
                                          microseconds_since(log_.start()) / 1000, pass_share});
    told_ = WallClock::now();
    doing_ = activity;
    pass_ = step;
    passes_ = steps;
}

bool Recording::under_way(profile::RunActivity activity, std::int64_t epoch, std::int64_t step,
                          std::int64_t steps, std::optional<double> pass_share) {
    constexpr std::int64_t apart_us = 250'000;
    if (activity == doing_ && microseconds_since(told_) < apart_us)
        return false;
    progress(activity, epoch, step, steps, pass_share);
    return true;
}

void Recording::metrics_within(std::int64_t epoch, std::int64_t step,
                               const std::vector<std::pair<std::string, double>>& metrics) {
    constexpr std::int64_t most_of_time = 1000;
    if (microseconds_since(noted_) < microseconds_since(log_.start()) / most_of_time)
        return;
    noted_ = WallClock::now();
    for (const auto& [name, value] : metrics)
        recorder_.add(profile::MetricWithinRecord{executions_, epoch, step, name, value});
}

void Recording::note_divergence(const std::string& loss, std::int64_t epoch, std::int64_t step) {
    if (divergence_)
        return;
    divergence_ = "training diverged: " + loss + " is not a number from step " + std::to_string(step + 1) +
                  " of epoch " + std::to_string(epoch + 1) + " on";
    log(profile::Severity::Warning, *divergence_);
}

compile::WithinPass Recording::within() {
    return [this](const compile::WorkDone& done) {
        observer_.within_pass(done);
        if (done.work != compile::Work::Record && done.count > 0)
            under_way(profile::RunActivity::Compile, 0, pass_, passes_,
                      static_cast<double>(done.done) / static_cast<double>(done.count));
    };
}

Result<DeviceProgram> Recording::recorded(compile::Executable executable, const std::string& what) {
    const bool steps = !executable.program.steps.empty();
    const profile::DeviceProgramRecord record{programs_,
                                              what,
                                              steps ? steps_ : -1,
                                              graph::updates_weights(executable.graph),
                                              executable.program.io_tiles,
                                              executable.cache_use,
                                              executable.cache_key};
    recorder_.listen(&cancel_);
    recorder_.add(record);
    if (programs_ == 0) {
        compile::record(executable, registry_, recorder_, &cancel_, within());
        for (const graph::Operation& op : executable.graph.operations())
            operations_.try_emplace(op.name, op.id.value);
    } else {
        compile::record_steps(executable, record, operations_, recorder_, &cancel_);
    }
    recorder_.listen(nullptr);
    if (auto checked = check(); !checked) {
        compile::discard(std::move(executable));
        return Failure(std::move(checked.error()));
    }
    ++programs_;
    steps_ += static_cast<std::int64_t>(executable.program.steps.size());
    recorder_.flush(&cancel_);
    return DeviceProgram{std::move(executable), record.id, record.root_id};
}

Result<compile::Executable> Recording::compile_now(graph::Graph graph, const std::string& what,
                                                   const compile::Options& options) {
    compile::Options told = options;
    told.within = within();
    return compile::compile(
        std::move(graph), registry_, told,
        [&](const std::string& pass, std::size_t number, std::size_t count) {
            observer_.compiling(what, pass, number, count);
            progress(profile::RunActivity::Compile, 0, static_cast<std::int64_t>(number),
                     static_cast<std::int64_t>(count));
        },
        &cancel_);
}

Result<DeviceProgram> Recording::compiled(graph::Graph graph, const std::string& what,
                                          const compile::Options& options,
                                          std::optional<compile::Executable> before) {
    if (!before) {
        TRY(before, compile_now(std::move(graph), what, options));
    }
    compile::Executable& executable = *before;
    std::vector<std::pair<std::string, std::string>> notes;
    if (!executable.cache_note.empty()) {
        const bool warns = executable.cache_warning;
        log_.add(warns ? profile::Severity::Warning : profile::Severity::Info, executable.cache_note);
        notes.emplace_back(warns ? "warning" : "note", executable.cache_note);
    }
    if (const auto placed =
            compile::place_io(executable.graph, options.target, options.schedule, options.io_tiles);
        !options.host_only && !placed.note.empty()) {
        log_.add(profile::Severity::Warning, what + ": " + placed.note);
        notes.emplace_back("warning", what + ": " + placed.note);
    }
    run_.compile_s += executable.compile_seconds;
    recorder_.update(run_);
    TRY(auto program, recorded(std::move(executable), what));
    tell(compiled_text(what, program.executable));
    observer_.compiled(what);
    for (const auto& [level, note] : notes) // not into the line of a bar
        observer_.note(level, note);
    if (!program.executable.fits()) {
        Clock(program, recorder_).plan(); // what it would do, without other programs between engine runs
        return Failure(compile::out_of_memory(program.executable));
    }
    return program;
}

Result<void> Recording::check() const {
    if (const std::string failure = recorder_.failure(); !failure.empty())
        return system_failure("the profile cannot be written: " + failure);
    if (cancel_.cancelled())
        return cancelled();
    return {};
}

void Recording::execution(Clock* clock, profile::ExecutionRecord execution) {
    execution.id = executions_++;
    if (clock == nullptr) {
        recorder_.add(execution);
        return;
    }
    clock->start_at(now_);
    clock->execute(execution);
    now_ = clock->now();
}

Result<void> Recording::executions(Clock* clock, profile::ExecutionGroupRecord group, std::int64_t epochs,
                                   const std::string& place) {
    TRY(check());
    if (group.count == 0)
        return {};
    group.executions_per_epoch = epochs > 1 ? group.count : 0;
    group.count *= std::min(epochs, profile::most_cycles / group.count);
    if (clock != nullptr && group.count > (profile::most_cycles - now_) / clock->execution_cycles())
        return bad_input("the run would go on for years of simulated time: " + count_text(group.count) +
                             " engine runs of " + count_text(clock->execution_cycles()) + " cycles each",
                         place, "estimate fewer epochs; they are all alike");
    group.id = executions_;
    executions_ += group.count;
    if (clock == nullptr) {
        recorder_.add(group);
        return {};
    }
    clock->start_at(now_);
    clock->execute(group);
    now_ = clock->now();
    return {};
}

} // namespace tilescope::run
