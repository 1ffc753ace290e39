// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "graph/operator_registry.h"

#include <map>
#include <vector>

namespace tilescope::operators {

/// In which order a graph is computed, and where its values are meanwhile.
struct ValueLives {
    /// `one_batch`: the update follows each batch. Then products that it takes straight from their factors
    /// are computed right before the operation of the update that does.
    ValueLives(const graph::Graph& graph, const graph::OperatorRegistry& registry, bool one_batch = false);

    /// Operations that run at once: the elements of several of which none touches what another writes, or
    /// one.
    struct Group {
        std::size_t first, last; ///< places in `order`
    };

    std::vector<const graph::Operation*> order; ///< without views: everything but the update, then the update
    std::vector<Group> groups;                  ///< all of them, in order
    std::size_t update_groups = 0;              ///< the first of the update
    /// By update: its product, which is the group before that of the update.
    std::map<const graph::Operation*, const graph::Operation*> products;
    /// By value: the value whose memory it is; itself, or what it is a view of or is written over.
    std::vector<graph::ValueId> home;
    /// By value that is its own home: the last group that needs it or what is written over it; the number of
    /// groups for what is read from outside.
    std::vector<std::size_t> last_use;

  private:
    void find_groups(const graph::OperatorRegistry& registry);
    void find_last_uses(const graph::Graph& graph);

    std::size_t update_begins_ = 0; ///< a place in `order`
};

} // namespace tilescope::operators
