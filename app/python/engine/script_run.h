// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/progress_bars.h"
#include "base/worker_pool.h"
#include "graph/operator_registry.h"
#include "operators/operators.h"
#include "prepare/job.h"
#include "profile/recorder.h"
#include "run/recording.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::python {

/// What a program is made for.
enum class Mode { Train, Evaluate, Predict };

/// What `tilescope run` was told.
struct Settings {
    std::string script;
    std::string output;
    std::string data_folder;
    std::string cache;
    std::string label;            ///< what the run is of, as its user calls it
    std::vector<std::string> set; ///< KEY=VALUE of workloads, over what the script says
    bool estimate = false;
    bool overwrite = false;
    bool bars = false; ///< of compilation, on stderr
};

/// What a script's notes go to, one line each: of a severity of the profile's log, or "attached" of a device.
using Notes = std::function<void(const std::string& level, const std::string& message)>;

/// All that a script runs on simulated IPUs, in one profile, which begins with its first program.
class ScriptRun : public run::Observer {
  public:
    ScriptRun(Settings settings, Notes notes);

    const Settings& settings() const { return settings_; }
    const graph::OperatorRegistry& registry() const { return registry_; }
    WorkerPool& pool() { return pool_; }
    /// A job of a workload that is no file but has been put together by the script. Errors: as prepare_job.
    Result<prepare::PreparedJob> prepare(const std::string& document, bool trains, std::int64_t samples);
    /// The same of a graph that the script has built; `offload_activations` of its stages, too.
    Result<prepare::PreparedJob> prepare_graph(const std::string& document, graph::Graph graph,
                                               program::Schedule schedule,
                                               std::optional<std::int64_t> batch_size,
                                               bool offload_activations);
    /// A profile, with what is recorded in it.
    struct Profile {
        profile::RunRecord run;
        std::optional<Mode> measured; ///< that its figures are of
        std::unique_ptr<profile::Recorder> recorder;
        std::unique_ptr<run::Recording> recording;
        std::int64_t programs = 0; ///< The profile has the first with all its steps.
        bool of_host = false;

        /// Samples in a step of a program, where that is known. The profile has those of training, else of
        /// evaluation, else of inference, as its figures do, where all programs of it have as many.
        void takes(Mode mode, std::optional<std::int64_t> batch_size);
    };
    /// From here on the profile is of IPUs: what the host computes beside them is no part of it.
    void expect_ipus() { of_ipus_ = true; }
    /// Where a program is recorded; made with the first one, whose job says what the profile is of.
    Result<Profile*> profile_of(const prepare::PreparedJob& job);
    bool has_profile() const { return main_.recorder || host_.recorder; }
    /// Ends the profile, if there is one. `status`: "complete", of training that diverged as well,
    /// "cancelled", "failed", "out_of_memory".
    Result<void> finish(const std::string& status, const std::string& error);

    void compiling(const std::string& program, const std::string& pass, std::size_t number,
                   std::size_t count) override;
    void within_pass(const compile::WorkDone& progress) override;
    void compiled(const std::string& program) override { bars_.compiled(program); }
    void note(const std::string& level, const std::string& message) override { notes_(level, message); }
    void epoch_started(std::int64_t, std::int64_t, std::int64_t) override {}
    void steps_done(std::int64_t, std::int64_t, double,
                    const std::vector<std::pair<std::string, double>>&) override {}
    void epoch_ended() override {}
    void evaluated(const std::vector<std::pair<std::string, double>>&) override {}

  private:
    prepare::JobOptions job_options() const;
    Result<void> finish(Profile& of, const std::string& status, const std::string& error);
    Settings settings_;
    Notes notes_;
    graph::OperatorRegistry registry_ = operators::standard_operators();
    WorkerPool pool_;
    CancelToken cancel_;
    Profile main_;
    Profile host_; ///< of the host's programs beside those of IPUs, which is kept where those do not come
    bool of_ipus_ = false;
    app::ProgressBars bars_;
};

} // namespace tilescope::python
