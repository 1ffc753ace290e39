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

/// Rows of n whole numbers by a matrix of 0 and 1, element by element: products of matrices are of floats.
Result<OnnxValue> whole_sums(const OnnxOperation& op, const OnnxValue& rows, const OnnxValue& matrix) {
    const std::int64_t m = rows.shape()[0];
    const std::int64_t n = rows.shape()[1];
    TRY(expect_countable(m * n * n));
    TRY(const OnnxValue columns, reshape(op, rows, {m, n, 1}));
    return op.emit("reduce_sum", {op.emit("multiply", {broadcast(op, columns, {m, n, n}), matrix})},
                   {{"axes", Integers{1}}});
}

/// Sums so far along an axis: a product with a triangular matrix, as PopART makes it
/// (willow/src/popx/op/cumsumx.cpp).
Result<OnnxValues> cumulative_sum(const OnnxOperation& op) {
    TRY(const OnnxValue x, op.in(0));
    TRY(const std::int64_t along, op.known_integer(1));
    TRY(const std::size_t axis, axis_of(along, x.rank()));
    if (x.type.dtype == graph::DType::Bool)
        return refused("sums up truth values", "cast them to whole numbers");
    const std::int64_t n = x.shape()[axis];
    const bool exclusive = op.flag("exclusive", false);
    const bool reverse = op.flag("reverse", false);
    graph::HostTensor matrix(graph::TensorType{x.type.dtype, {n, n}});
    for (std::int64_t from = 0; from < n; ++from)
        for (std::int64_t to = 0; to < n; ++to) {
            const std::int64_t distance = reverse ? from - to : to - from;
            matrix.set(from * n + to, distance > 0 || (distance == 0 && !exclusive) ? 1 : 0);
        }
    TRY(const OnnxValue last, axis_last(op, x, axis));
    TRY(const OnnxValue rows, reshape(op, last, {x.type.elements() / std::max<std::int64_t>(n, 1), n}));
    const bool floats = graph::is_floating(x.type.dtype);
    TRY(const OnnxValue sums, floats ? op.emit("matmul", {rows, op.graph.known(matrix)})
                                     : whole_sums(op, rows, op.graph.known(matrix)));
    return values_of({axis_back(op, reshape(op, sums, last.shape()), axis)});
}

} // namespace

void add_onnx_products(OnnxMappings& m) {
    m["Gemm"] = gemm;
    m["MatMul"] = matmul;
    m["CumSum"] = cumulative_sum;
}

} // namespace tilescope::onnx
