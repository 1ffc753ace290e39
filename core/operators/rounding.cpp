// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/worker_pool.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"

#include <cmath>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::no_value;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

struct Row {
    const char* name;
    const char* formula;
    float (*apply)(float);
};

constexpr std::size_t grain =
    worth_a_thread(2 * kernels::element_ns); ///< elements, of functions of the library

const Row rows[] = {
    {"floor", "the largest whole number not above x", [](float x) { return std::floor(x); }},
    {"ceil", "the smallest whole number not below x", [](float x) { return std::ceil(x); }},
    {"round", "the nearest whole number, of two the even one", [](float x) { return std::nearbyint(x); }},
};

} // namespace

void add_rounding_operators(graph::OperatorRegistry& registry) {
    for (const Row& row : rows) {
        graph::Operator op;
        op.name = row.name;
        op.summary = std::string("y = ") + row.formula + ", element by element; x and y of one shape.";
        op.infer = [](std::span<const TensorType> in,
                      const Attributes& a) -> Result<std::vector<TensorType>> {
            auto types = same_as_first(1)(in, a);
            if (types && !is_floating(in[0].dtype))
                return shape_error("a float input", to_string(in[0]));
            return types;
        };
        op.gradient = [](graph::GradientContext&) -> std::vector<ValueId> { return {no_value}; }; // steps
        op.compute = [apply = row.apply](ComputeContext& c) {
            const auto x = c.inputs[0]->floats();
            const auto y = c.outputs[0]->floats();
            c.pool.parallel_for(x.size(), grain, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    y[i] = apply(x[i]);
            });
        };
        op.elementwise = true;
        registry.add(std::move(op));
    }
}

} // namespace tilescope::operators
