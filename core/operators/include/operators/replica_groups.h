// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "graph/operator_registry.h"

#include <cstdint>
#include <span>
#include <string>

/// Operations whose results depend on what several replicas have: those of a group compute them together.
namespace tilescope::operators {

/// The attribute that says of how many.
inline constexpr const char* group_attribute = "group";

/// Computes such an operation for all replicas of a group at once. The computation of a single one is that of
/// replicas which all have the same.
using OfGroup = void (*)(std::span<graph::ComputeContext> lanes);

/// Null for other operations.
OfGroup of_group(const std::string& kind);

/// The replicas that must be computed side by side: 1 where the graph has no such operations.
std::int64_t replicas_of_group(const graph::Graph& graph);

} // namespace tilescope::operators
