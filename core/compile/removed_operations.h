// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "profile/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::compile {

/// The operations of a graph and of the bodies in it, in order, before a pass.
class OperationList {
  public:
    explicit OperationList(const graph::Graph& graph);

    /// Those whose names the graph has no longer, as what the pass of that event removed.
    std::vector<profile::RemovedOperationRecord> removed_from(const graph::Graph& graph,
                                                              std::int64_t event_id) const;

  private:
    struct Listed {
        std::string name, kind;
        std::int64_t layer = -1;
    };
    /// `layer`: that of the operation whose body the graph is; -1: it is no body.
    void add(const graph::Graph& graph, std::int64_t layer);
    std::vector<Listed> all_;
};

} // namespace tilescope::compile
