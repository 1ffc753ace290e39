// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/worker_pool.h"
#include "graph/graph.h"
#include "graph/operator_registry.h"
#include "operators/interpreter.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::run {

/// The state that outlives a step, by variable name: shared by the programs for training and evaluation.
using Weights = std::map<std::string, graph::HostTensor>;

/// Computes the steps of one graph, operation by operation, with all threads of a pool. Where operations are
/// of a group of replicas, a batch of each of these is a lane, and all lanes are computed at once.
class Executor {
  public:
    /// The graph must outlive the executor. Variables that `weights` lacks are added with their first values.
    /// `replicas`: whose batches come in turn; each has its own of the variables that batches make anew, and
    /// `weights` those of the first. `dealt_out`: variables of which the caller keeps that itself, and sets
    /// them before each batch. `one_batch`: an update follows each batch, as in step().
    Executor(const graph::Graph& graph, const graph::OperatorRegistry& registry, WorkerPool& pool,
             Weights& weights, std::int64_t replicas = 1, const std::set<std::string>& dealt_out = {},
             bool one_batch = false);

    /// Replicas of a group; 1 where each computes by itself.
    std::size_t lanes() const { return lanes_.size(); }
    /// Where feed `index` is to be written before a step.
    graph::HostTensor& feed(std::size_t index, std::size_t lane = 0);
    void set_feed(std::size_t index, const graph::HostTensor& values);
    /// One step: `compute` and `update`.
    void step(const graph::RandomState& random);
    /// Forward and backward for what is fed; running statistics take their next values. What the update reads
    /// of it is added to the micro-batches since the last update, or to their running mean. `random` as
    /// RandomState says.
    void compute(const graph::RandomState& random) { compute_lanes({&random, 1}); }
    /// The same of all lanes, with the state of each.
    void compute_lanes(std::span<const graph::RandomState> random);
    /// The operations of the update, from the sums; the other variables take their next values.
    void update(const graph::RandomState& random);
    /// The value of a fetch after a step.
    const graph::HostTensor& fetched(std::size_t index, std::size_t lane = 0) const;
    /// Of what the update reads: what the last `compute` made, until `update` makes it the sum.
    const graph::HostTensor& of_micro_batch(graph::ValueId id, std::size_t lane = 0) const {
        return of_lane(lane).at(id);
    }

  private:
    graph::HostTensor& at(graph::ValueId id) { return interpreter_.at(id); }
    operators::Interpreter& of_lane(std::size_t lane) { return *lanes_[lane]; }
    const operators::Interpreter& of_lane(std::size_t lane) const { return *lanes_[lane]; }
    /// From the first micro-batch, which needs no sums of its own while it is the only one.
    void begin_sums();
    void add_to_sums(const operators::Interpreter& lane);
    operators::Machine machine() const { return {registry_, pool_, kernels::best_kernels()}; }
    /// Of the variables whose next values the update makes, or of the others.
    void take_next_values(bool of_update);
    /// Puts those variables of a replica in place that batches make anew.
    void enter_replica(std::size_t replica);

    const graph::Graph& graph_;
    const graph::OperatorRegistry& registry_;
    WorkerPool& pool_;
    operators::Interpreter interpreter_;
    /// The other lanes, which share all variables but those that a batch itself makes anew: these are the
    /// first lane's.
    std::vector<std::unique_ptr<operators::Interpreter>> others_;
    std::vector<operators::Interpreter*> lanes_; ///< the first one and these
    /// What the update reads of the micro-batches, and its sum where there are several, or its running mean.
    struct Sum {
        graph::ValueId value;
        bool mean = false;
        std::optional<graph::HostTensor> total = {};
    };
    std::vector<Sum> sums_;
    std::int64_t micro_batches_ = 0; ///< since the last update

    /// Of a variable that batches make anew, where there are several replicas.
    struct Own {
        graph::ValueId value;
        graph::HostTensor left; ///< by the last update: another one is from the host
        std::vector<graph::HostTensor> of_replicas;
    };
    std::vector<Own> own_;
    std::size_t replicas_;
    std::size_t replica_ = 0; ///< whose own are in place
};

} // namespace tilescope::run
