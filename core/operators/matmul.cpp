// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "base/worker_pool.h"
#include "graph/builder.h"
#include "kernels/kernel_table.h"
#include "operators/families.h"
#include "product_updates.h"

#include <algorithm>
#include <array>
#include <string>

namespace tilescope::operators {
namespace {

using graph::Attributes;
using graph::ComputeContext;
using graph::Shape;
using graph::TensorType;
using graph::to_string;
using graph::ValueId;

struct Product {
    std::int64_t batch = 1, m = 0, n = 0, k = 0;
    bool transpose_a = false, transpose_b = false;
};

Product product_of(const Shape& a, const Shape& b, const Attributes& attributes) {
    Product p;
    p.transpose_a = attributes.flag("transpose_a");
    p.transpose_b = attributes.flag("transpose_b");
    for (std::size_t d = 0; d + 2 < a.size(); ++d)
        p.batch *= a[d];
    const std::size_t r = a.size();
    p.m = p.transpose_a ? a[r - 1] : a[r - 2];
    p.k = p.transpose_a ? a[r - 2] : a[r - 1];
    p.n = p.transpose_b ? b[r - 2] : b[r - 1];
    return p;
}

/// Dimensions of a product [m, k] x [k, n], as IPU TensorFlow's serialized_matmul names them
/// (tensorflow/python/ipu/ops/math_ops.py): m, k and n.
constexpr std::array<const char*, 3> serial_dimensions{"a_columns", "a_rows_b_columns", "b_rows"};

/// A product that is done in parts: the number of these divides the dimension that is cut.
Result<void> check_parts(const Product& p, const Attributes& attributes) {
    const std::int64_t parts = attributes.integer("serialization_factor", 1);
    if (parts == 1)
        return {};
    const std::string name = attributes.text("serialization_dimension");
    const auto* const dimension = std::find(serial_dimensions.begin(), serial_dimensions.end(), name);
    if (dimension == serial_dimensions.end())
        return bad_input("serialization_dimension \"" + name + "\" is not known", {},
                         "use a_columns, a_rows_b_columns or b_rows");
    const std::int64_t extent =
        std::array{p.m, p.k, p.n}[static_cast<std::size_t>(dimension - serial_dimensions.begin())];
    if (parts < 1 || extent % parts != 0)
        return bad_input("serialization_factor " + std::to_string(parts) + " does not divide the " +
                             std::to_string(extent) + " of " + name,
                         {}, "use a factor of that extent");
    return {};
}

Result<std::vector<TensorType>> infer(std::span<const TensorType> in, const Attributes& attributes) {
    TRY(expect_inputs(in, 2));
    const std::string got = to_string(in[0]) + " and " + to_string(in[1]);
    const Shape& a = in[0].shape;
    const Shape& b = in[1].shape;
    if (a.size() < 2 || a.size() != b.size() || in[0].dtype != in[1].dtype || !is_floating(in[0].dtype))
        return shape_error("two float matrices of one type and rank", got);
    for (std::size_t d = 0; d + 2 < a.size(); ++d)
        if (a[d] != b[d])
            return shape_error("equal leading dimensions", got);
    const Product p = product_of(a, b, attributes);
    if (p.k != (p.transpose_b ? b.back() : b[b.size() - 2]))
        return shape_error("inner dimensions that agree", got);
    TRY(check_parts(p, attributes));
    Shape y(a.begin(), a.end() - 2);
    y.push_back(p.m);
    y.push_back(p.n);
    return std::vector<TensorType>{{in[0].dtype, y}};
}

/// Calls `of(sides, where their product goes, its width)` for some rows of each product.
template<class Of>
void each_rows(ComputeContext& c, float* y, const Of& of) {
    const Product p = product_of(c.inputs[0]->shape(), c.inputs[1]->shape(), c.attributes);
    const float* a = c.inputs[0]->floats().data();
    const float* b = c.inputs[1]->floats().data();
    const std::int64_t lda = p.transpose_a ? p.m : p.k;
    const std::int64_t ldb = p.transpose_b ? p.k : p.n;
    // Rows of all products of the batch are dealt to the threads.
    const std::size_t grain = worth_a_thread(kernels::multiply_add_ns * static_cast<double>(p.n * p.k));
    c.pool.parallel_for(
        static_cast<std::size_t>(p.batch * p.m), grain, [&](std::size_t begin, std::size_t end) {
            for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end);) {
                const std::int64_t image = row / p.m;
                const std::int64_t first = row % p.m;
                const std::int64_t rows = std::min(p.m - first, static_cast<std::int64_t>(end) - row);
                const float* from = a + image * p.m * p.k + (p.transpose_a ? first : first * p.k);
                of({rows, p.n, p.k, from, lda, p.transpose_a, b + image * p.k * p.n, ldb, p.transpose_b},
                   y + (image * p.m + first) * p.n, p.n);
                row += rows;
            }
        });
}

