// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "compile/passes.h"
#include "graph/update.h"

#include <vector>

namespace tilescope::compile {

using graph::no_value;
using graph::Operation;
using graph::ValueId;

void remove_dead_code(graph::Graph& graph, const Compilation& c) {
    const std::size_t before = graph.operations().size();
    std::vector<bool> live(graph.values().size(), false);
    const auto mark = [&](ValueId id) {
        if (id != no_value)
            entry(live, id) = true;
    };
    for (const graph::Fetch& fetch : graph.fetches)
        mark(fetch.value);
    for (const graph::Variable& variable : graph.variables)
        mark(variable.next);
    if (graph.training &&
        !has_update(graph)) // which is still to be made of the loss, also of one that no one fetches
        mark(graph.training->loss);
    std::vector<Operation> kept;
    for (std::size_t i = before; i-- > 0;) {
        if (c.cancelled())
            return;
        const Operation& op = graph.operations()[i];
        bool needed = false;
        for (const ValueId output : op.outputs)
            needed = needed || entry(live, output);
        if (!needed)
            continue;
        for (const ValueId input : op.inputs)
            mark(input);
        kept.push_back(op);
    }
    graph.set_operations({kept.rbegin(), kept.rend()});
}

} // namespace tilescope::compile
