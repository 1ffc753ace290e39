// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operation.h"
#include "tensor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

/// Operators about shapes, and constants.
namespace tilescope::onnx {
namespace {

using graph::DType;
using graph::HostTensor;
using graph::Shape;

constexpr std::int64_t largest_block = 1 << 15; ///< of DepthToSpace and SpaceToDepth

Result<OnnxValues> identity(const OnnxOperation& op) {
    return values_of({op.in(0)});
}

/// 0 keeps an extent unless `allowzero`; -1 is what is left.
Result<OnnxValues> reshape_operator(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(Shape shape, op.integers_or_input("shape", 1));
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
    return values_of({reshape(op, x, shape)});
}

Result<OnnxValues> flatten(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    const std::int64_t axis = op.integer("axis", 1);
    if (axis < -x.rank() || axis > x.rank())
        return refused("axis " + std::to_string(axis) + " is out of range");
    const auto cut = x.shape().begin() + (axis < 0 ? axis + x.rank() : axis);
    return values_of({reshape(op, x,
                              {graph::element_count(Shape(x.shape().begin(), cut)),
                               graph::element_count(Shape(cut, x.shape().end()))})});
}

Result<OnnxValues> squeeze(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const Integers axes, op.integers_or_input("axes", 1));
    std::vector<bool> gone(x.shape().size(), false);
    for (const std::int64_t axis : axes) {
        TRY(const std::size_t d, axis_of(axis, x.rank()));
        gone[d] = true;
    }
    Shape shape;
    for (std::size_t d = 0; d < x.shape().size(); ++d)
        if (axes.empty() ? x.shape()[d] != 1 : !gone[d])
            shape.push_back(x.shape()[d]);
    return values_of({reshape(op, x, shape)});
}

Result<OnnxValues> unsqueeze(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const Integers axes, op.integers_or_input("axes", 1));
    const std::int64_t rank = x.rank() + static_cast<std::int64_t>(axes.size());
    std::vector<bool> fresh(static_cast<std::size_t>(rank), false);
    for (const std::int64_t axis : axes) {
        TRY(const std::size_t d, axis_of(axis, rank));
        fresh[d] = true;
    }
    if (std::count(fresh.begin(), fresh.end(), true) != static_cast<std::int64_t>(axes.size()))
        return refused("an axis is named twice");
    Shape shape;
    auto next = x.shape().begin();
    for (const bool inserted : fresh)
        shape.push_back(inserted ? 1 : *next++);
    return values_of({reshape(op, x, shape)});
}

Result<OnnxValues> transpose_operator(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    Integers reversed(x.shape().size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return values_of({transpose(op, x, op.integers("perm", reversed))});
}

Result<OnnxValues> concat(const OnnxOperation& op) {
    TRY(OnnxValues values, op.all_inputs());
    if (values.size() == 1)
        return values;
    return values_of({op.emit("concatenate", values, {{"axis", op.integer("axis", op.opset < 4 ? 1 : 0)}})});
}

Result<OnnxValues> expand(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const Shape wanted, op.known_integers(1));
    const auto shape = graph::broadcast(x.shape(), wanted);
    if (!shape)
        return refused("shape " + graph::to_string(x.shape()) + " does not broadcast to " +
                       graph::to_string(wanted));
    return values_of({broadcast(op, x, *shape)});
}

/// [a, b] as [1, a, 1, b], repeated to [r, a, s, b], is [r a, s b].
Result<OnnxValues> tile(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const Integers repeats, op.known_integers(1));
    if (static_cast<std::int64_t>(repeats.size()) != x.rank())
        return refused("repeats " + graph::to_string(repeats) + " do not fit " + graph::to_string(x.type));
    Shape apart;
    Shape repeated;
    Shape joined;
    for (std::size_t d = 0; d < repeats.size(); ++d) {
        apart.insert(apart.end(), {1, x.shape()[d]});
        repeated.insert(repeated.end(), {repeats[d], x.shape()[d]});
        joined.push_back(graph::element_count({repeats[d], x.shape()[d]}));
    }
    return values_of({reshape(op, broadcast(op, reshape(op, x, apart), repeated), joined)});
}

