// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "graph/operands.h"
#include "graph/operator_registry.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tilescope::graph {

inline constexpr std::int64_t most_elements = std::int64_t{1} << 32; ///< of a tensor: no IPU holds more
inline constexpr std::size_t most_operations = std::size_t{1} << 18; ///< of a graph

/// Errors: BadInput for a shape with more elements than any IPU can hold, or with a negative extent.
Result<void> check_size(const Shape& shape);

/// The values, or the first failure among them.
inline Result<std::vector<ValueId>> values_of(const Operands<ValueId>& values) {
    return values.values();
}

/// Adds to a graph, checking every operation against the registry, and every tensor's size. What is added
/// gets the current scope: layer, phase, placement and name prefix.
class Builder {
  public:
    struct Scope {
        LayerId layer = no_layer;
        Phase phase = Phase::Forward;
        Placement placement;
        std::string prefix; ///< before each operation's name: "conv2d/"
    };

    Builder(Graph& graph, const OperatorRegistry& registry) : graph_(graph), registry_(registry) {}

    Graph& graph() { return graph_; }
    const Graph& graph() const { return graph_; }
    const OperatorRegistry& registry() const { return registry_; }
    const TensorType& type(ValueId id) const { return graph_.type(id); }
    Scope scope;

    LayerId layer(std::string name, std::string kind);
    /// Errors: BadInput for a feed or a variable that is too large.
    Result<ValueId> feed(const std::string& name, TensorType type);
    Result<ValueId> variable(const std::string& name, InitialValue initial, bool trainable = true);
    ValueId constant(const std::string& name, HostTensor tensor);
    ValueId scalar(double value, DType dtype = DType::Float32);
    /// The value as this type: itself, or a cast of it.
    Result<ValueId> as_type(const Result<ValueId>& value, DType dtype);
    void fetch(const std::string& name, ValueId value, FetchKind kind = FetchKind::Output);

    /// Adds an operation of a registered kind. Errors: BadInput for an unknown kind (names the nearest), for
    /// inputs whose types do not fit, for an output that is too large and for more than `most_operations`
    /// (the operation's name is the place).
    Result<std::vector<ValueId>> add(const std::string& kind, const Operands<ValueId>& inputs,
                                     Attributes attributes = {}, const std::string& name = {});
    /// The same for an operation with a single output.
    Result<ValueId> emit(const std::string& kind, const Operands<ValueId>& inputs, Attributes attributes = {},
                         const std::string& name = {});

  private:
    Graph& graph_;
    const OperatorRegistry& registry_;
};

} // namespace tilescope::graph