void compute(ComputeContext& c) {
    each_rows(c, c.outputs[0]->floats().data(),
              [&](const kernels::Matrices& sides, float* y, std::int64_t n) { c.kernels.gemm(sides, y, n); });
}

Result<std::vector<ValueId>> gradient(graph::GradientContext& g) {
    const bool ta = g.operation.attributes.flag("transpose_a");
    const bool tb = g.operation.attributes.flag("transpose_b");
    const ValueId a = g.operation.inputs[0];
    const ValueId b = g.operation.inputs[1];
    const ValueId dy = g.output_gradients[0];
    const std::int64_t parts = g.operation.attributes.integer("serialization_factor", 1);
    const std::string serial = g.operation.attributes.text("serialization_dimension");
    // `dimensions`: of the forward product that are the gradient's rows, those that it sums over, its
    // columns.
    const auto multiply = [&](ValueId l, bool tl, ValueId r, bool tr,
                              const std::array<std::size_t, 3>& dimensions) {
        Attributes attributes{{"transpose_a", tl}, {"transpose_b", tr}};
        for (std::size_t d = 0; parts > 1 && d < 3; ++d)
            if (serial == serial_dimensions[dimensions[d]]) {
                attributes.set("serialization_factor", parts);
                attributes.set("serialization_dimension", std::string(serial_dimensions[d]));
            }
        return g.build.emit("matmul", {l, r}, attributes);
    };
    constexpr std::size_t m = 0;
    constexpr std::size_t k = 1;
    constexpr std::size_t n = 2;
    return graph::values_of(
        {ta ? multiply(b, tb, dy, true, {k, n, m}) : multiply(dy, false, b, !tb, {m, n, k}),
         tb ? multiply(dy, true, a, ta, {n, m, k}) : multiply(a, !ta, dy, false, {k, m, n})});
}

} // namespace

void add_product(ComputeContext& product, float scale, graph::HostTensor& onto) {
    each_rows(product, onto.floats().data(), [&](const kernels::Matrices& sides, float* y, std::int64_t n) {
        product.kernels.add_gemm(sides, scale, y, n);
    });
}

bool sums_at_once(const Shape& a, const Shape& b, const Attributes& attributes) {
    return product_of(a, b, attributes).k <= kernels::most_factors_at_once;
}

void add_matmul_operators(graph::OperatorRegistry& registry) {
    graph::Operator op;
    op.name = "matmul";
    op.summary =
        "y [.., m, n] = a [.., m, k] b [.., k, n]; `transpose_a` and `transpose_b` take [.., k, m] and "
        "[.., n, k]. `serialization_factor` does it in so many parts, one after another, of m, k or n: "
        "`serialization_dimension` a_columns, a_rows_b_columns or b_rows.";
    op.infer = infer;
    op.gradient = gradient;
    op.compute = compute;
    op.flops = [](std::span<const TensorType> in, std::span<const TensorType>, const Attributes& attributes) {
        const Product p = product_of(in[0].shape, in[1].shape, attributes);
        return 2 * p.batch * p.m * p.n * p.k;
    };
    registry.add(std::move(op));
}

} // namespace tilescope::operators
