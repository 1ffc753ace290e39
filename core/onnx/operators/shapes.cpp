// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

/// Operators about shapes, and constants.
namespace tilescope::onnx {
namespace {

using graph::DType;
using graph::HostTensor;
using graph::Shape;

constexpr std::int64_t largest_block = 1 << 15; ///< of DepthToSpace and SpaceToDepth

OnnxValues identity(const OnnxOperation& op) {
    return {op.in(0)};
}

/// 0 keeps an extent unless `allowzero`; -1 is what is left.
OnnxValues reshape_operator(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    Shape shape = op.integers_or_input("shape", 1);
    if (!op.flag("allowzero", false))
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (shape[d] == 0)
                shape[d] = d < x.shape().size() ? x.shape()[d] : 0;
    const auto open = std::find(shape.begin(), shape.end(), -1);
    if (open != shape.end()) {
        *open = 1;
        const std::int64_t known = graph::element_count(shape);
        *open = known > 0 ? x.type.elements() / known : 0;
    }
    return {reshape(op, x, shape)};
}

OnnxValues flatten(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const std::int64_t axis = op.integer("axis", 1);
    if (axis < -x.rank() || axis > x.rank())
        throw OnnxRefusal("axis " + std::to_string(axis) + " is out of range");
    const auto cut = x.shape().begin() + (axis < 0 ? axis + x.rank() : axis);
    return {reshape(op, x,
                    {graph::element_count(Shape(x.shape().begin(), cut)),
                     graph::element_count(Shape(cut, x.shape().end()))})};
}

OnnxValues squeeze(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const Integers axes = op.integers_or_input("axes", 1);
    std::vector<bool> gone(x.shape().size(), false);
    for (const std::int64_t axis : axes)
        gone[axis_of(axis, x.rank())] = true;
    Shape shape;
    for (std::size_t d = 0; d < x.shape().size(); ++d)
        if (axes.empty() ? x.shape()[d] != 1 : !gone[d])
            shape.push_back(x.shape()[d]);
    return {reshape(op, x, shape)};
}

OnnxValues unsqueeze(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const Integers axes = op.integers_or_input("axes", 1);
    const std::int64_t rank = x.rank() + static_cast<std::int64_t>(axes.size());
    std::vector<bool> fresh(static_cast<std::size_t>(rank), false);
    for (const std::int64_t axis : axes)
        fresh[axis_of(axis, rank)] = true;
    if (std::count(fresh.begin(), fresh.end(), true) != static_cast<std::int64_t>(axes.size()))
        throw OnnxRefusal("an axis is named twice");
    Shape shape;
    auto next = x.shape().begin();
    for (const bool inserted : fresh)
        shape.push_back(inserted ? 1 : *next++);
    return {reshape(op, x, shape)};
}

OnnxValues transpose_operator(const OnnxOperation& op) {
    Integers reversed(op.in(0).shape().size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return {transpose(op, op.in(0), op.integers("perm", reversed))};
}

OnnxValues concat(const OnnxOperation& op) {
    OnnxValues values = op.all_inputs();
    if (values.size() == 1)
        return values;
    return {op.emit("concatenate", values, {{"axis", op.integer("axis", op.opset < 4 ? 1 : 0)}})};
}

OnnxValues expand(const OnnxOperation& op) {
    const Shape wanted = op.known_integers(1);
    const auto shape = graph::broadcast(op.in(0).shape(), wanted);
    if (!shape)
        throw OnnxRefusal("shape " + graph::to_string(op.in(0).shape()) + " does not broadcast to " +
                          graph::to_string(wanted));
    return {broadcast(op, op.in(0), *shape)};
}

/// [a, b] as [1, a, 1, b], repeated to [r, a, s, b], is [r a, s b].
OnnxValues tile(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const Integers repeats = op.known_integers(1);
    if (static_cast<std::int64_t>(repeats.size()) != x.rank())
        throw OnnxRefusal("repeats " + graph::to_string(repeats) + " do not fit " + graph::to_string(x.type));
    Shape apart;
    Shape repeated;
    Shape joined;
    for (std::size_t d = 0; d < repeats.size(); ++d) {
        apart.insert(apart.end(), {1, x.shape()[d]});
        repeated.insert(repeated.end(), {repeats[d], x.shape()[d]});
        joined.push_back(graph::element_count({repeats[d], x.shape()[d]}));
    }
    return {reshape(op, broadcast(op, reshape(op, x, apart), repeated), joined)};
}

OnnxValues shape_operator(const OnnxOperation& op) {
    const Shape& shape = op.in(0).shape();
    const std::int64_t rank = op.in(0).rank();
    const auto place = [rank](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t begin = place(op.integer("start", 0));
    const std::int64_t end = std::max(begin, place(op.integer("end", rank)));
    return {op.graph.whole_numbers(Integers(shape.begin() + begin, shape.begin() + end))};
}

OnnxValues size(const OnnxOperation& op) {
    return {op.graph.scalar(static_cast<double>(op.in(0).type.elements()), DType::Int32)};
}

OnnxValues constant(const OnnxOperation& op) {
    if (const OnnxTensor* tensor = op.tensor("value"))
        return {op.graph.known(*tensor, graph::is_floating(*device_type(tensor->type)))};
    if (op.has_attribute("value_int"))
        return {op.graph.known(OnnxTensor{"constant", "int64", {}, {op.integer("value_int", 0)}, {}})};
    if (op.has_attribute("value_ints"))
        return {op.graph.whole_numbers(op.integers("value_ints"))};
    if (op.has_attribute("value_float"))
        return {op.graph.scalar(op.real("value_float", 0), DType::Float32)};
    if (op.has_attribute("value_floats")) {
        const std::vector<double> values = op.reals("value_floats");
        const std::vector<float> floats(values.begin(), values.end());
        return {op.graph.known(HostTensor::of_floats({static_cast<std::int64_t>(floats.size())}, floats))};
    }
    throw OnnxRefusal("its value is neither a dense tensor nor numbers", "export it as a tensor of numbers");
}

OnnxValues constant_of_shape(const OnnxOperation& op) {
    const OnnxTensor* value = op.tensor("value");
    OnnxValue one = value == nullptr ? op.graph.scalar(0, DType::Float32) : op.graph.known(*value);
    return {broadcast(op, reshape(op, one, {}), op.known_integers(0))};
}

/// start + delta i. How many there are must be known; the values themselves may be fed.
OnnxValues range(const OnnxOperation& op) {
    const double start = op.known_real(0);
    const double delta = op.known_real(2);
    const double count = delta == 0 ? -1 : std::ceil((op.known_real(1) - start) / delta);
    if (!(count < 4294967296.0) || delta == 0)
        throw OnnxRefusal("the range has no end");
    const DType dtype = op.in(0).type.dtype;
    const OnnxValue numbers = cast(op, count_up(op, static_cast<std::int64_t>(std::max(0.0, count))), dtype);
    return {op.emit("add",
                    {op.emit("multiply", {numbers, reshape(op, op.in(2), {})}), reshape(op, op.in(0), {})})};
}

/// Both are a rearrangement of blocks: [n, c, h, w] with its channels or its rows and columns cut.
OnnxValues depth_to_space(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const std::int64_t b = op.integer("blocksize", 1);
    if (x.rank() != 4 || b < 1 || b > largest_block || x.shape()[1] % (b * b) != 0)
        throw OnnxRefusal("a block size of " + std::to_string(b) + " does not fit " +
                          graph::to_string(x.type));
    const std::int64_t n = x.shape()[0], c = x.shape()[1] / (b * b), h = x.shape()[2], w = x.shape()[3];
    const bool columns_first = op.text("mode", "DCR") == "CRD";
    const OnnxValue cut = reshape(op, x, columns_first ? Shape{n, c, b, b, h, w} : Shape{n, b, b, c, h, w});
    const OnnxValue turned =
        transpose(op, cut, columns_first ? Integers{0, 1, 4, 2, 5, 3} : Integers{0, 3, 4, 1, 5, 2});
    return {reshape(op, turned, {n, c, h * b, w * b})};
}

OnnxValues space_to_depth(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    const std::int64_t b = op.integer("blocksize", 1);
    if (x.rank() != 4 || b < 1 || b > largest_block || x.shape()[2] % b != 0 || x.shape()[3] % b != 0)
        throw OnnxRefusal("a block size of " + std::to_string(b) + " does not fit " +
                          graph::to_string(x.type));
    const std::int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2] / b, w = x.shape()[3] / b;
    const OnnxValue turned = transpose(op, reshape(op, x, {n, c, h, b, w, b}), {0, 3, 5, 1, 2, 4});
    return {reshape(op, turned, {n, c * b * b, h, w})};
}

/// The upper or lower triangle of the last two dimensions, chosen by a mask.
OnnxValues triangle(const OnnxOperation& op) {
    const OnnxValue& x = op.in(0);
    if (x.rank() < 2)
        throw OnnxRefusal("expects matrices, got " + graph::to_string(x.type));
    const bool upper = op.flag("upper", true);
    const std::int64_t diagonal = op.has(1) ? op.known_integer(1) : 0;
    const std::int64_t rows = x.shape()[x.shape().size() - 2];
    const std::int64_t columns = x.shape().back();
    expect_countable(graph::element_count({rows, columns}));
    HostTensor mask(graph::TensorType{DType::Bool, {rows, columns}});
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        const std::int64_t above = i % columns - i / columns;
        mask.set(i, (upper ? above >= diagonal : above <= diagonal) ? 1 : 0);
    }
    const OnnxValue zeros = broadcast(op, op.scalar_like(x, 0), x.shape());
    return {op.emit("select", {broadcast(op, op.graph.known(mask), x.shape()), x, zeros})};
}

} // namespace

void add_onnx_shapes(OnnxMappings& m) {
    m["Identity"] = identity;
    m["Reshape"] = reshape_operator;
    m["Flatten"] = flatten;
    m["Squeeze"] = squeeze;
    m["Unsqueeze"] = unsqueeze;
    m["Transpose"] = transpose_operator;
    m["Concat"] = concat;
    m["Expand"] = expand;
    m["Tile"] = tile;
    m["Shape"] = shape_operator;
    m["Size"] = size;
    m["Constant"] = constant;
    m["ConstantOfShape"] = constant_of_shape;
    m["Range"] = range;
    m["DepthToSpace"] = depth_to_space;
    m["SpaceToDepth"] = space_to_depth;
    m["Trilu"] = triangle;
}

} // namespace tilescope::onnx
