// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"
#include "planned.h"

#include <array>
#include <optional>

namespace tilescope::lowering {
namespace {

using program::Shape;

bool is_product(const graph::Operation& o, bool transpose_a, bool transpose_b) {
    return o.kind == "matmul" && o.attributes.flag("transpose_a") == transpose_a &&
           o.attributes.flag("transpose_b") == transpose_b;
}

bool of_forward_pass(const graph::Operation& o) {
    return o.phase == Phase::Forward || o.phase == Phase::Recompute;
}

DenseProducts dense_products_of(const graph::Graph& graph) {
    DenseProducts products;
    if (!graph.training)
        return products;
    for (const graph::Operation& o : graph.operations()) {
        const bool forward = is_product(o, false, false) && of_forward_pass(o);
        if (forward || (is_product(o, true, false) && o.phase == Phase::Backward))
            products.emplace(o.layer.value, !forward, graph.type(o.inputs[0]).shape,
                             graph.type(o.inputs[1]).shape);
    }
    return products;
}

/// Whether the product is one of the three of a dense layer in training, which PopLibs plans together where
/// it is told so, as IPU TensorFlow does (driver/passes/convolution_classifier.cc): a product of the forward
/// pass and one with operands of the same shapes that makes its weights' gradient. There operands are the
/// same tensors, but for what changes their form, rather than of the same layer and shapes.
bool trained(const LoweringContext& context) {
    const graph::Graph& graph = context.state().graph;
    const graph::Operation& op = context.operation();
    if (context.state().around || op.attributes.integer("serialization_factor", 1) > 1)
        return false;
    std::array<graph::ValueId, 3> of; // the layer's input, its weights and its output, or their gradients
    if (is_product(op, false, false) && of_forward_pass(op))
        of = {op.inputs[0], op.inputs[1], op.outputs[0]};
    else if (is_product(op, false, true) && op.phase == Phase::Backward)
        of = {op.outputs[0], op.inputs[1], op.inputs[0]};
    else if (is_product(op, true, false) && op.phase == Phase::Backward)
        of = {op.inputs[0], op.outputs[0], op.inputs[1]};
    else
        return false;
    std::optional<DenseProducts>& products = context.state().dense_products;
    if (!products)
        products = dense_products_of(graph);
    const auto shape = [&](graph::ValueId value) -> const Shape& { return graph.type(value).shape; };
    return products->contains({op.layer.value, false, shape(of[0]), shape(of[1])}) &&
           products->contains({op.layer.value, true, shape(of[0]), shape(of[2])});
}

/// [.., m, k] x [.., k, n], planned as a 1x1 convolution with a row of m positions and one group for each
/// leading index.
PlannedConvolution matmul(const LoweringContext& context) {
    const bool transpose_a = context.attributes().flag("transpose_a");
    const bool transpose_b = context.attributes().flag("transpose_b");
    const Shape a = context.input_type(0).shape;
    const Shape y = context.output_type().shape;
    const std::int64_t m = y[y.size() - 2];
    const std::int64_t n = y.back();
    const std::int64_t k = transpose_a ? a[a.size() - 2] : a.back();
    std::int64_t groups = 1;
    for (std::size_t d = 0; d + 2 < y.size(); ++d)
        groups *= y[d];

    PlannedConvolution c;
    c.problem = context.product(ipu::ProductKind::Matmul);
    // A transposed operand is read across the order in which it was made for the forward product.
    c.problem.pass = transpose_a   ? ipu::ConvPass::WeightGradient
                     : transpose_b ? ipu::ConvPass::DataGradient
                                   : ipu::ConvPass::Forward;
    c.problem.matrices = true;
    c.problem.trained = !context.planning(ipu::ProductKind::Matmul).clear_pass_type && trained(context);
    c.problem.groups = groups;
    c.problem.in_width = c.problem.out_width = m;
    c.problem.in_channels = k;
    c.problem.out_channels = n;
    c.problem.serial_parts = context.attributes().integer("serialization_factor", 1);
    if (c.problem.serial_parts > 1) {
        const std::string dimension = context.attributes().text("serialization_dimension");
        c.problem.serial_dim = dimension == "a_columns"          ? ipu::SerialDim::Rows
                               : dimension == "a_rows_b_columns" ? ipu::SerialDim::Sum
                                                                 : ipu::SerialDim::Columns;
    }
    const auto matrix = [&](bool transposed, std::int64_t rows, std::int64_t columns, ConvDim row,
                            ConvDim column) {
        return transposed ? PlannedTensor{{groups, columns, rows}, {ConvDim::Group, column, row}}
                          : PlannedTensor{{groups, rows, columns}, {ConvDim::Group, row, column}};
    };
    c.input = matrix(transpose_a, m, k, ConvDim::Width, ConvDim::In);
    c.weights = matrix(transpose_b, k, n, ConvDim::In, ConvDim::Out);
    c.output = matrix(false, m, n, ConvDim::Width, ConvDim::Out);
    return c;
}

} // namespace

void add_matmul_lowerings(LoweringTable& table) {
    set_planned(table, "matmul", matmul);
}

} // namespace tilescope::lowering
