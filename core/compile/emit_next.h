// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/try.h"
#include "graph/builder.h"

#include <string>
#include <utility>
#include <vector>

namespace tilescope::compile {

/// Emits an operation of one output and puts it next in `ordered`, the order that a pass makes anew; a
/// builder puts it at the end of the graph. Returns its output. Errors: those of `graph::Builder::emit`.
inline Result<graph::ValueId> emit_next(graph::Builder& build, const graph::Graph& graph,
                                        std::vector<graph::Operation>& ordered, const std::string& kind,
                                        const std::vector<graph::ValueId>& inputs,
                                        graph::Attributes attributes, const std::string& name) {
    TRY(const graph::ValueId made, build.emit(kind, inputs, std::move(attributes), name));
    ordered.push_back(graph.operation(graph.value(made).producer));
    return made;
}

} // namespace tilescope::compile
