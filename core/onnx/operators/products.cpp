// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operation.h"

#include <algorithm>

/// Matrix products.
namespace tilescope::onnx {
namespace {

using graph::Shape;

Result<OnnxValue> times(const OnnxOperation& op, const Result<OnnxValue>& value, double factor) {
    TRY(const OnnxValue x, value);
    return factor == 1.0 ? x : op.emit("multiply", {x, op.scalar_like(x, factor)});
}

/// alpha A B + beta C, A and B turned as asked for.
Result<OnnxValues> gemm(const OnnxOperation& op) {
    TRY(const OnnxValue product,
        op.emit("matmul", {op.in(0), op.in(1)},
                {{"transpose_a", op.flag("transA", false)}, {"transpose_b", op.flag("transB", false)}}));
    TRY(const OnnxValue y, times(op, product, op.real("alpha", 1.0)));
    const double beta = op.real("beta", 1.0);
    if (!op.has(2) || beta == 0)
        return values_of({y});
    return values_of({op.emit("add", {y, times(op, op.in(2), beta)})});
}

/// As NumPy's: vectors are a row on the left, a column on the right; leading dimensions broadcast.
Result<OnnxValues> matmul(const OnnxOperation& op) {
    TRY(OnnxValue a, op.in(0));
    TRY(OnnxValue b, op.in(1));
    const bool row = a.rank() == 1;
    const bool column = b.rank() == 1;
    if (a.rank() == 0 || b.rank() == 0)
        return refused("expects vectors or matrices, got " + graph::to_string(a.type) + " and " +
                       graph::to_string(b.type));
    if (row) {
        TRY(a, reshape(op, a, {1, a.shape()[0]}));
    }
    if (column) {
        TRY(b, reshape(op, b, {b.shape()[0], 1}));
    }
    const bool folds = a.rank() > 2 && b.rank() == 2; // one product of all rows
    Shape result = a.shape();
    if (folds) {
        result.back() = b.shape()[1];
        TRY(a, reshape(op, a,
                       {a.type.elements() / std::max<std::int64_t>(a.shape().back(), 1), a.shape().back()}));
    } else {
        const auto lead = graph::broadcast(Shape(a.shape().begin(), a.shape().end() - 2),
                                           Shape(b.shape().begin(), b.shape().end() - 2));
        if (!lead)
            return refused("leading dimensions of " + graph::to_string(a.type) + " and " +
                           graph::to_string(b.type) + " do not broadcast");
        for (OnnxValue* x : {&a, &b}) {
            Shape shape = *lead;
            shape.insert(shape.end(), x->shape().end() - 2, x->shape().end());
            TRY(*x, broadcast(op, *x, shape));
        }
    }
    TRY(OnnxValue y, op.emit("matmul", {a, b}));
    if (folds) {
        TRY(y, reshape(op, y, result));
    }
    Shape shape = y.shape();
    if (column)
        shape.pop_back();
    if (row)
        shape.erase(shape.end() - (column ? 1 : 2));
    return values_of({reshape(op, y, shape)});
}

/// Rows [m, n] moved by so many places, with 0 behind or, with `back`, in front.
Result<OnnxValue> moved(const OnnxOperation& op, const OnnxValue& rows, std::int64_t places, bool back) {
    const std::int64_t n = rows.shape()[1];
    return op.emit("pad", {slice(op, rows, 1, back ? places : 0, n - places)},
                   {{"before", Integers{0, back ? 0 : places}},
                    {"after", Integers{0, back ? places : 0}},
                    {"value", 0.0}});
}

/// Sums so far along an axis, of twice as many elements with each step. A product with a triangular matrix,
/// as PopART makes it (willow/src/popx/op/cumsumx.cpp), has 0 times what comes later in them, which is not a
/// number where that is infinite.
Result<OnnxValues> cumulative_sum(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const std::int64_t along, op.known_integer(1));
    TRY(const std::size_t axis, axis_of(along, x.rank()));
    if (x.type.dtype == graph::DType::Bool)
        return refused("sums up truth values", "cast them to whole numbers");
    const std::int64_t n = x.shape()[axis];
    const bool reverse = op.flag("reverse", false);
    TRY(const OnnxValue last, axis_last(op, x, axis));
    TRY(OnnxValue sums, reshape(op, last, {x.type.elements() / std::max<std::int64_t>(n, 1), n}));
    if (op.flag("exclusive", false)) {
        TRY(sums,
            n <= 1 ? broadcast(op, op.scalar_like(sums, 0), sums.shape()) : moved(op, sums, 1, reverse));
    }
    for (std::int64_t places = 1; places < n; places *= 2) {
        TRY(sums, op.emit("add", {sums, moved(op, sums, places, reverse)}));
    }
    return values_of({axis_back(op, reshape(op, sums, last.shape()), axis)});
}

} // namespace

void add_onnx_products(OnnxMappings& m) {
    m["Gemm"] = gemm;
    m["MatMul"] = matmul;
    m["CumSum"] = cumulative_sum;
}

} // namespace tilescope::onnx
