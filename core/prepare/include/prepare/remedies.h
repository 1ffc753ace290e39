// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/compiler.h"
#include "prepare/compiling.h"
#include "workload/workload.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilescope::prepare {

/// A change that may make a program fit, and what came of compiling it so.
struct Remedy {
    std::string change; ///< a setting, "fit.batch_size=32"
    bool fits = false;
    std::int64_t highest_tile_bytes = 0;         ///< of the fullest tile, gaps included
    double step_us = 0;                          ///< of one batch, in time as it passes, host included
    std::int64_t ipus = 0;                       ///< of all replicas with it; 0: as many as before
    std::optional<std::int64_t> batch_size = {}; ///< samples in a step with it; none of a small graph
};

struct RemedySearch {
    std::int64_t most = 0;                           ///< that are tried
    Compiling compiling;                             ///< told of each pass
    std::function<void(const Remedy& remedy)> tried; ///< told of each as it is known
};

/// Compiles a workload that is out of memory with less memory for the plans' temporaries, with recomputation,
/// with the optimiser's state or a pipeline's stashes in streaming memory, with smaller batches, and over
/// more IPUs, cut where the layers balance: what is compiled soonest, and changes least, first. Each kind of
/// change ends with the first that fits. Where only streaming memory is short: with replicas that share the
/// state in it, and with the state on the tiles. `options` are those that did not fit. Stops early where
/// `cancel` says so.
std::vector<Remedy> try_remedies(const workload::Workload& workload, const graph::OperatorRegistry& registry,
                                 const compile::Options& options, const RemedySearch& search,
                                 const CancelToken& cancel);

/// "model.shards=2 on 2 IPUs (512,000 bytes, 1.94 ms/step)".
std::string describe(const Remedy& remedy);
/// "fits with fit.batch_size=32 (512,000 bytes, 1.94 ms/step) of 638,976 bytes; still too much: …".
std::string describe(const std::vector<Remedy>& remedies, std::int64_t bytes_per_tile);

} // namespace tilescope::prepare
