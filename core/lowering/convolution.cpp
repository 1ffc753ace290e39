// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"
#include "planned.h"

namespace tilescope::lowering {
namespace {

using program::Shape;

struct Geometry {
    std::vector<std::int64_t> strides, padding, dilations;
    std::int64_t groups;
};
Geometry geometry(const graph::Attributes& a) {
    return {a.integers("strides", {1, 1}), a.integers("padding", {0, 0, 0, 0}),
            a.integers("dilations", {1, 1}), a.integer("groups", 1)};
}

/// Images [batch, rows, columns, groups * channels] with the group's dimension on its own.
PlannedTensor images(const Shape& x, std::int64_t groups, ConvDim batch, ConvDim row, ConvDim column,
                     ConvDim channel) {
    return {{x[0], x[1], x[2], groups, x[3] / groups}, {batch, row, column, ConvDim::Group, channel}};
}

/// y = conv(x, w): input 0 is x, input 1 is w.
void lower_conv2d(LoweringContext& context) {
    const Shape x = context.input_type(0).shape;
    const Shape w = context.input_type(1).shape;
    const Shape y = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    PlannedConvolution c;
    ipu::ConvProblem& p = c.problem;
    p.groups = g.groups;
    p.batch = y[0];
    p.out_height = y[1];
    p.out_width = y[2];
    p.in_height = x[1];
    p.in_width = x[2];
    p.kernel_height = w[0];
    p.kernel_width = w[1];
    p.stride_height = g.strides[0];
    p.stride_width = g.strides[1];
    p.dilation_height = g.dilations[0];
    p.dilation_width = g.dilations[1];
    p.in_channels = w[2];
    p.out_channels = w[3] / g.groups;
    p.types = context.conv_types();
    c.pad_top = g.padding[0];
    c.pad_left = g.padding[1];
    c.input = images(x, g.groups, ConvDim::Batch, ConvDim::InputRow, ConvDim::InputColumn, ConvDim::In);
    c.weights = {{w[0], w[1], w[2], g.groups, p.out_channels},
                 {ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::In, ConvDim::Group, ConvDim::Out}};
    c.output = images(y, g.groups, ConvDim::Batch, ConvDim::Height, ConvDim::Width, ConvDim::Out);
    lower_planned(context, c);
}

/// dx = conv of dy with the kernel turned round: input 0 is dy, input 1 is w.
void lower_input_gradient(LoweringContext& context) {
    const Shape dy = context.input_type(0).shape;
    const Shape w = context.input_type(1).shape;
    const Shape dx = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    PlannedConvolution c;
    ipu::ConvProblem& p = c.problem;
    p.pass = ipu::ConvPass::DataGradient;
    p.groups = g.groups;
    p.batch = dx[0];
    p.out_height = dx[1];
    p.out_width = dx[2];
    p.in_height = dy[1];
    p.in_width = dy[2];
    p.kernel_height = ceil_div(w[0], g.strides[0]); // with a stride each position sees part of the kernel
    p.kernel_width = ceil_div(w[1], g.strides[1]);
    p.dilation_height = g.dilations[0];
    p.dilation_width = g.dilations[1];
    p.in_channels = w[3] / g.groups;
    p.out_channels = w[2];
    p.types = context.conv_types();
    c.transposed = true;
    c.pad_top = g.padding[0];
    c.pad_left = g.padding[1];
    c.input = images(dy, g.groups, ConvDim::Batch, ConvDim::InputRow, ConvDim::InputColumn, ConvDim::In);
    c.weights = {{w[0], w[1], w[2], g.groups, p.in_channels},
                 {ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::Out, ConvDim::Group, ConvDim::In}};
    c.output = images(dx, g.groups, ConvDim::Batch, ConvDim::Height, ConvDim::Width, ConvDim::Out);
    lower_planned(context, c);
}

/// dw: a convolution whose batch are the input channels, whose input channels are the batch and whose kernel
/// is the output field (PopLibs' weight update pass). Input 0 is x, input 1 is dy.
void lower_filter_gradient(LoweringContext& context) {
    const Shape x = context.input_type(0).shape;
    const Shape dy = context.input_type(1).shape;
    const Shape dw = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    const std::int64_t out_channels = dw[3] / g.groups;
    PlannedConvolution c;
    ipu::ConvProblem& p = c.problem;
    p.pass = ipu::ConvPass::WeightGradient;
    p.groups = g.groups;
    p.batch = dw[2];
    p.out_height = dw[0];
    p.out_width = dw[1];
    p.in_height = x[1];
    p.in_width = x[2];
    p.kernel_height = dy[1];
    p.kernel_width = dy[2];
    p.stride_height = g.dilations[0]; // strides and dilations change places
    p.stride_width = g.dilations[1];
    p.dilation_height = g.strides[0];
    p.dilation_width = g.strides[1];
    p.in_channels = dy[0];
    p.out_channels = out_channels;
    p.types = context.conv_types();
    c.pad_top = g.padding[0];
    c.pad_left = g.padding[1];
    c.input = images(x, g.groups, ConvDim::In, ConvDim::InputRow, ConvDim::InputColumn, ConvDim::Batch);
    c.weights = images(dy, g.groups, ConvDim::In, ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::Out);
    c.output = {{dw[0], dw[1], dw[2], g.groups, out_channels},
                {ConvDim::Height, ConvDim::Width, ConvDim::Batch, ConvDim::Group, ConvDim::Out}};
    lower_planned(context, c);
}

} // namespace

void add_convolution_lowerings(LoweringTable& table) {
    table.set("conv2d", lower_conv2d);
    table.set("conv2d_input_gradient", lower_input_gradient);
    table.set("conv2d_filter_gradient", lower_filter_gradient);
}

} // namespace tilescope::lowering
