// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/families.h"
#include "operators/interpreter.h"

#include <algorithm>

/// Sums over replicas and micro-batches. The executor adds up what the update reads of all of them before it
/// computes the update, so that the sum is there already; here it is only scaled.
namespace tilescope::operators {
namespace {

void scale_each(graph::ComputeContext& c) {
    const auto scale = static_cast<float>(c.attributes.real("scale", 1.0));
    for (std::size_t i = 0; i < c.outputs.size(); ++i) {
        const auto in = c.inputs[i]->floats();
        std::transform(in.begin(), in.end(), c.outputs[i]->floats().begin(),
                       [scale](float value) { return value * scale; });
    }
}

/// The accumulator stays 0 here, where the executor adds up the micro-batches; but parts of one gradient add
/// up.
void accumulate(graph::ComputeContext& c) {
    const auto sum = c.inputs[0]->floats();
    const auto in = c.inputs[1]->floats();
    std::transform(sum.begin(), sum.end(), in.begin(), c.outputs[0]->floats().begin(), std::plus<>());
}

Result<std::vector<graph::TensorType>> infer_each(std::span<const graph::TensorType> in,
                                                  const graph::Attributes&) {
    return std::vector<graph::TensorType>(in.begin(), in.end());
}

/// The first half of the inputs is like the second: as many outputs as either has.
Result<std::vector<graph::TensorType>> infer_halves(std::span<const graph::TensorType> in,
                                                    const graph::Attributes&) {
    const std::size_t count = in.size() / 2;
    if (in.empty() || in.size() % 2 != 0)
        return shape_error("two inputs for each output", std::to_string(in.size()));
    for (std::size_t i = 0; i < count; ++i)
        if (in[i] != in[count + i])
            return shape_error("two inputs of one type for each output",
                               graph::to_string(in[i]) + " and " + graph::to_string(in[count + i]));
    return std::vector<graph::TensorType>(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count));
}

Result<std::vector<graph::TensorType>> infer_gather(std::span<const graph::TensorType> in,
                                                    const graph::Attributes& attributes) {
    return in.size() == 1 ? infer_each(in, attributes) : infer_halves(in, attributes);
}

/// What replicas share is here one tensor, that of all their shares: the last inputs, one for each output.
void gather_each(graph::ComputeContext& c) {
    for (std::size_t i = 0; i < c.outputs.size(); ++i) {
        const auto share = c.inputs[c.inputs.size() - c.outputs.size() + i]->floats();
        std::copy(share.begin(), share.end(), c.outputs[i]->floats().begin());
    }
}

} // namespace

void add_collective_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "all_reduce";
    op.summary =
        "y = `scale` times the sum of x over `replicas` replicas, the same on each; of several x at once.";
    op.infer = of_floats(infer_each);
    op.compute = scale_each;
    registry.add(std::move(op));

    graph::Operator scatter;
    scatter.name = "reduce_scatter";
    scatter.summary =
        "y = `scale` times the sum of x over `replicas` replicas, of which each has a share; from (x, "
        "a tensor like which it is laid out), or of several at once from all x, then all of these.";
    scatter.infer = of_floats(infer_halves);
    scatter.compute = scale_each;
    registry.add(std::move(scatter));

    graph::Operator share;
    share.name = "take_share";
    share.summary = "y = x, of which each of `replicas` replicas has a share.";
    share.infer = same_as_first(1);
    share.compute = copy_first; // what replicas share is here one tensor, that of all their shares
    registry.add(std::move(share));

    graph::Operator gather;
    gather.name = "all_gather";
    gather.summary =
        "y = x, of which each of `replicas` replicas had a share, whole on each; from (v, x) into the memory "
        "of the variable v whose next value it is, or of several at once from all v, then all x.";
    gather.infer = of_floats(infer_gather);
    gather.compute = gather_each;
    gather.in_place = graph::InPlace::Paired;
    registry.add(std::move(gather));

    graph::Operator sum;
    sum.name = "accumulate";
    sum.summary = "accumulator' = accumulator + gradient, over the micro-batches of a weight update.";
    sum.infer = of_floats(same_as_first(2));
    sum.compute = accumulate;
    registry.add(std::move(sum));

    graph::Operator accumulated;
    accumulated.name = "accumulated";
    accumulated.summary =
        "y = the sum of x over the micro-batches of a weight update, for the host, which gets it once.";
    accumulated.infer = of_floats(same_as_first(1));
    accumulated.compute = copy_first; // the executor adds up what the update reads
    registry.add(std::move(accumulated));
}

} // namespace tilescope::operators
