// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/require_flops.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tilescope::operators {
namespace {

/// Operators that count no floating-point operations.
constexpr std::array<std::string_view, 28> none{
    // They move elements, or convert them.
    "accumulated", "all_gather", "broadcast_to", "cast", "concatenate", "embedding_lookup", "gather",
    "gather_elements", "gather_nd", "group_all_to_all", "group_gather", "group_index", "group_scatter", "pad",
    "recomputation_checkpoint", "remote_load", "remote_store", "reshape", "slice", "split", "take",
    "take_share", "transpose",
    // They add up what replicas and micro-batches have: work of how a run is set up, not of its model.
    "accumulate", "all_reduce", "group_mean", "reduce_scatter",
    // Those of its body count: graph::flops_of().
    "scan"};

bool told(const graph::Operator& op) {
    return op.flops || op.elementwise || std::find(none.begin(), none.end(), op.name) != none.end();
}

} // namespace

void require_flops(const graph::OperatorRegistry& registry) {
    for (const std::string& name : registry.names())
        if (!told(registry.at(name))) {
            std::fprintf(stderr, "operator %s says no flops\n", name.c_str());
            std::abort();
        }
}

} // namespace tilescope::operators
