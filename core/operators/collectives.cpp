// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/families.h"

#include <algorithm>

/// Sums over replicas and micro-batches. The executor adds up what the update reads of all of them before it
/// computes the update, so that the sum is there already; here it is only scaled.
namespace tilescope::operators {
namespace {

void all_reduce(graph::ComputeContext& c) {
    const auto scale = static_cast<float>(c.attributes.real("scale", 1.0));
    const auto in = c.inputs[0]->floats();
    std::transform(in.begin(), in.end(), c.outputs[0]->floats().begin(),
                   [scale](float value) { return value * scale; });
}

/// y = gradient: the executor adds up the micro-batches. On the device it is added to the accumulator.
void accumulate(graph::ComputeContext& c) {
    const auto in = c.inputs[1]->floats();
    std::copy(in.begin(), in.end(), c.outputs[0]->floats().begin());
}

} // namespace

void add_collective_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "all_reduce";
    op.summary = "y = `scale` times the sum of x over `replicas` replicas, the same on each.";
    op.infer = of_floats(same_as_first(1));
    op.compute = all_reduce;
    registry.add(std::move(op));

    graph::Operator sum;
    sum.name = "accumulate";
    sum.summary = "accumulator' = accumulator + gradient, over the micro-batches of a weight update.";
    sum.infer = of_floats(same_as_first(2));
    sum.compute = accumulate;
    registry.add(std::move(sum));
}

} // namespace tilescope::operators
