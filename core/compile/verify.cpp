// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "compile/passes.h"
#include "graph/builder.h"
namespace tilescope::compile {

using graph::Operation;
using graph::Source;
using graph::ValueId;

Result<std::string> verify(Compilation& c) {
    const graph::Graph& graph = c.graph();
    if (graph.operations().empty())
        return bad_input("the graph has no operations", graph.name, "give it at least one node");
    if (graph.fetches.empty())
        return bad_input("the graph fetches nothing", graph.name, "name an output, a loss or a metric");
    for (const graph::Value& value : graph.values())
        if (const auto size = graph::check_size(value.type.shape); !size)
            return bad_input(size.error().message, value.name, size.error().remedy);
    for (const Operation& op : graph.operations()) {
        if (c.cancelled())
            return cancelled();
        const graph::Operator* kind = c.registry.find(op.kind);
        if (kind == nullptr || !kind->compute)
            return bad_input("operation \"" + op.kind + "\" cannot be run on an IPU", op.name);
        for (const ValueId input : op.inputs)
            if (graph.value(input).source == Source::Operation && graph.value(input).producer >= op.id)
                return bad_input("an input is made after it is used", op.name);
    }
    return count_text(static_cast<std::int64_t>(graph.operations().size())) + " operations, " +
           count_text(static_cast<std::int64_t>(graph.variables.size())) + " variables";
}

} // namespace tilescope::compile
