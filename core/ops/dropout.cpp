// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/worker_pool.h"
#include "graph/builder.h"
#include "ops/families.h"
#include "ops/kernels/kernel_table.h"

namespace tilescope::ops {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::element_count;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

/// y = x / (1 - rate) where the mask holds, else 0. The mask of an element depends on seed, salt, step and
/// its place in the global batch only. Its own gradient: the same function of dy.
void compute(ComputeContext& c) {
    const auto& x = *c.inputs[0];
    auto& y = *c.outputs[0];
    const double rate = c.attributes.real("rate");
    if (!c.random.training || rate == 0) {
        std::copy(x.floats().begin(), x.floats().end(), y.floats().begin());
        return;
    }
    const auto salt = static_cast<std::uint64_t>(c.attributes.integer("salt"));
    const std::uint64_t stream = (salt << 40) ^ c.random.step;
    const std::int64_t sample = x.shape().empty() || x.shape()[0] == 0 ? 1 : x.elements() / x.shape()[0];
    const auto first = static_cast<std::uint64_t>(c.random.sample_offset * sample);
    const kernels::DropoutMask mask{c.random.seed, stream, static_cast<std::uint32_t>(rate * 4294967296.0),
                                    static_cast<float>(1.0 / (1.0 - rate))};
    const float* from = x.floats().data();
    float* to = y.floats().data();
    c.pool.parallel_for(static_cast<std::size_t>(x.elements()), 4096,
                        [&](std::size_t begin, std::size_t end) {
                            c.kernels.dropout(mask, from + begin, to + begin, first + begin,
                                              static_cast<std::int64_t>(end - begin));
                        });
}

Result<std::vector<TensorType>> infer(std::span<const TensorType> in, const Attributes& a) {
    const double rate = a.real("rate");
    if (!(rate >= 0 && rate < 1))
        return shape_error("a rate from 0 up to but not 1", std::to_string(rate));
    return same_as_first(1)(in, a);
}

} // namespace

void add_dropout_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "dropout";
    op.summary = "x / (1 - `rate`) with a share `rate` of the elements set to 0 while training; `salt` tells "
                 "masks apart.";
    op.infer = infer;
    op.gradient = [](graph::GradientContext& g) -> std::vector<ValueId> {
        return {g.build.emit("dropout_gradient", {g.output_gradients[0]}, g.operation.attributes)};
    };
    op.compute = compute;
    op.flops = [](auto, std::span<const TensorType> out, const Attributes&) { return out[0].elements(); };
    op.stateful = true;
    registry.add(op);
    op.name = "dropout_gradient";
    op.summary = "dx of dropout from dy, under the same mask.";
    op.gradient = {};
    registry.add(std::move(op));
}

} // namespace tilescope::ops
