// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operation.h"

#include <algorithm>
#include <limits>

/// Reading and writing by index, and searches. Indices that are computed may count from the end.
namespace tilescope::onnx {
namespace {

using graph::DType;
using graph::Shape;

Result<OnnxValues> gather(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxValue indices, op.in(1));
    TRY(const std::size_t axis, axis_of(op.integer("axis", 0), x.rank()));
    if (!indices.known || indices.computed())
        return values_of({op.emit("gather", {x, indices},
                                  {{"axis", static_cast<std::int64_t>(axis)}, {"from_end", true}})});
    Integers places = integers_of(indices);
    for (std::int64_t& place : places) {
        if (place < -x.shape()[axis] || place >= x.shape()[axis])
            return refused("index " + std::to_string(place) + " is outside " + graph::to_string(x.type));
        place += place < 0 ? x.shape()[axis] : 0;
    }
    Shape shape = x.shape();
    const auto at = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(at, indices.shape().begin(), indices.shape().end());
    const bool run = !places.empty() &&
                     places.back() - places.front() + 1 == static_cast<std::int64_t>(places.size()) &&
                     std::is_sorted(places.begin(), places.end());
    const auto taken = run && std::adjacent_find(places.begin(), places.end()) == places.end()
                           ? slice(op, x, axis, places.front(), static_cast<std::int64_t>(places.size()))
                           : take(op, x, axis, places);
    return values_of({reshape(op, taken, shape)});
}

Result<OnnxValues> gather_elements(const OnnxOperation& op) {
    return values_of({op.emit("gather_elements", {op.in(0), op.in(1)},
                              {{"axis", op.integer("axis", 0)}, {"from_end", true}})});
}

Result<OnnxValues> gather_nd(const OnnxOperation& op) {
    return values_of({op.emit("gather_nd", {op.in(0), op.in(1)},
                              {{"batch_dims", op.integer("batch_dims", 0)}, {"from_end", true}})});
}

Result<graph::Attributes> scatter_of(const OnnxOperation& op) {
    const std::string reduction = op.text("reduction", "none");
    for (const char* const known : {"none", "add", "mul", "min", "max"})
        if (reduction == known)
            return graph::Attributes{{"reduction", reduction}, {"from_end", true}};
    return unsupported("reduction \"" + reduction + "\" is not supported", "use none, add, mul, min or max");
}

Result<OnnxValues> scatter_elements(const OnnxOperation& op) {
    TRY(graph::Attributes attributes, scatter_of(op));
    attributes.set("axis", op.integer("axis", 0));
    return values_of({op.emit("scatter_elements", {op.in(0), op.in(1), op.in(2)}, attributes)});
}

Result<OnnxValues> scatter_nd(const OnnxOperation& op) {
    TRY(const graph::Attributes attributes, scatter_of(op));
    return values_of({op.emit("scatter_nd", {op.in(0), op.in(1), op.in(2)}, attributes)});
}

/// The first steps of each sequence in turn, as many as it has.
Result<OnnxValues> reverse_sequence(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const OnnxValue lengths, op.in(1));
    const std::int64_t time = op.integer("time_axis", 0);
    if (x.rank() < 2 || time + op.integer("batch_axis", 1) != 1 || time < 0 || time > 1)
        return refused("reverses other axes than the first two", "put time and batch first");
    Integers order{1, 0};
    for (std::int64_t d = 2; d < x.rank(); ++d)
        order.push_back(d);
    TRY(const OnnxValue by_batch, time == 0 ? transpose(op, x, order) : Result<OnnxValue>(x));
    const Shape shape{by_batch.shape()[0], by_batch.shape()[1]};
    TRY(const OnnxValue steps, broadcast(op, count_up(op, shape[1]), shape));
    TRY(const OnnxValue all,
        broadcast(op, reshape(op, cast(op, lengths, DType::Int32), {shape[0], 1}), shape));
    TRY(const OnnxValue back,
        op.emit("subtract", {op.emit("subtract", {all, op.scalar_like(all, 1)}), steps}));
    TRY(const OnnxValue places, op.emit("select", {op.emit("less", {steps, all}), back, steps}));
    TRY(const OnnxValue turned, op.emit("gather_nd", {by_batch, reshape(op, places, {shape[0], shape[1], 1})},
                                        {{"batch_dims", std::int64_t{1}}}));
    return values_of({time == 0 ? transpose(op, turned, order) : Result<OnnxValue>(turned)});
}

/// Whole numbers below 0 count from the end.
Result<OnnxValue> from_the_front(const OnnxOperation& op, const OnnxValue& indices, std::int64_t depth) {
    TRY(const OnnxValue whole, cast(op, indices, DType::Int32));
    TRY(const OnnxValue below, cast(op, op.emit("less", {whole, op.scalar_like(whole, 0)}), DType::Int32));
    const OnnxValue all = op.scalar_like(whole, static_cast<double>(depth));
    return op.emit("add", {whole, op.emit("multiply", {below, all})});
}

