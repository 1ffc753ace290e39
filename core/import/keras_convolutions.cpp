// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_settings.h"

namespace tilescope::import {
namespace {

using graph::Shape;
using graph::ValueId;

/// The settings that say over which field a convolution works.
struct Field {
    Extents kernel, strides, dilations;
};

template<std::size_t Rank>
Result<Field> field(const KerasLayer& l) {
    const auto kernel = extents(l, Rank, "kernel_size", {1, 1});
    const auto strides = extents(l, Rank, "strides", {1, 1});
    const auto dilations = extents(l, Rank, "dilation_rate", {1, 1});
    for (const auto* each : {&kernel, &strides, &dilations})
        if (!*each)
            return Failure(each->error());
    return Field{*kernel, *strides, *dilations};
}

template<std::size_t Rank>
Result<ValueId> convolution(KerasLayer& l, const Values& in) {
    const auto images = as_images(l, Rank, in[0]);
    if (!images)
        return images;
    const Shape x = l.build.type(*images).shape;
    const auto filters = integer(l, "filters", 0);
    const auto groups = integer(l, "groups", 1);
    const auto f = field<Rank>(l);
    if (!filters || !groups)
        return Failure((!filters ? filters : groups).error());
    if (!f)
        return Failure(f.error());
    const auto pads = padding(l, x, f->kernel, f->strides, f->dilations);
    if (!pads)
        return Failure(pads.error());
    if (x[3] % *groups != 0)
        return l.fail(std::to_string(x[3]) + " channels cannot be divided into " + std::to_string(*groups) +
                      " groups");
    Shape shape = f->kernel;
    shape.insert(shape.end(), {x[3] / *groups, *filters});
    auto kernel =
        weight(l, {"kernel", Shape(shape.begin() + (2 - Rank), shape.end()), "kernel", "glorot_uniform"});
    if (!kernel)
        return kernel;
    const ValueId weights =
        Rank == 2 ? *kernel : l.build.emit("reshape", {*kernel}, {{"shape", shape}}, "ExpandDims");
    auto y = one(l.build.add(
        "conv2d", {*images, weights},
        {{"strides", f->strides}, {"padding", *pads}, {"dilations", f->dilations}, {"groups", *groups}},
        Rank == 1 ? "Conv1D" : "Conv2D"));
    if (!y)
        return y;
    y = add_bias(l, from_images(l, Rank, *y), *filters);
    return y ? activate(l, *y) : y;
}

const std::vector<const char*> settings = {"filters",           "kernel_size",        "strides",
                                           "padding",           "dilation_rate",      "groups",
                                           "activation",        "use_bias",           "kernel_initializer",
                                           "bias_initializer",  "kernel_regularizer", "bias_regularizer",
                                           "kernel_constraint", "bias_constraint"};

} // namespace

LayerTable convolution_layers() {
    return {{"Conv1D", {convolution<1>, settings}}, {"Conv2D", {convolution<2>, settings}}};
}

} // namespace tilescope::import
