// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "graph/builder.h"
#include "operators/families.h"

#include <algorithm>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::DType;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

/// Calls visit(element of the table, element of the rows looked up) for one row of each id in the table.
template<class Visit>
void each_row(std::span<const std::int32_t> ids, std::int64_t rows, std::int64_t width, const Visit& visit) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (ids[i] >= 0 && ids[i] < rows)
            visit(ids[i] * width, static_cast<std::int64_t>(i) * width);
}

void look_up(ComputeContext& c) {
    const std::int64_t width = c.inputs[0]->shape()[1];
    const float* table = c.inputs[0]->floats().data();
    float* y = c.outputs[0]->floats().data();
    std::fill(y, y + c.outputs[0]->elements(), 0.0F);
    each_row(c.inputs[1]->ints(), c.inputs[0]->shape()[0], width,
             [&](std::int64_t from, std::int64_t to) { std::copy_n(table + from, width, y + to); });
}

void scatter_add(ComputeContext& c) {
    const std::int64_t width = c.outputs[0]->shape()[1];
    const float* dy = c.inputs[1]->floats().data();
    float* table = c.outputs[0]->floats().data();
    std::fill(table, table + c.outputs[0]->elements(), 0.0F);
    each_row(c.inputs[0]->ints(), c.outputs[0]->shape()[0], width, [&](std::int64_t to, std::int64_t from) {
        for (std::int64_t k = 0; k < width; ++k)
            table[to + k] += dy[from + k];
    });
}

Shape looked_up(const Shape& ids, std::int64_t width) {
    Shape shape = ids;
    shape.push_back(width);
    return shape;
}

} // namespace

void add_embedding_operators(graph::OperatorRegistry& registry) {
    graph::Operator lookup;
    lookup.name = "embedding_lookup";
    lookup.summary =
        "The rows of a table [rows, width] that int32 ids [..] name, as [.., width]; zeros for ids "
        "outside of it. `serialization_factor` looks them up in so many parts of the rows, one after "
        "another.";
    lookup.infer = [](std::span<const TensorType> in,
                      const Attributes& a) -> Result<std::vector<TensorType>> {
        TRY(expect_inputs(in, 2));
        if (in[0].shape.size() != 2 || !is_floating(in[0].dtype) || in[1].dtype != DType::Int32)
            return shape_error("a float table [rows, width] and int32 ids",
                               to_string(in[0]) + " and " + to_string(in[1]));
        const std::int64_t parts = a.integer("serialization_factor", 1);
        if (parts < 1 || in[0].shape[0] % parts != 0)
            return bad_input("serialization_factor " + std::to_string(parts) + " does not divide the " +
                                 std::to_string(in[0].shape[0]) + " rows",
                             {}, "use a factor of these");
        return std::vector<TensorType>{{in[0].dtype, looked_up(in[1].shape, in[0].shape[1])}};
    };
    lookup.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        const std::int64_t rows = g.build.type(g.operation.inputs[0]).shape[0];
        return graph::values_of(
            {g.build.emit("embedding_lookup_gradient", {g.operation.inputs[1], g.output_gradients[0]},
                          {{"rows", rows}}),
             graph::no_value});
    };
    lookup.compute = look_up;
    registry.add(std::move(lookup));

    graph::Operator gradient;
    gradient.name = "embedding_lookup_gradient";
    gradient.summary =
        "The gradient of the table of embedding_lookup, of `rows` rows, from ids and dy: the sum "
        "of dy over equal ids.";
    gradient.infer = [](std::span<const TensorType> in,
                        const Attributes& a) -> Result<std::vector<TensorType>> {
        TRY(expect_inputs(in, 2));
        if (in[0].dtype != DType::Int32 || in[1].shape.empty() ||
            in[1].shape != looked_up(in[0].shape, in[1].shape.back()))
            return shape_error("int32 ids [..] and dy [.., width]",
                               to_string(in[0]) + " and " + to_string(in[1]));
        return std::vector<TensorType>{{in[1].dtype, {a.integer("rows"), in[1].shape.back()}}};
    };
    gradient.gradient = [](graph::GradientContext& g) -> Result<std::vector<ValueId>> {
        return graph::values_of({graph::no_value, g.build.emit("embedding_lookup", {g.output_gradients[0],
                                                                                    g.operation.inputs[0]})});
    };
    gradient.compute = scatter_add;
    gradient.flops = [](std::span<const TensorType> in, auto, const Attributes&) { return in[1].elements(); };
    registry.add(std::move(gradient));
}

} // namespace tilescope::operators
