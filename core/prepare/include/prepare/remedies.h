// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/compiler.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace tilescope::prepare {

/// A change that may make a program fit, and what came of compiling it so.
struct Remedy {
    std::string change; ///< "fit.batch_size=32"
    bool fits = false;
    std::int64_t highest_tile_bytes = 0; ///< of the fullest tile, gaps included
};

/// Compiles a workload that is out of memory with recomputation, with smaller batches, with less memory for
/// the plans' temporaries and over more IPUs, cut where the layers balance. Each kind of change ends with the
/// first that fits. `options` are those that did not fit. Stops early where `cancel` says so.
std::vector<Remedy> try_remedies(const workload::Workload& workload, const graph::OperatorRegistry& registry,
                                 const compile::Options& options, const CancelToken& cancel);

/// "fit.batch_size=32 fits (512,000 of 638,976 bytes); available_memory_proportion=0.1 does not".
std::string describe(const std::vector<Remedy>& remedies, std::int64_t bytes_per_tile);

} // namespace tilescope::prepare
