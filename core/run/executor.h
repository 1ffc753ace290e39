// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/worker_pool.h"
#include "graph/graph.h"
#include "graph/operator_registry.h"

#include <map>
#include <string>
#include <vector>

namespace tilescope::run {

/// The state that outlives a step, by variable name: shared by the programs for training and evaluation.
using Weights = std::map<std::string, graph::HostTensor>;

/// Computes the steps of one graph, operation by operation, with all threads of a pool.
class Executor {
  public:
    /// The graph must outlive the executor. Variables that `weights` lacks are added with their first values.
    Executor(const graph::Graph& graph, const graph::OperatorRegistry& registry, WorkerPool& pool,
             Weights& weights);

    /// Where feed `index` is to be written before a step.
    graph::HostTensor& feed(std::size_t index);
    void set_feed(std::size_t index, const graph::HostTensor& values);
    /// One step; variables take their next values. `random` as RandomState says.
    void step(const graph::RandomState& random);
    /// The value of a fetch after a step.
    const graph::HostTensor& fetched(std::size_t index) const;

  private:
    struct Call {
        const graph::Operation* operation;
        const graph::Operator* kind;
        std::vector<const graph::HostTensor*> inputs;
        std::vector<graph::HostTensor*> outputs;
    };
    graph::HostTensor& at(graph::ValueId id) { return values_[static_cast<std::size_t>(id.value)]; }

    const graph::Graph& graph_;
    WorkerPool& pool_;
    Weights& weights_;
    std::vector<graph::HostTensor> values_;
    std::vector<Call> calls_;
};

} // namespace tilescope::run
