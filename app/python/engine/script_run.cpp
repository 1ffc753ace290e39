// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/script_run.h"

#include "app/version.h"
#include "base/try.h"
#include "prepare/attach_devices.h"
#include "prepare/record_run.h"

#include <filesystem>

namespace tilescope::python {

ScriptRun::ScriptRun(Settings settings, Notes notes)
    : settings_(std::move(settings)), notes_(std::move(notes)),
      bars_(settings_.bars ? app::progress_mode("auto") : app::ProgressMode::None, [] { return true; }) {}

Result<prepare::PreparedJob> ScriptRun::prepare(const std::string& document, bool trains,
                                                std::int64_t samples) {
    TRY(auto workload, workload::parse_workload(document, settings_.script, settings_.set));
    if (trains) {
        workload.train.emplace();
        workload.train->fed = true;
        workload.train->samples = samples;
    }
    return prepare::prepare_job(workload, registry_, job_options(), cancel_);
}

Result<prepare::PreparedJob> ScriptRun::prepare_graph(const std::string& document, graph::Graph graph,
                                                      program::Schedule schedule,
                                                      std::optional<std::int64_t> batch_size,
                                                      bool offload_activations) {
    TRY(auto workload, workload::parse_workload(document, settings_.script, settings_.set));
    workload.offload_activations = offload_activations;
    return prepare::prepare_graph(workload, std::move(graph), std::move(schedule), batch_size, job_options());
}

prepare::JobOptions ScriptRun::job_options() const {
    prepare::JobOptions options;
    options.data_folder = settings_.data_folder;
    options.estimate = settings_.estimate;
    options.cache_directory = settings_.cache;
    options.label = settings_.label;
    return options;
}

Result<run::Recording*> ScriptRun::recording(const prepare::PreparedJob& first) {
    if (recording_)
        return recording_.get();
    run_ = prepare::run_record(first.workload, first, job_options());
    run_.tool_version = app::version;
    run_.name = std::filesystem::path(settings_.script).stem().string();
    run_.workload_path = settings_.script;
    using profile::Recorder;
    TRY(recorder_,
        Recorder::create(settings_.output, run_,
                         settings_.overwrite ? Recorder::Existing::Overwrite : Recorder::Existing::Keep));
    prepare::record_system(first, *recorder_);
    recording_ =
        std::make_unique<run::Recording>(registry_, run_, *recorder_, *this, cancel_, first.job.epochs);
    if (first.job.on_ipu)
        for (std::size_t i = 0; i < first.devices.size(); ++i)
            recording_->log(profile::Severity::Info, prepare::attach_message(i, first.devices[i]));
    return recording_.get();
}

void ScriptRun::takes(Mode mode, std::optional<std::int64_t> batch_size) {
    if (!measured_ || mode < *measured_)
        run_.batch_size = batch_size;
    else if (mode == *measured_ && batch_size != run_.batch_size)
        run_.batch_size.reset();
    measured_ = std::min(mode, measured_.value_or(mode));
}

void ScriptRun::compiling(const std::string& program, const std::string& pass, std::size_t number,
                          std::size_t count) {
    bars_.compiling(program, pass, number, count);
}

void ScriptRun::within_pass(const compile::WorkDone& progress) {
    bars_.within_pass(progress);
}

Result<void> ScriptRun::finish(const std::string& status, const std::string& error) {
    if (!recorder_)
        return {};
    const auto ended = profile::parse<profile::RunStatus>(status).value_or(profile::RunStatus::Failed);
    if (recording_ && profile::ran_to_its_end(ended)) // else it says where the run stood
        recording_->progress(profile::RunActivity::Done, 0, 0, 0);
    const bool diverged =
        ended == profile::RunStatus::Complete && recording_ && recording_->divergence().has_value();
    if (recording_)
        recording_->close(diverged ? profile::RunStatus::Diverged : ended);
    if (diverged)
        return recorder_->finish(profile::RunStatus::Diverged,
                                 Error{ErrorKind::NotMet, *recording_->divergence(), settings_.script,
                                       "set a lower rate of the optimizer, or scale the input"}
                                     .line());
    return recorder_->finish(ended, error);
}

} // namespace tilescope::python
