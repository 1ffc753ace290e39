// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/python/engine/failure.h"
#include "graph/builder.h"
#include "graph/operator_registry.h"
#include "run/executor.h"
#include "training/optimisers.h"

#include <map>
#include <memory>
#include <pybind11/numpy.h>
#include <string>
#include <vector>

namespace tilescope::python {

/// A graph while a script puts it together, operation by operation. Values are the numbers of ValueId.
class GraphBuild {
  public:
    GraphBuild(const graph::OperatorRegistry& registry, const std::string& name)
        : registry_(registry), build_(graph_, registry) {
        graph_.name = name;
    }
    GraphBuild(const GraphBuild&) = delete; // the builder refers to the graph
    GraphBuild& operator=(const GraphBuild&) = delete;

    /// The graph, which is not built any further.
    graph::Graph finished();

    /// Where the operations that follow run, and the layer that they are of; "" and -1 for none. `host`: on
    /// the host, beside the device's program.
    void place(const std::string& layer, const std::string& kind, std::int32_t shard, bool host);
    int feed(const std::string& name, const std::string& dtype, const graph::Shape& shape);
    int variable(const std::string& name, const pybind11::array& first, bool trainable);
    int constant(const std::string& name, const pybind11::array& values);
    std::vector<int> operation(const std::string& kind, const std::vector<int>& inputs,
                               const pybind11::dict& attributes, const std::string& name);
    /// The layers of a Keras model (its JSON text), called on values: its outputs, and what regularisers add
    /// to the loss. A variable is that of an earlier call where it has its name.
    pybind11::tuple keras_model(const std::string& document, const std::vector<int>& inputs, bool training,
                                std::uint64_t seed);
    /// The sum of a value, made by an operation, over the micro-batches of a weight update.
    int accumulated(int value, const std::string& name);
    /// What an update makes of a variable in the end, as Keras' constraint of that name; `settings` as its
    /// own.
    void constrain(int variable, const std::string& kind, const pybind11::dict& settings);
    /// A value as the update makes it, once for all micro-batches and replicas: of `gradients`, which are
    /// added up as train() says, each times `scale`, and of what does not follow from them.
    int of_update(int value, const std::vector<int>& gradients, double scale);
    /// What a step leaves behind in a variable.
    void set_next(int variable, int value);
    /// A variable that counts the updates from 0: an int32 scalar.
    int update_count(const std::string& name);
    /// The values of a loss or, with `metric`, of a metric of Keras: of each sample, or of each of its
    /// numbers.
    int compared(const std::string& name, bool metric, int output, int labels, bool from_logits);
    /// The CTC loss of each sample, as training::CtcLoss has it.
    int ctc_loss(int shares, bool of_logarithms, int labels, int label_lengths, int steps,
                 std::int64_t blank);
    /// `kind`: "output", "loss" or "metric".
    void fetch(const std::string& name, int value, const std::string& kind);
    /// The number of the variable of that name; -1 where there is none.
    int variable_named(const std::string& name) const;
    std::vector<int> trainable() const; ///< variables that are trained
    /// The gradients of a loss, a scalar, by values; -1 where it does not depend on one.
    std::vector<int> gradients(int loss, const std::vector<int>& values);
    /// What is trained: settings as a workload's `compile.optimizer` has them, as JSON text. `reduction`:
    /// "sum", "mean" or "running_mean" of accumulated gradients. `updates`: (variable, gradient) where the
    /// script says which gradients are applied; else all that is trainable is updated from the loss. `rate`:
    /// a learning rate that is computed; -1 for the optimiser's own. `label`: what the names of the
    /// optimiser's slots begin with, where that is not its name. A graph may be trained several times, by
    /// gradients that are given: then what is `read_later` in the step is updated where it stands, else at
    /// the step's end.
    void train(int loss, const std::string& optimiser, const std::string& reduction,
               const std::vector<std::pair<int, int>>& updates, int rate, const std::string& label,
               bool read_later);
    /// What a variable is after the updates of the step so far.
    int now(int variable) const;
    /// What it is after them instead: a value that is made of now(), by operations that are of the update.
    void set_updated(int variable, int value);
    /// (variable, what a step leaves behind in it) of those that it changes.
    std::vector<std::pair<int, int>> next_values() const;
    /// Leaves a variable, which the last update has changed, as `before` where the update does not hold:
    /// `holds`, a truth value.
    void take_back(int variable, int holds, int before);
    pybind11::tuple type(int value) const; ///< (dtype, shape)
    /// Whether a value is a variable, a feed or a constant itself, also in another shape: where a variable is
    /// assigned in the step, that is what it is after it.
    bool is_view(int value) const;
    /// Values of a graph that has no feeds. Variables have their values in `weights`, or their first ones,
    /// and leave behind there what they are after it. What is drawn is that of step `step`.
    std::vector<pybind11::array> compute(const std::vector<int>& values,
                                         const std::shared_ptr<run::Weights>& weights, std::uint64_t step);

  private:
    bool is_of_update(graph::ValueId value) const;
    /// `value`, worked out in the update, from what `in_update_` has.
    Result<graph::ValueId> in_update(graph::ValueId value);
    Result<void> add_update(const graph::OptimiserSpec& optimiser,
                            const std::vector<std::pair<int, int>>& updates, int rate);
    /// Makes the operations from the `first` on, which are an update, a part of the step that it is made in.
    void update_at_once(std::size_t first);
    /// Makes what a value is made of, back to the update before it, a part of that.
    void belong_to_update(graph::ValueId value);
    graph::Graph graph_;
    const graph::OperatorRegistry& registry_;
    graph::Builder build_;
    std::map<std::string, graph::LayerId> layers_;
    std::map<graph::ValueId, graph::ValueId> in_update_; ///< values, as the update makes them
    bool repeated_ = false;            ///< whether what an update assigns was made of a step before
    training::EarlierUpdates earlier_; ///< of this step, as updates see them
    std::map<graph::ValueId, graph::ValueId> updated_; ///< variables, as what is read from here on sees them
};

/// Takes what the names of an optimiser's slots begin with; "" for its name.
void label_slots(graph::OptimiserSpec& optimiser, const std::string& label);

/// The types (dtype, shape) that an operation's outputs have. Throws where the inputs do not fit.
pybind11::list infer_types(const graph::OperatorRegistry& registry, const std::string& kind,
                           const std::vector<std::pair<std::string, graph::Shape>>& inputs,
                           const pybind11::dict& attributes);

/// An operation's outputs for values of the host; what is drawn is that of step `step`.
std::vector<pybind11::array> compute_now(const graph::OperatorRegistry& registry, const std::string& kind,
                                         const std::vector<pybind11::array>& inputs,
                                         const pybind11::dict& attributes, std::uint64_t step);

} // namespace tilescope::python