Result<OnnxValues> shape_operator(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    const Shape& shape = x.shape();
    const std::int64_t rank = x.rank();
    const auto place = [rank](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t begin = place(op.integer("start", 0));
    const std::int64_t end = std::max(begin, place(op.integer("end", rank)));
    return values_of({op.graph.whole_numbers(Integers(shape.begin() + begin, shape.begin() + end))});
}

Result<OnnxValues> size(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    return values_of({op.graph.scalar(static_cast<double>(x.type.elements()), DType::Int32)});
}

Result<OnnxValues> constant(const OnnxOperation& op) {
    if (const OnnxTensor* tensor = op.tensor("value"))
        return values_of({op.graph.known(*tensor, graph::is_floating(*device_type(tensor->type)))});
    if (op.has_attribute("value_int"))
        return values_of(
            {op.graph.known(OnnxTensor{"constant", "int64", {}, {op.integer("value_int", 0)}, {}})});
    if (op.has_attribute("value_ints"))
        return values_of({op.graph.whole_numbers(op.integers("value_ints"))});
    if (op.has_attribute("value_float"))
        return values_of({op.graph.scalar(op.real("value_float", 0), DType::Float32)});
    if (op.has_attribute("value_floats")) {
        const std::vector<double> values = op.reals("value_floats");
        const std::vector<float> floats(values.begin(), values.end());
        return values_of(
            {op.graph.known(HostTensor::of_floats({static_cast<std::int64_t>(floats.size())}, floats))});
    }
    return refused("its value is neither a dense tensor nor numbers", "export it as a tensor of numbers");
}

Result<OnnxValues> constant_of_shape(const OnnxOperation& op) {
    const OnnxTensor* value = op.tensor("value");
    OnnxValue one = value == nullptr ? op.graph.scalar(0, DType::Float32) : op.graph.known(*value);
    TRY(const Shape shape, op.known_integers(0));
    return values_of({broadcast(op, reshape(op, one, {}), shape)});
}

/// start + delta i. How many there are must be known; the values themselves may be fed.
Result<OnnxValues> range(const OnnxOperation& op) {
    TRY(const double start, op.known_real(0));
    TRY(const double limit, op.known_real(1));
    TRY(const double delta, op.known_real(2));
    const double count = delta == 0 ? -1 : std::ceil((limit - start) / delta);
    if (!(count < 4294967296.0) || delta == 0)
        return refused("the range has no end");
    TRY(const OnnxValue first, op.in(0));
    TRY(const OnnxValue numbers,
        cast(op, count_up(op, static_cast<std::int64_t>(std::max(0.0, count))), first.type.dtype));
    return values_of({op.emit(
        "add", {op.emit("multiply", {numbers, reshape(op, op.in(2), {})}), reshape(op, first, {})})});
}

/// Both are a rearrangement of blocks: [n, c, h, w] with its channels or its rows and columns cut.
Result<OnnxValues> depth_to_space(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    const std::int64_t b = op.integer("blocksize", 1);
    if (x.rank() != 4 || b < 1 || b > largest_block || x.shape()[1] % (b * b) != 0)
        return refused("a block size of " + std::to_string(b) + " does not fit " + graph::to_string(x.type));
    const std::int64_t n = x.shape()[0], c = x.shape()[1] / (b * b), h = x.shape()[2], w = x.shape()[3];
    const bool columns_first = op.text("mode", "DCR") == "CRD";
    TRY(const OnnxValue cut,
        reshape(op, x, columns_first ? Shape{n, c, b, b, h, w} : Shape{n, b, b, c, h, w}));
    TRY(const OnnxValue turned,
        transpose(op, cut, columns_first ? Integers{0, 1, 4, 2, 5, 3} : Integers{0, 3, 4, 1, 5, 2}));
    return values_of({reshape(op, turned, {n, c, h * b, w * b})});
}

Result<OnnxValues> space_to_depth(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    const std::int64_t b = op.integer("blocksize", 1);
    if (x.rank() != 4 || b < 1 || b > largest_block || x.shape()[2] % b != 0 || x.shape()[3] % b != 0)
        return refused("a block size of " + std::to_string(b) + " does not fit " + graph::to_string(x.type));
    const std::int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2] / b, w = x.shape()[3] / b;
    TRY(const OnnxValue turned, transpose(op, reshape(op, x, {n, c, h, b, w, b}), {0, 3, 5, 1, 2, 4}));
    return values_of({reshape(op, turned, {n, c * b * b, h, w})});
}

