// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/python/engine/script_run.h"
#include "run/clock.h"
#include "run/executor.h"

#include <memory>
#include <optional>
#include <pybind11/numpy.h>
#include <set>
#include <string>
#include <vector>

namespace tilescope::python {

/// One device program: a compiled graph, with the weights that it shares with other programs. A step is one
/// batch of one replica, an execution one engine run.
class Program {
  public:
    /// `dealt_out`: as of run::Executor. Errors: those of compilation; OutOfMemory, after the profile was
    /// written.
    static Result<std::unique_ptr<Program>> load(ScriptRun& script, prepare::PreparedJob prepared,
                                                 graph::Graph graph, Mode mode,
                                                 std::shared_ptr<run::Weights> weights,
                                                 const std::set<std::string>& dealt_out = {});
    Program(const Program&) = delete; // executor and clock refer to it
    Program& operator=(const Program&) = delete;

    const graph::Graph& graph() const { return executable().graph; }
    const program::Schedule& schedule() const { return executable().schedule; }
    bool on_ipu() const { return on_ipu_; }
    bool computes() const { return executor_.has_value(); } ///< not where it is only estimated

    /// Steps that are computed at once, of as many replicas of a group.
    std::int64_t lanes() const { return executor_ ? static_cast<std::int64_t>(executor_->lanes()) : 1; }
    /// Computes step `number`, counted over all executions, on one array for each feed; or, where some are
    /// computed at once, all of them with the last.
    void step(std::int64_t number, const std::vector<pybind11::array>& feeds);
    /// Which of those that were computed at once `fetched` is about: 0 … lanes - 1.
    void show(std::int64_t lane);
    /// Of what is added up over micro-batches, the last step's own part.
    pybind11::array fetched(std::size_t index) const;

    /// Tells how far training or evaluation has come, at most some times a second: whether it was told now.
    /// `done` of `steps` in the epoch.
    bool under_way(std::int64_t epoch, std::int64_t epochs, std::int64_t done, std::int64_t steps);
    /// Losses and metrics before the engine run of training has ended.
    void metrics_within(std::int64_t epoch, std::int64_t done,
                        const std::vector<std::pair<std::string, double>>& metrics);
    /// Writes down the engine run that the last `steps` steps were, with the metrics as they stand after it,
    /// and gives its simulated time in seconds; on the host it is the time that has passed.
    double end_execution(std::int64_t epoch, std::int64_t first_step, std::int64_t steps,
                         const std::vector<std::pair<std::string, double>>& metrics);
    /// Of an estimate: writes down `count` engine runs of each of `epochs` that are alike, from epoch `epoch`
    /// on, whose first one begins with `first_step`; the simulated time of all.
    double repeat(std::int64_t epoch, std::int64_t epochs, std::int64_t first_step, std::int64_t steps,
                  std::int64_t count);
    void end_epoch(std::int64_t epoch, const std::vector<std::pair<std::string, double>>& metrics);

  private:
    Program(ScriptRun& script, run::Recording& recording, run::DeviceProgram compiled, Mode mode, bool on_ipu,
            std::shared_ptr<run::Weights> weights, const std::set<std::string>& dealt_out);
    void keep_parts();
    const graph::HostTensor& value_of(std::size_t index, std::size_t lane) const;
    /// Looks for a loss that is not a number, after a step or several at once.
    void find_lost();
    const compile::Executable& executable() const { return compiled_.executable; }
    profile::ExecutionKind kind() const;

    run::Recording& recording_;
    run::DeviceProgram compiled_;
    Mode mode_;
    bool on_ipu_;
    std::shared_ptr<run::Weights> weights_;
    std::optional<run::Executor> executor_;
    std::size_t shown_ = 0; ///< lane
    /// By lane and fetch: before the update made them sums.
    std::vector<std::vector<std::optional<graph::HostTensor>>> parts_;
    run::Clock clock_;
    std::int64_t steps_ = 0; ///< of training, since the last engine run ended
    /// The first of them whose loss is not a number, and that loss.
    std::optional<std::pair<std::int64_t, std::string>> lost_;
    std::uint64_t seed_ = 1;
    StochasticRounding rounding_ = StochasticRounding::Off;
    std::int64_t batch_size_ = 1;
    run::WallClock::time_point begun_ = run::WallClock::now();
};

} // namespace tilescope::python
