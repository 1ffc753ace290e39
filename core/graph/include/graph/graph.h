// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/entry.h"
#include "base/error.h"
#include "base/kinds.h"
#include "base/units.h"
#include "graph/attributes.h"
#include "graph/initial_value.h"
#include "graph/tensor.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::graph {

using ValueId = Strong<struct ValueTag, std::int32_t>;
using OpId = Strong<struct OpTag, std::int32_t>;
using LayerId = Strong<struct LayerTag, std::int32_t>;
inline constexpr ValueId no_value{-1};
inline constexpr OpId no_op{-1};
inline constexpr LayerId no_layer{-1};

enum class Source { Operation, Feed, Variable, Constant };

inline constexpr const char* host_device = "/device:CPU:0";
inline constexpr const char* ipu_device_prefix = "/device:IPU:";

/// Where an operation runs. Set by scopes in the model; inherited by gradients.
struct Placement {
    std::string device;      ///< "/device:IPU:1", "/device:CPU:0"; "" is the first IPU device
    std::int32_t shard = -1; ///< or pipeline stage; -1: not assigned
    bool operator==(const Placement&) const = default;
    bool on_host() const { return device == host_device; }
};

/// An edge: one tensor, made once per step.
struct Value {
    TensorType type;
    std::string name;
    Source source = Source::Operation;
    OpId producer = no_op;  ///< where source is Operation
    std::int32_t index = 0; ///< output number of the producer, or index in feeds, variables or constants
    LayerId layer = no_layer;
};

struct Operation {
    OpId id;
    std::string kind; ///< name in the operator registry
    std::string name; ///< unique
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    Attributes attributes;
    Phase phase = Phase::Forward;
    LayerId layer = no_layer;
    Placement placement;
};

struct Layer {
    std::string name;
    std::string kind; ///< "Conv2D", …
    Shape output_shape;
    std::int64_t parameters = 0; ///< elements of its variables
};

/// What a variable must be after each update (core/training/include/training/constraints.h).
struct Constraint {
    std::string name;    ///< "max_norm", …
    Attributes settings; ///< max_value, min_value, rate, axes
};

/// State that lives on the device between steps.
struct Variable {
    std::string name;
    ValueId value = no_value; ///< what a step reads
    ValueId next = no_value;  ///< what the step leaves behind; no_value where it stays as it is
    InitialValue initial;
    bool trainable = true;
    LayerId layer = no_layer;
    std::optional<Constraint> constraint = {};
};

/// A tensor that the host provides for each step, in the order of the data set's columns.
struct Feed {
    std::string name;
    ValueId value = no_value;
    bool linear = false; ///< mapped linearly over the tiles, wherever its users want it
};

/// A value known at compile time.
struct Constant {
    ValueId value = no_value;
    HostTensor tensor;
};

enum class FetchKind { Output, Loss, Metric };

/// A tensor that the host gets back. Losses and metrics are means over the batch (scalars).
struct Fetch {
    std::string name;
    ValueId value = no_value;
    FetchKind kind = FetchKind::Output;
};

/// A learning rate that changes with the step, counted from 0 (keras/optimizers/schedules).
struct RateSchedule {
    std::string name;    ///< "ExponentialDecay", …
    Attributes settings; ///< by Keras' names: initial_learning_rate, decay_steps …; boundaries and values
};

/// What to do with the gradient of the loss. Names and defaults are Keras' (TF1's where `tf1`).
struct OptimiserSpec {
    std::string name;    ///< "sgd", "adam", "rmsprop" …
    Attributes settings; ///< learning_rate, momentum, nesterov, beta_1, beta_2, rho, epsilon …
    std::optional<RateSchedule> schedule = {}; ///< instead of learning_rate
    double loss_scale = 1; ///< of the loss before differentiation; undone before the update
};

/// How the gradients of the batches of one weight update, accumulated or of several replicas, become one.
/// RunningMean is the mean, kept as one while batches come, so that it never grows beyond them.
enum class GradientReduction { Sum, Mean, RunningMean };

/// How a graph is trained; absent for inference.
struct Training {
    ValueId loss = no_value; ///< scalar
    OptimiserSpec optimiser;
    GradientReduction reduction = GradientReduction::Sum;
};

/// What one step computes. Operations stand in an order in which each one's inputs come before it.
class Graph {
  public:
    std::string name;
    std::vector<Layer> layers;
    std::vector<Variable> variables;
    std::vector<Feed> feeds;
    std::vector<Constant> constants;
    std::vector<Fetch> fetches;
    std::optional<Training> training;

    const std::vector<Value>& values() const { return values_; }
    const std::vector<Operation>& operations() const { return operations_; }
    const Value& value(ValueId id) const { return entry(values_, id); }
    Value& value(ValueId id) { return entry(values_, id); }
    const Operation& operation(OpId id) const { return entry(operations_, id); }
    Operation& operation(OpId id) { return entry(operations_, id); }
    const TensorType& type(ValueId id) const { return value(id).type; }
    /// The constant tensor of a value, or nullptr where it is not a constant.
    const HostTensor* constant(ValueId id) const;

    ValueId add_value(Value value);
    /// Appends the operation and makes its output values; gives it an id and a unique name.
    OpId add_operation(Operation operation, const std::vector<TensorType>& outputs);
    /// Gives an operation one more output, after those that it has.
    ValueId add_output(OpId id, TensorType type);
    /// Replaces all operations (a pass that reorders or drops some); ids and producers are renumbered.
    void set_operations(std::vector<Operation> operations);

    /// Shards or pipeline stages that the operations are assigned to: one more than the highest index.
    std::int32_t shards() const;
    /// For each value, the operations that read it.
    std::vector<std::vector<OpId>> users() const;

  private:
    std::vector<Value> values_;
    std::vector<Operation> operations_;
    std::map<std::string, std::int64_t> names_; ///< of operations: the next number to put behind each
};

} // namespace tilescope::graph
