// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/fused_elementwise.h"

#include "base/worker_pool.h"
#include "kernels/kernel_table.h"
#include "operators/elementwise.h"
#include "operators/families.h"

#include <algorithm>

namespace tilescope::operators {
namespace {

using graph::ComputeContext;
using graph::Shape;
using graph::TensorType;
using graph::to_string;

constexpr std::int64_t block = 2048; ///< elements whose intermediate results stay in the first-level cache

/// How an input is read for a run of the output: in step with it, or repeating every `period` elements.
/// A scalar repeats every element.
struct Reader {
    const float* values;
    std::int64_t period; ///< 0: same shape as the output

    /// The values for outputs [begin, begin + n): a pointer into the input or into `buffer`.
    /// The buffer may hold those of the block before.
    const float* read(std::int64_t begin, std::int64_t n, float* buffer, bool again) const {
        if (period == 0)
            return values + begin;
        if (period == 1) {
            if (!again)
                std::fill(buffer, buffer + block, *values);
            return buffer;
        }
        if (block % period == 0) { // the same for each block
            for (std::int64_t i = 0; i < block && !again; i += period)
                std::copy_n(values, period, buffer + i);
            return buffer;
        }
        for (std::int64_t i = 0; i < n;) {
            const std::int64_t from = (begin + i) % period;
            const std::int64_t run = std::min(n - i, period - from);
            std::copy(values + from, values + from + run, buffer + i);
            i += run;
        }
        return buffer;
    }
};

struct Resolved {
    ElementwiseBlock function;
    std::vector<std::int64_t> arguments;
};

/// What does not change from call to call, and room for what does.
struct Kept {
    std::vector<Resolved> body;
    std::vector<Reader> readers;
};

Kept prepared(const graph::Attributes& attributes) {
    Kept kept;
    for (const FusedStep& step : fused_body(attributes)) {
        ElementwiseBlock function = *elementwise_block(step.kind, {});
        function.alpha = static_cast<float>(step.alpha);
        kept.body.push_back({function, step.arguments});
    }
    return kept;
}

/// A thread's blocks of intermediate results; it grows with the largest body.
struct Scratch {
    std::vector<float> blocks;
    std::vector<const float*> values;
};

void compute_fused(ComputeContext& c) {
    const std::size_t inputs = c.inputs.size();
    const auto kept = c.keep([&] { return prepared(c.attributes); });
    const std::vector<Resolved>& body = kept->body;
    const std::int64_t total = c.outputs[0]->elements();
    std::vector<Reader>& readers = kept->readers;
    readers.clear();
    for (const auto* input : c.inputs)
        readers.push_back(
            {input->floats().data(), input->shape() == c.outputs[0]->shape() ? 0 : input->elements()});
    const bool halves = c.outputs[0]->type().dtype == graph::DType::Float16;
    const auto blocks = static_cast<std::size_t>((total + block - 1) / block);
    const std::size_t grain = worth_a_thread(kernels::element_ns * static_cast<double>(body.size() * block));
    c.pool.parallel_for(blocks, grain, [&](std::size_t first, std::size_t last) {
        thread_local Scratch scratch;
        scratch.blocks.resize(std::max(scratch.blocks.size(), (inputs + body.size()) * block));
        scratch.values.resize(inputs + body.size());
        std::vector<const float*>& values = scratch.values;
        for (std::size_t b = first; b < last; ++b) {
            const std::int64_t begin = static_cast<std::int64_t>(b) * block;
            const std::int64_t n = std::min(block, total - begin);
            for (std::size_t i = 0; i < inputs; ++i)
                values[i] = readers[i].read(begin, n, scratch.blocks.data() + i * block, b != first);
            for (std::size_t k = 0; k < body.size(); ++k) {
                float* out = k + 1 == body.size() ? c.outputs[0]->floats().data() + begin
                                                  : scratch.blocks.data() + (inputs + k) * block;
                const Resolved& step = body[k];
                const float* a = values[static_cast<std::size_t>(step.arguments[0])];
                if (step.function.unary)
                    c.kernels.unary(*step.function.unary, step.function.alpha, a, out, n);
                else
                    c.kernels.binary(*step.function.binary, step.function.alpha, a, 1,
                                     values[static_cast<std::size_t>(step.arguments[1])], 1, out, n);
                if (halves && k + 1 < body.size()) // as between operations that are not fused
                    std::transform(out, out + n, out, graph::round_to_half);
                values[inputs + k] = out;
            }
        }
    });
}

Result<std::vector<TensorType>> infer_fused(std::span<const TensorType> inputs, const graph::Attributes& a) {
    if (inputs.empty() || fused_body(a).empty())
        return shape_error("inputs and a body", "neither");
    Shape shape;
    for (const TensorType& type : inputs) {
        const auto wider = graph::broadcast(shape, type.shape);
        if (!wider)
            return shape_error("shapes that broadcast", to_string(type));
        shape = *wider;
    }
    for (const TensorType& type : inputs) { // only what repeats as a whole can be read block by block
        const bool trailing = type.shape.size() <= shape.size() &&
                              std::equal(type.shape.rbegin(), type.shape.rend(), shape.rbegin());
        if (!trailing && type.elements() != 1)
            return shape_error("operands of the output's shape, its trailing dimensions, or scalars",
                               to_string(type));
    }
    return std::vector<TensorType>{{inputs[0].dtype, shape}};
}

} // namespace

graph::Attributes fused_attributes(const std::vector<FusedStep>& body) {
    std::vector<std::string> kinds;
    std::vector<std::int64_t> arguments;
    std::vector<double> alphas;
    for (const FusedStep& step : body) {
        kinds.push_back(step.kind);
        arguments.push_back(step.arguments[0]);
        arguments.push_back(step.arguments.size() > 1 ? step.arguments[1] : -1);
        alphas.push_back(step.alpha);
    }
    return {{"kinds", kinds}, {"arguments", arguments}, {"alphas", alphas}};
}

std::vector<FusedStep> fused_body(const graph::Attributes& attributes) {
    const std::vector<std::string> kinds = fused_kinds(attributes);
    const auto arguments = attributes.integers("arguments");
    const auto alphas = attributes.get("alphas", std::vector<double>{});
    std::vector<FusedStep> body;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        FusedStep step{kinds[k], {arguments[2 * k]}, alphas[k]};
        if (arguments[2 * k + 1] >= 0)
            step.arguments.push_back(arguments[2 * k + 1]);
        body.push_back(std::move(step));
    }
    return body;
}

std::vector<std::string> fused_kinds(const graph::Attributes& attributes) {
    return attributes.get("kinds", std::vector<std::string>{});
}

void add_fused_elementwise_operator(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "fused_elementwise";
    op.summary = "Several elementwise operations in one pass: inputs of the output's shape, its trailing "
                 "dimensions, or scalars.";
    op.infer = infer_fused;
    op.compute = compute_fused;
    op.in_place = graph::InPlace::Any;
    op.flops = [](std::span<const TensorType>, std::span<const TensorType> outputs,
                  const graph::Attributes& a) {
        return outputs[0].elements() * static_cast<std::int64_t>(fused_kinds(a).size());
    };
    registry.add(std::move(op));
}

} // namespace tilescope::operators
