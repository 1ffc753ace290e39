// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "compile/compiler.h"
#include "profile/recorder.h"
#include "run/data_set.h"
#include "run/log.h"
#include "run/observer.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::run {

/// What is to be run. Graphs are those of one step, before compilation.
struct Job {
    std::string name;
    std::optional<graph::Graph> train;
    std::optional<graph::Graph> evaluate;
    std::optional<graph::Graph> once;     ///< a small graph: one step, its outputs are the result
    std::vector<graph::HostTensor> feeds; ///< of `once`
    std::map<std::string, graph::HostTensor> expected; ///< of `once`
    /// `train`, or `evaluate` where nothing is trained, where preparing the job has compiled it.
    std::optional<compile::Executable> compiled;

    std::optional<DataSet> train_data; ///< absent when only estimated
    std::optional<DataSet> evaluate_data;
    std::int64_t batch_size = 1;
    std::int64_t evaluate_batch_size = 1;
    std::int64_t epochs = 1;
    std::int64_t steps_per_epoch = 0; ///< training steps of an epoch
    std::int64_t evaluate_steps = 0;
    program::Schedule training;   ///< a step is one batch of one replica
    program::Schedule evaluation; ///< of evaluation, inference and `once`
    bool shuffle = true;

    bool on_ipu = true;
    bool counts_on_ipu = false; ///< another program raises a step counter on the IPU between engine runs
    bool recompute = false;     ///< of activations before the backward pass, rather than keeping them
    std::vector<ForPart<bool>> recompute_parts; ///< as compile::Options has it
    std::vector<std::string> checkpoints;       ///< layers whose results that keeps; empty: as it chooses
    bool recompute_piecewise = false;           ///< as compile::Options has it
    bool offload_state = false;                 ///< of the optimiser, to streaming memory
    bool offload_weights = false;               ///< those that are trained too
    bool offload_activations = false;           ///< of a pipeline's stashes, there too
    bool shard_state = false;                   ///< of this, a share to each replica
    bool shard_weights = false;                 ///< of the weights there too
    compile::MergedCollectives most_merged;     ///< as compile::Options has it
    std::int64_t norm_replicas = 1;             ///< as compile::Options has it
    compile::IoTiles io_tiles;                  ///< as compile::Options has it
    ipu::Attachment attachment;                 ///< which IPUs of the system those of all replicas are
    bool estimate = false;
    ipu::Target target;
    ipu::PlanningOptions planning;
    std::uint64_t seed = 1;
    StochasticRounding rounding = StochasticRounding::Off; ///< of float16 results
    std::string dump_directory;
    std::string cache_directory; ///< of executables; "" for none
};

/// How the graph for training is compiled, and that for inference.
compile::Options training_options(const Job& job);
compile::Options evaluation_options(const Job& job);

/// Compiles and runs a job, writing everything to `recorder`; `run` is its row, kept up to date. The caller
/// finishes the recorder. `start`: of the run, which lines of its log tell their time from. `run.status`
/// becomes Diverged where a loss is not a number; the run goes on, and ends with NotMet. Errors: those of
/// compilation; OutOfMemory after the profile of the program that does not fit was written; NotMet where
/// `once` gives other values than expected; Cancelled; System where the profile cannot be written any more.
Result<void> run_job(Job job, const graph::OperatorRegistry& registry, profile::RunRecord& run,
                     profile::Recorder& recorder, Observer& observer, const CancelToken& cancel,
                     WallClock::time_point start = WallClock::now());

} // namespace tilescope::run