Result<OnnxValues> one_hot(const OnnxOperation& op) {
    TRY(const OnnxValue indices, op.in(0));
    TRY(const double depth, op.known_real(1));
    if (!(depth >= 1 && depth < 2147483648.0))
        return refused("the depth is " + std::to_string(depth));
    const auto classes = static_cast<std::int64_t>(depth);
    TRY(const std::size_t axis, axis_of(op.integer("axis", -1), indices.rank() + 1));
    TRY(const OnnxValue hit, is_class(op, from_the_front(op, indices, classes), axis, classes));
    const auto constant = [&](std::int64_t at) { // [off, on]
        return broadcast(op, reshape(op, slice(op, op.in(2), 0, at, 1), {}), hit.shape());
    };
    return values_of({op.emit("select", {hit, constant(1), constant(0)})});
}

/// Index of the largest along an axis; with `last`, that of the last of equals.
Result<OnnxValue> argmax_along(const OnnxOperation& op, const OnnxValue& x, std::size_t axis, bool last) {
    TRY(OnnxValue row, axis_last(op, x, axis));
    const std::int64_t extent = x.shape()[axis];
    if (last) {
        TRY(expect_countable(extent));
        Integers reversed;
        for (std::int64_t i = extent; i-- > 0;)
            reversed.push_back(i);
        TRY(row, take(op, row, row.shape().size() - 1, reversed));
    }
    TRY(OnnxValue found, op.emit("argmax", {row}, {{"axis", std::int64_t{-1}}}));
    if (!last)
        return found;
    return op.emit("subtract", {op.scalar_like(found, static_cast<double>(extent - 1)), found});
}

OnnxMapping arg(bool smallest) {
    return [smallest](const OnnxOperation& op) -> Result<OnnxValues> {
        TRY(OnnxValue x, op.in(0));
        TRY(const std::size_t axis, axis_of(op.integer("axis", 0), x.rank()));
        if (smallest) {
            const bool whole = x.type.dtype == DType::Int32;
            TRY(x, whole ? op.emit("subtract", {op.scalar_like(x, 0), x}) : op.emit("negate", {x}));
        }
        TRY(const OnnxValue found, argmax_along(op, x, axis, op.flag("select_last_index", false)));
        Shape shape = x.shape();
        shape[axis] = 1;
        return values_of({op.flag("keepdims", true) ? reshape(op, found, shape) : found});
    };
}

/// 1 at the first largest, else 0. Before opset 13 all dimensions from the axis on are one.
Result<OnnxValues> hardmax(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    OnnxValue rows = x;
    TRY(std::size_t axis, axis_of(op.integer("axis", op.opset < 13 ? 1 : -1), x.rank()));
    if (op.opset < 13) {
        const auto cut = x.shape().begin() + static_cast<std::ptrdiff_t>(axis);
        TRY(rows, reshape(op, x,
                          {graph::element_count(Shape(x.shape().begin(), cut)),
                           graph::element_count(Shape(cut, x.shape().end()))}));
        axis = 1;
    }
    TRY(const OnnxValue hit, is_class(op, argmax_along(op, rows, axis, false), axis, rows.shape()[axis]));
    return values_of({reshape(op, cast(op, hit, x.type.dtype), x.shape())});
}

/// Sorted values and their indices; before opset 10 k is an attribute.
Result<OnnxValues> top_k(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const std::size_t axis, axis_of(op.integer("axis", -1), x.rank()));
    TRY(const std::int64_t k, op.has(1) ? op.known_integer(1) : op.integer("k", 1));
    TRY(const OnnxValues found, op.graph.emit_all("top_k", {axis_last(op, x, axis)},
                                                  {{"k", k}, {"largest", op.flag("largest", true)}}));
    return values_of({axis_back(op, found[0], axis), axis_back(op, found[1], axis)});
}

} // namespace

void add_onnx_indexing(OnnxMappings& m) {
    m["Gather"] = gather;
    m["GatherElements"] = gather_elements;
    m["GatherND"] = gather_nd;
    m["Scatter"] = scatter_elements;
    m["ScatterElements"] = scatter_elements;
    m["ScatterND"] = scatter_nd;
    m["OneHot"] = one_hot;
    m["ReverseSequence"] = reverse_sequence;
    m["ArgMax"] = arg(false);
    m["ArgMin"] = arg(true);
    m["Hardmax"] = hardmax;
    m["TopK"] = top_k;
}

} // namespace tilescope::onnx
