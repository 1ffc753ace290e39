// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "compile/passes.h"
#include "graph/builder.h"

#include <string>
#include <utility>
#include <vector>

namespace tilescope::compile {

/// Makes the order of a graph's operations anew: what a pass emits comes to where it is then, and not to the
/// end of the graph, where a builder puts it.
class Reordering {
  public:
    explicit Reordering(const Compilation& c) : build(c.graph(), c.registry), c_(c) {}

    /// Visits a copy of each operation, in order and in its scope: `visit` places it, changed or not, and
    /// emits others before and behind it. Returns the new order. Errors: those of `visit`; Cancelled.
    template<class Visit>
    Result<std::vector<graph::Operation>> each(const Visit& visit) {
        const std::vector<graph::Operation> operations = c_.graph().operations();
        for (graph::Operation op : operations) {
            if (c_.cancelled())
                return cancelled();
            build.scope = {op.layer, op.phase, op.placement, {}};
            TRY(visit(op));
        }
        return std::move(ordered_);
    }
    void place(graph::Operation op) { ordered_.push_back(std::move(op)); }
    /// Emits an operation and places it; returns its outputs. Errors: those of `graph::Builder::add`.
    Result<std::vector<graph::ValueId>> add(const std::string& kind,
                                            const std::vector<graph::ValueId>& inputs,
                                            graph::Attributes attributes, const std::string& name) {
        TRY(auto outputs, build.add(kind, inputs, std::move(attributes), name));
        place(c_.graph().operation(c_.graph().value(outputs[0]).producer));
        return outputs;
    }
    /// The same of one output.
    Result<graph::ValueId> emit(const std::string& kind, const std::vector<graph::ValueId>& inputs,
                                graph::Attributes attributes, const std::string& name) {
        TRY(const auto outputs, add(kind, inputs, std::move(attributes), name));
        return outputs[0];
    }

    graph::Builder build;

  private:
    const Compilation& c_;
    std::vector<graph::Operation> ordered_;
};

} // namespace tilescope::compile
