// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"
#include "planned.h"

namespace tilescope::lowering {
namespace {

using program::Shape;

/// Height and width.
using Plane = std::vector<std::int64_t>;

struct Geometry {
    Plane strides, padding, dilations;
    std::int64_t groups;
};
Geometry geometry(const graph::Attributes& a) {
    return {a.integers("strides", {1, 1}), a.integers("padding", {0, 0, 0, 0}),
            a.integers("dilations", {1, 1}), a.integer("groups", 1)};
}

/// The extents of [batch, height, width, channels], or of a kernel [height, width, ..].
Plane field(const Shape& images) {
    return {images[1], images[2]};
}
Plane window(const Shape& kernel) {
    return {kernel[0], kernel[1]};
}

/// A pass as a convolution of images, a kernel and what is made of them.
struct Planes {
    Plane out, in, kernel;
    Plane strides = {1, 1};
    Plane dilations = {1, 1};
    Plane in_dilations = {1, 1};
};
PlannedConvolution planned(const LoweringContext& context, const Geometry& g, ipu::ConvPass pass,
                           const Planes& planes) {
    PlannedConvolution c;
    ipu::ConvProblem& p = c.problem;
    p = context.product(ipu::ProductKind::Convolution);
    p.pass = pass;
    p.groups = g.groups;
    p.out_height = planes.out[0];
    p.out_width = planes.out[1];
    p.in_height = planes.in[0];
    p.in_width = planes.in[1];
    p.kernel_height = planes.kernel[0];
    p.kernel_width = planes.kernel[1];
    p.stride_height = planes.strides[0];
    p.stride_width = planes.strides[1];
    p.dilation_height = planes.dilations[0];
    p.dilation_width = planes.dilations[1];
    p.in_dilation_height = planes.in_dilations[0];
    p.in_dilation_width = planes.in_dilations[1];
    p.padding_height = g.padding[0];
    p.padding_width = g.padding[1];
    return c;
}

/// Images [batch, rows, columns, groups * channels] with the group's dimension on its own.
PlannedTensor images(const Shape& x, std::int64_t groups, ConvDim batch, ConvDim row, ConvDim column,
                     ConvDim channel) {
    return {{x[0], x[1], x[2], groups, x[3] / groups}, {batch, row, column, ConvDim::Group, channel}};
}

/// y = conv(x, w): input 0 is x, input 1 is w.
PlannedConvolution conv2d(const LoweringContext& context) {
    const Shape x = context.input_type(0).shape;
    const Shape w = context.input_type(1).shape;
    const Shape y = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    PlannedConvolution c =
        planned(context, g, ipu::ConvPass::Forward, {field(y), field(x), window(w), g.strides, g.dilations});
    c.problem.batch = y[0];
    c.problem.in_channels = w[2];
    c.problem.out_channels = w[3] / g.groups;
    c.input = images(x, g.groups, ConvDim::Batch, ConvDim::InputRow, ConvDim::InputColumn, ConvDim::In);
    c.weights = {{w[0], w[1], w[2], g.groups, c.problem.out_channels},
                 {ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::In, ConvDim::Group, ConvDim::Out}};
    c.output = images(y, g.groups, ConvDim::Batch, ConvDim::Height, ConvDim::Width, ConvDim::Out);
    return c;
}

/// A kernel of one position without padding gives to each of its stride's positions but one nothing
/// (PopLibs lib/poplin/ConvModel.cpp, canDeferDilation).
bool defers_dilation(const Geometry& g, const Shape& w) {
    return w[0] == 1 && w[1] == 1 && g.strides != Plane{1, 1} && g.padding == Plane{0, 0, 0, 0};
}

/// dx = conv of dy, dilated by the strides, with the kernel turned round: input 0 is dy, input 1 is w. Where
/// dilation is deferred, the product is that of the positions that have one, dilated afterwards.
PlannedConvolution input_gradient(const LoweringContext& context) {
    const Shape dy = context.input_type(0).shape;
    const Shape w = context.input_type(1).shape;
    const Shape dx = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    const bool deferred = defers_dilation(g, w);
    const Shape made = deferred ? Shape{dy[0], dy[1], dy[2], dx[3]} : dx;
    PlannedConvolution c = planned(context, g, ipu::ConvPass::DataGradient,
                                   {field(made),
                                    field(dy),
                                    window(w),
                                    {1, 1},
                                    deferred ? Plane{1, 1} : g.dilations,
                                    deferred ? Plane{1, 1} : g.strides});
    c.problem.batch = dx[0];
    c.problem.in_channels = w[3] / g.groups;
    c.problem.out_channels = w[2];
    c.problem.transposed = !deferred;
    c.input = images(dy, g.groups, ConvDim::Batch, ConvDim::InputRow, ConvDim::InputColumn, ConvDim::In);
    c.weights = {{w[0], w[1], w[2], g.groups, c.problem.in_channels},
                 {ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::Out, ConvDim::Group, ConvDim::In}};
    const auto images_of = [&](const Shape& shape) {
        return images(shape, g.groups, ConvDim::Batch, ConvDim::Height, ConvDim::Width, ConvDim::Out);
    };
    c.output = images_of(made);
    if (deferred)
        c.dilated = images_of(dx);
    return c;
}

/// dw: a convolution whose batch are the input channels, whose input channels are the batch and whose kernel
/// is the output field (PopLibs' weight update pass). Input 0 is x, input 1 is dy.
PlannedConvolution filter_gradient(const LoweringContext& context) {
    const Shape x = context.input_type(0).shape;
    const Shape dy = context.input_type(1).shape;
    const Shape dw = context.output_type().shape;
    const Geometry g = geometry(context.attributes());
    // Strides and dilations change places.
    PlannedConvolution c = planned(context, g, ipu::ConvPass::WeightGradient,
                                   {window(dw), field(x), field(dy), g.dilations, g.strides});
    c.problem.batch = dw[2];
    c.problem.in_channels = dy[0];
    c.problem.out_channels = dw[3] / g.groups;
    c.input = images(x, g.groups, ConvDim::In, ConvDim::InputRow, ConvDim::InputColumn, ConvDim::Batch);
    c.weights = images(dy, g.groups, ConvDim::In, ConvDim::KernelHeight, ConvDim::KernelWidth, ConvDim::Out);
    c.output = {{dw[0], dw[1], dw[2], g.groups, c.problem.out_channels},
                {ConvDim::Height, ConvDim::Width, ConvDim::Batch, ConvDim::Group, ConvDim::Out}};
    return c;
}

} // namespace

void add_convolution_lowerings(LoweringTable& table) {
    set_planned(table, "conv2d", conv2d);
    set_planned(table, "conv2d_input_gradient", input_gradient);
    set_planned(table, "conv2d_filter_gradient", filter_gradient);
}

} // namespace tilescope::lowering
