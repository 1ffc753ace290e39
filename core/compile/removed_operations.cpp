// SPDX-License-Identifier: GPL-3.0-or-later
#include "removed_operations.h"

#include <unordered_set>

namespace tilescope::compile {

OperationList::OperationList(const graph::Graph& graph) {
    add(graph, -1);
}

void OperationList::add(const graph::Graph& graph, std::int64_t layer) {
    for (const graph::Operation& op : graph.operations()) {
        const std::int64_t own = layer < 0 ? op.layer.value : layer;
        all_.push_back({op.name, op.kind, own});
        if (const graph::Body body = op.attributes.body("body"))
            add(*body, own);
    }
}

std::vector<profile::RemovedOperationRecord> OperationList::removed_from(const graph::Graph& graph,
                                                                         std::int64_t event_id) const {
    std::unordered_set<std::string> there;
    for (Listed& listed : OperationList(graph).all_)
        there.insert(std::move(listed.name));
    std::vector<profile::RemovedOperationRecord> removed;
    for (const Listed& listed : all_)
        if (!there.contains(listed.name))
            removed.push_back({event_id, static_cast<std::int64_t>(removed.size()), listed.name, listed.kind,
                               listed.layer});
    return removed;
}

} // namespace tilescope::compile
