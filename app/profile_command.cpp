// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/dimensions.h"
#include "app/interrupt.h"
#include "app/number_checks.h"
#include "app/progress_bars.h"
#include "app/recording_options.h"
#include "app/version.h"
#include "base/host_memory.h"
#include "base/text.h"
#include "base/try.h"
#include "operators/operators.h"
#include "prepare/attach_devices.h"
#include "prepare/job.h"
#include "prepare/record_run.h"
#include "prepare/remedies.h"
#include "profile/writer_lock.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>

namespace tilescope::app {
namespace {

constexpr std::int64_t most_remedies = 12;

struct ProfileOptions {
    std::string workload;
    std::string output;
    std::vector<std::string> set;
    std::vector<std::string> shapes;
    std::string data;
    bool estimate = false;
    std::int64_t epochs = 0;
    std::int64_t batch = 0;
    std::string progress = "auto";
    std::int64_t seed = -1;
    std::string dump;
    RecordingOptions recording;
    std::int64_t remedies = most_remedies;
    bool no_remedies = false;
};

profile::RunStatus status_of(const Result<void>& done, const profile::RunRecord& run) {
    if (done || done.error().kind == ErrorKind::NotMet)
        return run.status == profile::RunStatus::Diverged ? run.status : profile::RunStatus::Complete;
    switch (done.error().kind) {
    case ErrorKind::Cancelled:
        return profile::RunStatus::Cancelled;
    case ErrorKind::OutOfMemory:
        return profile::RunStatus::OutOfMemory;
    default:
        return profile::RunStatus::Failed;
    }
}

/// "the model is cut before dense_1, dense_3"
std::string cut_text(const workload::Workload& workload) {
    std::map<std::int32_t, std::string> first;
    for (const auto& [layer, shard] : workload.shards)
        first[shard] = layer;
    std::string text;
    for (const auto& [shard, layer] : first)
        text += (text.empty() ? "the model is cut before " : ", ") + layer;
    return text;
}

/// In the profile's log, and on stderr.
void warn(const std::string& message, run::Log& log, ProgressBars& bars) {
    log.add(profile::Severity::Warning, message);
    bars.note("warning", message);
}

/// Tells why the program does not fit at once, then what comes of each change that may help, and adds that to
/// the error.
void look_for_remedies(const prepare::PreparedJob& prepared, const compile::Options& options,
                       const graph::OperatorRegistry& registry, std::int64_t most, Error& error,
                       profile::Recorder& recorder, run::Log& log, ProgressBars& bars) {
    if (most == 0)
        return;
    bars.note("note", error.line());
    bars.note("note", "compiling again to see what would help, " + count_text(most) +
                          " changes at most (Ctrl-C ends that, --no-remedies leaves it out)");
    const prepare::RemedySearch search{
        most,
        [&](const std::string& what, const std::string& pass, std::size_t number, std::size_t count) {
            bars.compiling(what, pass, number, count);
        },
        [&](const prepare::Remedy& remedy) {
            recorder.add(profile::RemedyRecord{remedy.change, remedy.ipus, remedy.highest_tile_bytes,
                                               remedy.fits, remedy.step_us, remedy.batch_size});
            bars.note("note", describe(remedy) + (remedy.fits ? " fits" : " is still too much"));
        }};
    const auto tried =
        prepare::try_remedies(prepared.workload, registry, options, search, cancelled_by_signals());
    if (tried.empty())
        return;
    error.remedy = prepare::describe(tried, options.target.bytes_per_tile);
    log.add(profile::Severity::Info, error.remedy);
}

/// What a run that ended early leaves behind, as part of its error's remedy.
void tell_what_is_left(Error& error, const std::string& output, const profile::Recorder& recorder) {
    if (recorder.beside())
        error.remedy += (error.remedy.empty() ? "" : "; ") + output +
                        " keeps its earlier profile, what this run recorded is in " + recorder.path();
    else if (error.kind == ErrorKind::Cancelled)
        error.remedy = "the file holds what was recorded until then";
}

Result<void> profile_workload(const ProfileOptions& o) {
    const CancelToken& cancel = cancelled_by_signals();
    std::vector<std::string> set = o.set;
    if (o.epochs > 0)
        set.push_back("fit.epochs=" + std::to_string(o.epochs));
    if (o.batch > 0)
        set.push_back("fit.batch_size=" + std::to_string(o.batch));
    if (o.seed >= 0)
        set.push_back("seed=" + std::to_string(o.seed));
    TRY(const auto dimensions, read_dimensions(o.shapes));
    TRY(auto workload, workload::read_workload(o.workload, set));
    for (const auto& [name, extent] : dimensions)
        workload.dimensions[name] = extent;
    const std::string output =
        o.output.empty() ? std::filesystem::path(o.workload).stem().string() + ".tilescope" : o.output;
    TRY(auto reserved, profile::reserve(output)); // before anything takes time
    const graph::OperatorRegistry registry = operators::standard_operators();
    prepare::JobOptions options;
    const char* from_environment = std::getenv("TILESCOPE_DATA");
    options.data_folder = !o.data.empty() ? o.data : from_environment != nullptr ? from_environment : "";
    options.estimate = o.estimate;
    options.dump_directory = o.dump;
    options.cache_directory = o.recording.cache;
    options.label = o.recording.label;
    std::unique_ptr<profile::Recorder> recorder;
    ProgressBars bars(progress_mode(o.progress), [&recorder] {
        if (recorder == nullptr) // nothing is to be recorded yet
            return true;
        recorder->flush();
        return recorder->failure().empty();
    });
    options.compiling = [&bars](const std::string& what, const std::string& pass, std::size_t number,
                                std::size_t count) { bars.compiling(what, pass, number, count); };
    if (const char* const flags = std::getenv("TF_POPLAR_FLAGS"); flags != nullptr && *flags != '\0')
        bars.note("note", "TF_POPLAR_FLAGS has no effect here: it is for scripts under tilescope run; for a "
                          "workload, give --cache or the keys of ipu_config");
    TRY(auto prepared, prepare::prepare_job(workload, registry, options, cancel));

    const auto started = run::WallClock::now();
    profile::RunRecord run = prepare::run_record(workload, prepared, options);
    run.tool_version = version;
    using profile::Recorder;
    TRY(recorder,
        Recorder::create(output, run,
                         o.recording.overwrite ? Recorder::Existing::Overwrite : Recorder::Existing::Keep,
                         std::move(reserved)));
    run::Log log(*recorder, started);
    prepare::record_system(prepared, *recorder);
    if (recorder->beside())
        bars.note("note", output + " keeps its profile until this run is complete; the run is in " +
                              recorder->path() + ", and `tilescope monitor " + output +
                              " --follow` follows it");
    for (std::int64_t later = 2; later <= workload.configurations; ++later)
        warn("ipu_config " + std::to_string(later) + " of " + std::to_string(workload.configurations) +
                 " resets the existing IPU configuration",
             log, bars);
    for (std::size_t i = 0; prepared.job.on_ipu && i < prepared.devices.size(); ++i)
        log.add(profile::Severity::Info, prepare::attach_message(i, prepared.devices[i]));
    if (!prepared.data_note.empty())
        warn(prepared.data_note, log, bars);
    if (workload.automatic_stages > 0) {
        const std::string note = cut_text(prepared.workload);
        log.add(profile::Severity::Info, note);
        bars.note("note", note);
    }
    const compile::Options tried =
        workload.trains() ? run::training_options(prepared.job) : run::evaluation_options(prepared.job);
    auto done = [&]() -> Result<void> {
        try {
            return run::run_job(std::move(prepared.job), registry, run, *recorder, bars, cancel, started);
        } catch (const std::bad_alloc&) { // the profile says so, too
            return Failure(host_memory_error());
        }
    }();
    if (!done && done.error().kind == ErrorKind::OutOfMemory)
        look_for_remedies(prepared, tried, registry, o.no_remedies ? 0 : o.remedies, done.error(), *recorder,
                          log, bars);
    const profile::RunStatus status = status_of(done, run);
    log.close(run.name, status);
    const auto written = recorder->finish(status, done ? std::string() : done.error().line());
    if (!written && (done || done.error().kind == ErrorKind::System))
        done = Failure(written.error());
    if (!done) {
        if (done.error().kind == ErrorKind::Cancelled)
            done.error().place = output;
        tell_what_is_left(done.error(), output, *recorder);
        return done;
    }
    if (progress_mode(o.progress) != ProgressMode::None)
        std::cerr << "Profile written to " << output << '\n';
    return {};
}

} // namespace

void add_profile_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<ProfileOptions>();
    CLI::App* command =
        program.add_subcommand("profile", "Compile and run a workload, and record its profile");
    command->add_option("WORKLOAD", options->workload, "Workload file, or a Keras or ONNX model file")
        ->required();
    command->add_option("-o,--output", options->output,
                        "Profile to write (default: WORKLOAD's name + .tilescope)");
    command->add_option("--set", options->set, "Override a key: fit.epochs=1")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all()
        ->type_name("KEY=VALUE");
    command->add_option("--data", options->data, "Folder with the data sets (default: $TILESCOPE_DATA)")
        ->type_name("DIR");
    command->add_flag("--estimate", options->estimate, "Compile and time without computing values");
    command->add_option("--epochs", options->epochs, "Train for N epochs")
        ->type_name("N")
        ->check(at_least(1));
    command->add_option("--batch", options->batch, "Samples per batch")->type_name("N")->check(at_least(1));
    command->add_option("--shape", options->shapes, "Extent of a named dimension of an ONNX model")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all()
        ->type_name("NAME=N");
    command->add_option("--progress", options->progress, "auto, plain or none")
        ->check(CLI::IsMember({"auto", "plain", "none"}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of all random numbers")
        ->type_name("N")
        ->check(at_least(0));
    command->add_option("--dump-ir", options->dump, "Write graph or program after each pass into DIR")
        ->type_name("DIR");
    command
        ->add_option("--remedies", options->remedies,
                     "Changes to try, at most, where the program does not fit")
        ->type_name("N")
        ->check(at_least(1))
        ->capture_default_str();
    command->add_flag("--no-remedies", options->no_remedies, "Try none")->excludes("--remedies");
    add_recording_options(*command, options->recording);
    command->footer("Examples:\n"
                    "  tilescope profile samples/keras_mnist.json --data datasets -o run.tilescope\n"
                    "  tilescope profile samples/keras_mnist.json --set fit.epochs=1 --set "
                    "compile.steps_per_execution=937\n"
                    "  tilescope profile model.json --batch 16 --estimate\n");
    command->callback([options, &action] { action = [options] { return profile_workload(*options); }; });
}

} // namespace tilescope::app
