// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/compiler.h"
#include "graph/graph.h"

#include <algorithm>
#include <cstdint>

namespace tilescope::compile {

/// `minimum_remote_tensor_size` of IPU TensorFlow.
inline constexpr std::int64_t least_remote_bytes = 128;

/// Replicas of which each has a share of what lives there: of trained weights, or of what only updates use.
inline std::int64_t sharers_of(bool trained, const Options& options) {
    return (trained ? options.shard_weights : options.shard_state) ? options.schedule.replicas : 1;
}

/// Whether the weight update makes a variable's next value, and the host fetches neither of them, as what is
/// to live in streaming memory must be.
inline bool only_update_sets(const graph::Graph& graph, const graph::Variable& variable) {
    if (variable.next == graph::no_value)
        return false;
    const graph::Value& next = graph.value(variable.next);
    return next.source == graph::Source::Operation && graph.operation(next.producer).phase == Phase::Update &&
           std::none_of(graph.fetches.begin(), graph.fetches.end(), [&](const graph::Fetch& fetch) {
               return fetch.value == variable.value || fetch.value == variable.next;
           });
}

} // namespace tilescope::compile
