// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "import/keras_settings.h"

namespace tilescope::import {
namespace {

using graph::Shape;
using graph::ValueId;

Result<ValueId> dense(KerasLayer& l, const Values& in) {
    const auto units = integer(l, "units", 0);
    if (!units)
        return Failure(units.error());
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() < 2)
        return l.fail("expects an input of at least two dimensions, got " + graph::to_string(x));
    auto kernel = weight(l, {"kernel", {x.back(), *units}, "kernel", "glorot_uniform"});
    if (!kernel)
        return kernel;
    ValueId flat = in[0];
    if (x.size() > 2) // a product over the last dimension only
        flat = l.build.emit("reshape", {flat}, {{"shape", Shape{-1, x.back()}}}, "Reshape");
    auto y = one(l.build.add("matmul", {flat, *kernel}, {}, "MatMul"));
    if (!y)
        return y;
    y = add_bias(l, *y, *units);
    if (y && x.size() > 2) {
        Shape shape = x;
        shape.back() = *units;
        y = l.build.emit("reshape", {*y}, {{"shape", shape}}, "Reshape");
    }
    return y ? activate(l, *y) : y;
}

Result<ValueId> dropout(KerasLayer& l, const Values& in) {
    if (!setting(l, "rate").is_number())
        return l.fail("\"rate\" is missing");
    if (!setting(l, "noise_shape").is_null())
        return l.fail("\"noise_shape\" is not supported", "use SpatialDropout2D or none");
    // Layers of the same name have the same mask in every run and on every number of IPUs.
    const auto salt = static_cast<std::int64_t>(RandomStream(0, l.name).bits(0) >> 9);
    return one(l.build.add("dropout", in, {{"rate", number(l, "rate", 0)}, {"salt", salt}}, "Dropout"));
}

Result<ValueId> identity(KerasLayer&, const Values& in) {
    return in[0];
}

} // namespace

LayerTable core_layers() {
    return {
        {"Dense",
         {dense,
          {"units", "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer",
           "bias_regularizer", "kernel_constraint", "bias_constraint"}}},
        {"Dropout", {dropout, {"rate", "seed", "noise_shape"}}},
        {"Identity", {identity, {}}},
    };
}

} // namespace tilescope::import
