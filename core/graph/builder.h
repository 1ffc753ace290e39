// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "graph/operator_registry.h"

#include <string>
#include <vector>

namespace tilescope::graph {

/// Adds to a graph, checking every operation against the registry. What is added gets the current scope:
/// layer, phase, placement and name prefix.
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
    ValueId feed(const std::string& name, TensorType type);
    ValueId variable(const std::string& name, InitialValue initial, bool trainable = true);
    ValueId constant(const std::string& name, HostTensor tensor);
    ValueId scalar(double value, DType dtype = DType::Float32);
    void fetch(const std::string& name, ValueId value, FetchKind kind = FetchKind::Output);

    /// Adds an operation of a registered kind. Errors: BadInput for an unknown kind (names the nearest) and
    /// for inputs whose types do not fit (the operation's name is the place).
    Result<std::vector<ValueId>> add(const std::string& kind, const std::vector<ValueId>& inputs,
                                     Attributes attributes = {}, const std::string& name = {});
    /// The same with a single output, for inputs that are known to fit: a failure is a bug and ends the
    /// program.
    ValueId emit(const std::string& kind, const std::vector<ValueId>& inputs, Attributes attributes = {},
                 const std::string& name = {});

  private:
    Graph& graph_;
    const OperatorRegistry& registry_;
};

} // namespace tilescope::graph
