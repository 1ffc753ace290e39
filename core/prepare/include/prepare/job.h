// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "graph/operator_registry.h"
#include "ipu/system.h"
#include "prepare/compiling.h"
#include "program/schedule.h"
#include "run/session.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace tilescope::prepare {

struct JobOptions {
    std::string data_folder; ///< of --data, or of TILESCOPE_DATA
    bool estimate = false;
    std::string dump_directory;
    std::string cache_directory; ///< of executables; "" for none
    std::string label;           ///< what the run is of, as its user calls it
    Compiling compiling;         ///< told of what is compiled to cut the model
};

struct PreparedJob {
    run::Job job;
    workload::Workload workload; ///< as given, with the cuts that it left to the tool in `shards`
    ipu::System system;
    std::vector<ipu::Device> devices;       ///< of /device:IPU:0, 1, …; the job runs on the first
    std::int64_t stages = 0;                ///< of the pipeline; 0 without one
    std::optional<std::int64_t> batch_size; ///< as of profile::RunRecord
    std::string data_note;                  ///< which data is used, if not the data asked for
};

/// Cuts the model where that is left to the tool, builds the graphs, reads the data and checks that steps,
/// batches and executions divide. The cut was compiled to be chosen: the job keeps it so, and its passes are
/// dumped then. For data that the caller feeds no more is done than that. Errors: BadInput with the numbers
/// and the nearest valid values.
Result<PreparedJob> prepare_job(const workload::Workload& given, const graph::OperatorRegistry& registry,
                                const JobOptions& options, const CancelToken& cancel);

/// A job of a graph that the caller has built, for the devices of a workload with a small graph: it becomes
/// `train` where it trains, else `once`, and runs by `schedule`, whose ipus_per_replica is worked out here.
/// `batch_size`: samples in a step, where the caller knows which of its feeds are samples.
/// Errors: BadInput for devices, shards, stages and replicas that have no IPU.
Result<PreparedJob> prepare_graph(const workload::Workload& given, graph::Graph graph,
                                  program::Schedule schedule, std::optional<std::int64_t> batch_size,
                                  const JobOptions& options);

/// Whether so many epochs of so many steps can be computed. Errors: BadInput at `place`.
Result<void> check_epochs(std::int64_t epochs, std::int64_t steps, const std::string& place);

} // namespace tilescope::prepare
