// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"
#include "compile/compiler.h"

#include <string>
#include <vector>

namespace tilescope::compile {

/// A part of a pass, for the tree of compile events.
struct PassPart {
    std::string name;
    std::int64_t start_us = 0; ///< since the pass began
    std::int64_t duration_us = 0;
    std::string detail;
};

/// What the passes work on.
struct Compilation {
    Executable& executable;
    const graph::OperatorRegistry& registry;
    const Options& options;
    std::vector<PassPart> parts; ///< of the pass that runs, where it tells them
    const CancelToken* cancel = nullptr;
    /// Whether the compilation is to end. Passes ask for each operation, tile or step; what they return once
    /// it is so is an error.
    bool cancelled() const { return is_cancelled(cancel); }
    /// Tells of the progress within a pass.
    void tell(const WorkDone& progress) const {
        if (options.within)
            options.within(progress);
    }
    graph::Graph& graph() const { return executable.graph; }
};

/// One pass: a name, and a function that says what it changed ("412 -> 268 operations").
struct Pass {
    const char* name;
    Result<std::string> (*run)(Compilation&);
    bool for_device = false; ///< not needed to compute on the host
};

/// All passes, in order.
const std::vector<Pass>& passes();

Result<std::string> verify(Compilation& c);
Result<std::string> differentiate(Compilation& c);
Result<std::string> share_norm_statistics(Compilation& c);
Result<std::string> reduce_gradients(Compilation& c);
Result<std::string> offload_weights(Compilation& c);
Result<std::string> offload_state(Compilation& c);
Result<std::string> shard_state(Compilation& c);
Result<std::string> merge_collectives(Compilation& c);
Result<std::string> recompute_norms(Compilation& c);
Result<std::string> recompute(Compilation& c);
Result<std::string> lower(Compilation& c);
Result<std::string> route_exchanges(Compilation& c);
Result<std::string> share_code(Compilation& c);
Result<std::string> add_code(Compilation& c);
Result<std::string> analyse_liveness(Compilation& c);
Result<std::string> lay_out_memory(Compilation& c);

/// Work on one graph. It ends early, and leaves the graph as it then is, once the compilation is cancelled.
using GraphWork = void (*)(graph::Graph&, const Compilation&);
void cancel_transposes(graph::Graph& graph, const Compilation& c);
void fold_constants(graph::Graph& graph, const Compilation& c);
void merge_common_subexpressions(graph::Graph& graph, const Compilation& c);
void remove_dead_code(graph::Graph& graph, const Compilation& c);
void fuse_elementwise(graph::Graph& graph, const Compilation& c);
/// Does such work on the bodies of loops, and then on the graph itself.
Result<std::string> work_on_all(Compilation& c, GraphWork work);
/// The same as a pass.
template<GraphWork work>
Result<std::string> on_all(Compilation& c) {
    return work_on_all(c, work);
}

/// Puts `replacement[v]` for every value v, in operations, fetches, variables and the loss.
void replace_values(graph::Graph& graph, const std::vector<graph::ValueId>& replacement);
/// The operation of the forward pass that makes a value; nullptr: none does.
const graph::Operation* forward_producer(const graph::Graph& graph, graph::ValueId id);
/// Every value by its own number: where no value is replaced.
std::vector<graph::ValueId> identity_map(const graph::Graph& graph);
/// What a pass says of a number that it changed: "412 -> 268 operations".
std::string change(std::size_t before, std::size_t after, const char* what);

} // namespace tilescope::compile
