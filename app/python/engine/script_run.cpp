// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/engine/script_run.h"

#include "app/python/engine/failure.h"
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

Result<ScriptRun::Profile*> ScriptRun::profile_of(const prepare::PreparedJob& job) {
    const bool beside = of_ipus_ && !job.job.on_ipu && !(main_.recorder && main_.of_host);
    Profile& made = beside ? host_ : main_;
    if (made.recorder) {
        if (job.job.on_ipu && made.of_host)
            notes_("note",
                   "the profile is of this computer's processor, on which the first program ran, and has "
                   "no times of IPUs; configure them before it, and it is of them");
        return &made;
    }
    made.run = prepare::run_record(job.workload, job, job_options());
    made.run.tool_version = app::version;
    made.run.name = std::filesystem::path(settings_.script).stem().string();
    made.run.workload_path = settings_.script;
    made.of_host = !job.job.on_ipu;
    using profile::Recorder;
    const bool replaces = settings_.overwrite || beside;
    TRY(made.recorder, Recorder::create(beside ? settings_.output + ".host" : settings_.output, made.run,
                                        replaces ? Recorder::Existing::Overwrite : Recorder::Existing::Keep));
    prepare::record_system(job, *made.recorder);
    made.recording =
        std::make_unique<run::Recording>(registry_, made.run, *made.recorder, *this, cancel_, job.job.epochs);
    if (job.job.on_ipu)
        for (std::size_t i = 0; i < job.devices.size(); ++i) {
            const std::string attached = prepare::attach_message(i, job.devices[i]);
            made.recording->tell(attached);
            notes_("attached", attached);
        }
    return &made;
}

void ScriptRun::Profile::takes(Mode mode, std::optional<std::int64_t> batch_size) {
    if (!measured || mode < *measured)
        run.batch_size = batch_size;
    else if (mode == *measured && batch_size != run.batch_size)
        run.batch_size.reset();
    measured = std::min(mode, measured.value_or(mode));
}

void ScriptRun::compiling(const std::string& program, const std::string& pass, std::size_t number,
                          std::size_t count) {
    bars_.compiling(program, pass, number, count);
}

void ScriptRun::within_pass(const compile::WorkDone& progress) {
    bars_.within_pass(progress);
}

Result<void> ScriptRun::finish(const std::string& status, const std::string& error) {
    Result<void> ended = finish(main_, status, error);
    if (!host_.recorder)
        return ended;
    TRY(finish(host_, status, error));
    std::error_code failed;
    if (main_.recorder)
        std::filesystem::remove(host_.recorder->path(), failed);
    else
        std::filesystem::rename(host_.recorder->path(), settings_.output, failed);
    if (failed)
        return Failure(Error{ErrorKind::System, failed.message(), host_.recorder->path(), {}});
    return ended;
}

Result<void> ScriptRun::finish(Profile& of, const std::string& status, const std::string& error) {
    if (!of.recorder)
        return {};
    const auto ended = kind_or_throw<profile::RunStatus>(status);
    if (of.recording && profile::ran_to_its_end(ended)) // else it says where the run stood
        of.recording->progress(profile::RunActivity::Done, 0, 0, 0);
    const bool diverged =
        ended == profile::RunStatus::Complete && of.recording && of.recording->divergence().has_value();
    if (of.recording)
        of.recording->close(diverged ? profile::RunStatus::Diverged : ended);
    if (diverged)
        return of.recorder->finish(profile::RunStatus::Diverged,
                                   Error{ErrorKind::NotMet, *of.recording->divergence(), settings_.script,
                                         "set a lower rate of the optimizer, or scale the input"}
                                       .line());
    return of.recorder->finish(ended, error);
}

} // namespace tilescope::python
