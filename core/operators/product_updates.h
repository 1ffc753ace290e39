// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/graph.h"
#include "graph/operator_registry.h"

#include <map>

/// Gradients of which nothing is made but one update of plain descent, and which are products: the variable
/// gets them as they are summed, w += -rate a b, and they are never written down. What comes of it is, to the
/// bit, what the two operations give one after the other.
namespace tilescope::operators {

/// By update: the product that is its gradient. Such products have float32 factors that are smaller than what
/// they make, so that no more memory is held until the update.
std::map<const graph::Operation*, const graph::Operation*> products_of_updates(const graph::Graph& graph);

/// An update whose output is its variable's own memory, of a product.
void update_by_product(graph::ComputeContext& product, graph::ComputeContext& update);

/// The parts of it, of which the product's stand in matmul.cpp and the update's in updates.cpp.
float descent_rate(const graph::ComputeContext& update);
/// `onto` += scale times what the operation computes.
void add_product(graph::ComputeContext& product, float scale, graph::HostTensor& onto);
/// Whether all factors of a product are summed in one go, as update_by_product() does.
bool sums_at_once(const graph::Shape& a, const graph::Shape& b, const graph::Attributes& attributes);

} // namespace tilescope::operators
