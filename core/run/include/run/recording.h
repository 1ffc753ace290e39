// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "compile/compiler.h"
#include "profile/recorder.h"
#include "run/clock.h"
#include "run/log.h"
#include "run/observer.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::run {

/// The first loss of a step that is not a number; nullptr where all are. `value`: of a fetch, by its index.
const graph::Fetch* lost_loss(const graph::Graph& graph,
                              const std::function<const graph::HostTensor&(std::size_t)>& value);

/// What the programs that one process runs, one after the other, write into their profile: compilations, log
/// and executions, on one simulated time line.
class Recording {
  public:
    /// `run` is the profile's row, kept up to date. `epochs`: that are to be trained, as far as is known.
    /// `start`: of the run.
    Recording(const graph::OperatorRegistry& registry, profile::RunRecord& run, profile::Recorder& recorder,
              Observer& observer, const CancelToken& cancel, std::int64_t epochs,
              WallClock::time_point start = WallClock::now())
        : registry_(registry), run_(run), recorder_(recorder), observer_(observer), cancel_(cancel),
          epochs_(epochs), log_(recorder, start) {}

    profile::Recorder& recorder() { return recorder_; }
    void log(profile::Severity level, const std::string& message);
    /// How far the run has come, which the observer is told in its own way: in the file's log alone.
    void tell(const std::string& message);
    /// The last line of the log.
    void close(profile::RunStatus status) { log_.close(run_.name, status); }
    void expect_epochs(std::int64_t epochs) { epochs_ = epochs; } ///< from now on
    void progress(profile::RunActivity activity, std::int64_t epoch, std::int64_t step, std::int64_t steps,
                  std::optional<double> pass_share = std::nullopt);
    /// The same within an engine run, at once and then some times a second: one may last for minutes. Whether
    /// that was told now.
    bool under_way(profile::RunActivity activity, std::int64_t epoch, std::int64_t step, std::int64_t steps,
                   std::optional<double> pass_share = std::nullopt);
    /// Losses and metrics within an engine run of training after `step` steps of the epoch; the longer the
    /// run has lasted, the further apart, so that they stay few: a thousandth of its time.
    void metrics_within(std::int64_t epoch, std::int64_t step,
                        const std::vector<std::pair<std::string, double>>& metrics);
    /// A loss of training that is not a number from a step of the epoch on, counted from 0. Once: what comes
    /// after it is none either.
    void note_divergence(const std::string& loss, std::int64_t epoch, std::int64_t step);
    /// What was said then; such a run, where it gets to its end, is `diverged`.
    const std::optional<std::string>& divergence() const { return divergence_; }

    /// Compiles a graph, but for one of which that was done before. The profile describes the first one, and
    /// has the program steps of the others. Errors: those of compilation; OutOfMemory, after the program was
    /// written with what it would do.
    Result<DeviceProgram> compiled(graph::Graph graph, const std::string& what,
                                   const compile::Options& options,
                                   std::optional<compile::Executable> before = std::nullopt);
    /// Errors: System where the profile cannot be written any more, Cancelled.
    Result<void> check() const;

    /// One engine run; without a clock, of the host, whose own time is all there is. Its id is filled in.
    void execution(Clock* clock, profile::ExecutionRecord execution);
    /// Those of `epochs` that are alike, as they are estimated. `group` is of one epoch, and its id is filled
    /// in. Errors: BadInput where they would take years.
    Result<void> executions(Clock* clock, profile::ExecutionGroupRecord group, std::int64_t epochs,
                            const std::string& place);
    std::int64_t last_execution() const { return executions_ - 1; }

  private:
    compile::WithinPass within(); ///< tells the observer, and the file some times a second
    Result<compile::Executable> compile_now(graph::Graph graph, const std::string& what,
                                            const compile::Options& options);
    Result<DeviceProgram> recorded(compile::Executable executable, const std::string& what);

    const graph::OperatorRegistry& registry_;
    profile::RunRecord& run_;
    profile::Recorder& recorder_;
    Observer& observer_;
    const CancelToken& cancel_;
    std::int64_t epochs_;
    Log log_;
    WallClock::time_point told_ = log_.start();  ///< when progress was last recorded, and of what
    WallClock::time_point noted_ = log_.start(); ///< when metrics were last, within an engine run
    profile::RunActivity doing_ = profile::RunActivity::Compile;
    std::int64_t pass_ = 0; ///< of these, while something is compiled
    std::int64_t passes_ = 0;
    std::int64_t executions_ = 0;
    std::int64_t programs_ = 0;
    std::int64_t steps_ = 0;                         ///< of all of them
    std::map<std::string, std::int64_t> operations_; ///< of the first one, by name
    std::int64_t now_ = 0;
    std::optional<std::string> divergence_;
};

} // namespace tilescope::run
