// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "base/part_of_model.h"
#include "compile/executable.h"
#include "compile/io_tiles.h"
#include "compile/progress.h"
#include "graph/operator_registry.h"
#include "ipu/attachment.h"
#include "lowering/context.h"

#include <functional>
#include <string>
#include <vector>

namespace tilescope::compile {

/// Most bytes of collectives of one kind that are made one; 0: each goes by itself.
struct MergedCollectives {
    std::int64_t all_reduce = 0;
    std::int64_t reduce_scatter = 0;
    std::int64_t all_gather = 0;
};

struct Options {
    ipu::Target target;
    program::Schedule schedule;
    ipu::PlanningOptions planning;
    bool host_only = false;                          ///< for device "cpu": the graph passes only
    std::string dump_directory;                      ///< writes graph or program after each pass; "" for none
    std::string cache_directory;                     ///< executables that may be used again; "" for none
    bool recompute = false;                          ///< of activations, rather than keeping them
    std::vector<ForPart<bool>> recompute_parts = {}; ///< the same of parts of the model, in its place
    std::vector<std::string> checkpoints = {}; ///< layers whose results that keeps; empty: as it chooses
    bool recompute_piecewise =
        false;                    ///< a pipeline's stages from their checkpoints too, not only their inputs
    bool offload_state = false;   ///< to streaming memory: variables that only the weight update uses
    bool offload_weights = false; ///< those that are trained too
    bool offload_activations = false; ///< of a pipeline's stashes, there too
    bool shard_state = false;         ///< of these: each replica has and updates a share of them
    bool shard_weights = false;       ///< of these too, gathered for each pass that reads them
    MergedCollectives most_merged;    ///< collectives that are made one
    std::int64_t norm_replicas = 1;   ///< whose batches have their batch norms' statistics in common
    IoTiles io_tiles;                 ///< kept for the exchange with the host
    ipu::Attachment attachment;       ///< which IPUs of the system those of all replicas are
    std::size_t threads = 0;          ///< that passes work on; 0: as many as there are cores
    WithinPass within;                ///< told of the progress of long passes
};

/// Called before each pass: its name, its number and how many there are.
using PassStarted = std::function<void(const std::string& pass, std::size_t number, std::size_t count)>;

/// Runs all passes. A program that does not fit is returned all the same, with `fits()` false.
/// Errors: BadInput for a graph that cannot be compiled, Cancelled, System where a dump cannot be written.
Result<Executable> compile(graph::Graph graph, const graph::OperatorRegistry& registry,
                           const Options& options, const PassStarted& started = {},
                           const CancelToken* cancel = nullptr);

/// One line on a program that does not fit: the worst tile, by how much, its largest variables; or, where the
/// tiles have room, the IPU-Machine whose streaming memory has not.
Error out_of_memory(const Executable& executable);

} // namespace tilescope::compile
