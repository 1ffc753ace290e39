// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/entry.h"
#include "base/worker_pool.h"
#include "graph/graph.h"
#include "graph/operator_registry.h"
#include "kernels/kernel_table.h"
#include "operators/replica_groups.h"

#include <memory>
#include <span>
#include <vector>

/// The one place where operations are computed: a step of training, a step of a loop, and what is known while
/// a model is read or compiled.
namespace tilescope::operators {

struct ValueLives;

/// What operations are computed with. All of it outlives the computation.
struct Machine {
    const graph::OperatorRegistry& registry;
    WorkerPool& pool;
    const kernels::KernelTable& kernels;
};

/// The outputs of one operation, of the types that its rule infers, rounded to the nearest of them.
std::vector<graph::HostTensor> computed(const graph::Operator& kind,
                                        const std::vector<const graph::HostTensor*>& inputs,
                                        const std::vector<graph::TensorType>& types,
                                        const graph::Attributes& attributes, const Machine& machine);

/// The values of one tensor into another of its type.
void copy_values(const graph::HostTensor& from, graph::HostTensor& to);
/// Computes an operation whose first output has the values of its first input, of one shape and type.
void copy_first(graph::ComputeContext& c);

/// The tensors of a graph and its operations, ready to be computed again and again: all memory is taken when
/// it is made. Running it allocates nothing but what an operation itself takes, and keeps, when it runs
/// first. Values that are not needed at the same time share memory: after a run only feeds, variables,
/// fetches, next values and what the update reads hold what was computed. What is computed element by element
/// is written over what it is made of where nothing reads that afterwards, a variable's next value over the
/// variable.
class Interpreter {
  public:
    /// The graph and the registry must outlive it. `variables`: the tensors of the graph's variables, in
    /// order, whose memory is shared. `one_batch`: run_update() follows each run_batch(), and nothing reads
    /// the gradients between them: some are then computed as they are applied.
    Interpreter(const graph::Graph& graph, const graph::OperatorRegistry& registry,
                const std::vector<graph::HostTensor>& variables = {}, bool one_batch = false);
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;

    graph::HostTensor& at(graph::ValueId id) { return entry(values_, id); }
    const graph::HostTensor& at(graph::ValueId id) const { return entry(values_, id); }
    /// What the results of operations share, in bytes.
    std::int64_t shared_bytes() const { return shared_bytes_; }
    /// The most of it that is needed at once: less than that cannot hold them.
    std::int64_t needed_bytes() const { return needed_bytes_; }

    /// Everything but the update, in order, from the feeds and variables as they are.
    void run_batch(const Machine& machine, const graph::RandomState& random);
    /// The same of the replicas of a group, which all have the same graph and their own feeds: side by side
    /// where operations are of the group (replica_groups.h).
    static void run_batches(std::span<Interpreter* const> lanes, const Machine& machine,
                            std::span<const graph::RandomState> random);
    /// The operations of the update.
    void run_update(const Machine& machine, const graph::RandomState& random);

  private:
    struct Call {
        const graph::Operation* operation;
        const graph::Operator* kind;
        std::vector<const graph::HostTensor*> inputs;
        std::vector<graph::HostTensor*> outputs;
        std::shared_ptr<void> kept;
        OfGroup of_group = nullptr;
    };
    /// Calls that run at once. Where the elements of several are shared out to the threads together: how many
    /// elements come before each, then all. Or a product and the update that takes it as it is summed.
    struct Group {
        std::size_t first, last;
        std::vector<std::size_t> starts;
        bool is_update_by_product = false;
    };
    void place_values(const graph::Graph& graph, const ValueLives& lives);
    void add_calls(const graph::OperatorRegistry& registry, const ValueLives& lives);
    void add_groups(const ValueLives& lives);
    graph::ComputeContext context(Call& call, const Machine& machine, graph::RandomState random);
    void run(std::size_t first, std::size_t last, const Machine& machine, const graph::RandomState& random);
    static void run_of_group(std::span<Interpreter* const> lanes, std::size_t group, const Machine& machine,
                             std::span<const graph::RandomState> random);
    void run_together(const Group& group, const Machine& machine, const graph::RandomState& random);

    std::vector<graph::HostTensor> values_; ///< by value of the graph
    std::vector<Call> calls_;
    std::vector<Group> groups_;
    std::size_t update_groups_ = 0;     ///< the first of the update
    std::vector<std::size_t> meetings_; ///< of a batch: groups of one call, which is of a group of replicas
    std::vector<graph::ComputeContext> meeting_contexts_; ///< of all lanes that meet; kept for its room
    std::int64_t shared_bytes_ = 0;
    std::int64_t needed_bytes_ = 0;
};

} // namespace tilescope::operators