/// The upper or lower triangle of the last two dimensions, chosen by a mask.
Result<OnnxValues> triangle(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    if (x.rank() < 2)
        return refused("expects matrices, got " + graph::to_string(x.type));
    const bool upper = op.flag("upper", true);
    TRY(const std::int64_t diagonal, op.has(1) ? op.known_integer(1) : 0);
    const std::int64_t rows = x.shape()[x.shape().size() - 2];
    const std::int64_t columns = x.shape().back();
    TRY(expect_countable(graph::element_count({rows, columns})));
    HostTensor mask(graph::TensorType{DType::Bool, {rows, columns}});
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        const std::int64_t above = i % columns - i / columns;
        mask.set(i, (upper ? above >= diagonal : above <= diagonal) ? 1 : 0);
    }
    TRY(const OnnxValue zeros, broadcast(op, op.scalar_like(x, 0), x.shape()));
    return values_of({op.emit("select", {broadcast(op, op.graph.known(mask), x.shape()), x, zeros})});
}

/// 1 on the diagonal that lies k above the main one.
Result<OnnxValues> eye_like(const OnnxOperation& op) {
    TRY(const OnnxValue like, op.in(0));
    if (like.rank() != 2)
        return refused("is of " + graph::to_string(like.type), "give it a matrix");
    const auto type = device_type(onnx_type_name(static_cast<int>(op.integer("dtype", 0))));
    if (op.has_attribute("dtype") && !type)
        return refused("makes a matrix of a type that the device cannot hold");
    graph::HostTensor eye(graph::TensorType{type ? *type : like.type.dtype, like.shape()});
    const std::int64_t above = op.integer("k", 0);
    for (std::int64_t row = 0; row < like.shape()[0]; ++row)
        for (std::int64_t column = 0; column < like.shape()[1]; ++column)
            eye.set(row * like.shape()[1] + column, column - row == above ? 1 : 0);
    return values_of({op.graph.known(eye)});
}

/// a - b cos(2 pi i / n) + c cos(4 pi i / n), of n points, or of n + 1 of which the last is left out.
OnnxMapping window(double a, double b, double c) {
    return [a, b, c](const OnnxOperation& op) -> Result<OnnxValues> {
        TRY(const std::int64_t n, op.known_integer(0));
        TRY(expect_countable(n));
        const auto type = device_type(onnx_type_name(static_cast<int>(op.integer("output_datatype", 1))));
        if (!type)
            return refused("makes a window of a type that the device cannot hold");
        graph::HostTensor values(graph::TensorType{*type, {n}});
        const auto period = static_cast<double>(op.flag("periodic", true) ? n : n - 1);
        for (std::int64_t i = 0; i < n; ++i) {
            const double at = 2 * std::numbers::pi * static_cast<double>(i) / std::max(period, 1.0);
            values.set(i, a - b * std::cos(at) + c * std::cos(2 * at));
        }
        return values_of({op.graph.known(values)});
    };
}

} // namespace

void add_onnx_shapes(OnnxMappings& m) {
    m["EyeLike"] = eye_like;
    m["HannWindow"] = window(0.5, 0.5, 0);
    m["HammingWindow"] = window(25.0 / 46, 21.0 / 46, 0);
    m["BlackmanWindow"] = window(0.42, 0.5, 0.08);
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
