// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "base/worker_pool.h"
#include "graph/builder.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"

#include <cmath>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::TensorType;
using graph::ValueId;

/// Whether a step draws: one that trains, or any where the operation says so.
bool draws(const ComputeContext& c) {
    return c.random.training || c.attributes.flag("always");
}

/// y = x / (1 - rate) where the mask holds, else 0. The mask of an element depends on seed, salt, step and
/// its place in the global batch only; with a seed of its own, on that and its place in the tensor. Its own
/// gradient: the same function of dy.
void compute(ComputeContext& c) {
    const auto& x = *c.inputs[0];
    auto& y = *c.outputs[0];
    const double rate = c.attributes.real("rate");
    if (!draws(c) || rate == 0) {
        std::copy(x.floats().begin(), x.floats().end(), y.floats().begin());
        return;
    }
    const bool seeded = c.attributes.has("seed");
    const auto salt = static_cast<std::uint64_t>(c.attributes.integer("salt"));
    const std::uint64_t stream = seeded ? 0 : (salt << 40) ^ c.random.step;
    const auto seed = seeded ? static_cast<std::uint64_t>(c.attributes.integer("seed")) : c.random.seed;
    const std::int64_t sample = x.shape().empty() || x.shape()[0] == 0 ? 1 : x.elements() / x.shape()[0];
    const auto first = seeded ? 0 : static_cast<std::uint64_t>(c.random.sample_offset * sample);
    const kernels::DropoutMask mask{seed, stream, static_cast<std::uint32_t>(rate * 4294967296.0),
                                    static_cast<float>(1.0 / (1.0 - rate))};
    const float* from = x.floats().data();
    float* to = y.floats().data();
    c.pool.parallel_for(static_cast<std::size_t>(x.elements()), worth_a_thread(kernels::element_ns),
                        [&](std::size_t begin, std::size_t end) {
                            c.kernels.dropout(mask, from + begin, to + begin, first + begin,
                                              static_cast<std::int64_t>(end - begin));
                        });
}

/// Number `i` of a stream of normal numbers; where there is a limit, the first of its draws that lies within.
double normal_within(const RandomStream& stream, std::uint64_t i, double limit) {
    double n = stream.normal(i);
    for (std::uint64_t again = 1; limit > 0 && std::abs(n) > limit && again < 1U << 15U; ++again)
        n = stream.normal(again << 48U | i);
    return n;
}

/// y = x + `stddev` n, n normal with mean 0 and deviation 1 and not beyond `limit`, by the same rule as
/// masks.
void add_noise(ComputeContext& c) {
    const auto& x = *c.inputs[0];
    const auto from = x.floats();
    auto to = c.outputs[0]->floats();
    const double deviation = draws(c) ? c.attributes.real("stddev") : 0;
    const double limit = c.attributes.real("limit");
    const auto salt = static_cast<std::uint64_t>(c.attributes.integer("salt"));
    const RandomStream stream(c.random.seed, (salt << 40) ^ c.random.step);
    const std::int64_t sample = x.shape().empty() || x.shape()[0] == 0 ? 1 : x.elements() / x.shape()[0];
    const auto first = static_cast<std::uint64_t>(c.random.sample_offset * sample);
    constexpr double normal_ns = 20; // of a number and its logarithm, root and cosine
    c.pool.parallel_for(from.size(), worth_a_thread(normal_ns), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            to[i] = deviation == 0
                        ? from[i]
                        : from[i] + static_cast<float>(deviation * normal_within(stream, first + i, limit));
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
    op.summary =
        "x / (1 - `rate`) with a share `rate` of the elements set to 0 while training, with `always` in "
        "any run; `salt` tells masks apart. With a `seed` the mask is that of the seed, in each step.";
    op.infer = of_floats(infer);
    op.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        return graph::values_of(
            {g.build.emit("dropout_gradient", {g.output_gradients[0]}, g.operation.attributes)});
    };
    op.compute = compute;
    op.flops = [](auto, std::span<const TensorType> out, const Attributes&) { return out[0].elements(); };
    op.random = true;
    op.in_place = graph::InPlace::Any;
    registry.add(op);
    op.name = "dropout_gradient";
    op.summary = "dx of dropout from dy, under the same mask.";
    registry.add(std::move(op)); // its own gradient is the same of that

    graph::Operator noise;
    noise.name = "gaussian_noise";
    noise.summary = "x with normal noise of deviation `stddev` while training, with `always` in any run; "
                    "`salt` tells noises apart; with a `limit`, no number is as many deviations from 0.";
    noise.infer =
        of_floats([](std::span<const TensorType> in, const Attributes& a) -> Result<std::vector<TensorType>> {
            if (!(a.real("stddev") >= 0))
                return shape_error("a stddev of at least 0", std::to_string(a.real("stddev")));
            if (const double limit = a.real("limit"); limit != 0 && !(limit >= 0.01))
                return shape_error("a limit of at least 0.01", std::to_string(limit));
            return same_as_first(1)(in, a);
        });
    noise.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        return graph::values_of({g.output_gradients[0]});
    };
    noise.compute = add_noise;
    noise.flops = [](auto, std::span<const TensorType> out, const Attributes&) {
        return 2 * out[0].elements();
    };
    noise.random = true;
    noise.in_place = graph::InPlace::Any;
    registry.add(std::move(noise));
}

} // namespace tilescope::operators
