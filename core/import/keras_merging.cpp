// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_settings.h"

namespace tilescope::import {
namespace {

using graph::ValueId;

/// Add, Subtract, Multiply, Average, Maximum, Minimum: the inputs one after another.
Result<ValueId> merge(KerasLayer& l, const Values& in) {
    const std::string kind = l.kind == "Subtract"   ? "subtract"
                             : l.kind == "Multiply" ? "multiply"
                             : l.kind == "Maximum"  ? "maximum"
                             : l.kind == "Minimum"  ? "minimum"
                                                    : "add";
    if (in.size() < 2)
        return l.fail("expects at least two inputs");
    Result<ValueId> y = in[0];
    for (std::size_t i = 1; i < in.size() && y; ++i)
        y = one(l.build.add(kind, {*y, in[i]}));
    if (y && l.kind == "Average")
        y = one(l.build.add("multiply", {*y, l.build.scalar(1.0 / static_cast<double>(in.size()), l.dtype)}));
    return y;
}

Result<ValueId> concatenate(KerasLayer& l, const Values& in) {
    const Json& axis = setting(l, "axis");
    return one(
        l.build.add("concatenate", in, {{"axis", axis.is_number_integer() ? axis.get<std::int64_t>() : -1}}));
}

/// The axis over which `Dot` adds up, for one of its inputs: one number for both, or a list of two.
Result<std::size_t> dot_axis(const KerasLayer& l, std::size_t input, std::size_t rank) {
    const Json& axes = setting(l, "axes");
    const Json& axis = axes.is_array() && axes.size() == 2 ? axes[input] : axes;
    const auto n = static_cast<std::int64_t>(rank);
    if (!axis.is_number_integer() || axis == 0 || axis.get<std::int64_t>() >= n ||
        axis.get<std::int64_t>() <= -n)
        return l.fail("\"axes\" is no axis of the input but the batch: " + axes.dump());
    const auto value = axis.get<std::int64_t>();
    return static_cast<std::size_t>(value < 0 ? value + n : value);
}

/// Products of samples: [batch, n] with [batch, n] to [batch, 1], or of matrices.
Result<ValueId> dot(KerasLayer& l, const Values& in) {
    if (flag(l, "normalize", false))
        return l.fail("\"normalize\" is not supported", "set it to false");
    if (in.size() != 2)
        return l.fail("expects two inputs");
    const std::size_t rank = l.build.type(in[0]).shape.size();
    if (rank != l.build.type(in[1]).shape.size() || rank < 2 || rank > 3)
        return l.fail("expects two inputs of two or of three dimensions");
    const auto a = dot_axis(l, 0, rank);
    const auto b = dot_axis(l, 1, rank);
    if (!a || !b)
        return Failure((!a ? a : b).error());
    if (rank == 3)
        return one(l.build.add("matmul", in, {{"transpose_a", *a == 1}, {"transpose_b", *b == 2}}, "Dot"));
    auto products = one(l.build.add("multiply", in, {}, "Products"));
    if (!products)
        return products;
    return one(l.build.add("reduce_sum", {*products}, {{"axes", Extents{1}}, {"keep_dims", true}}, "Dot"));
}

} // namespace

LayerTable merging_layers() {
    LayerTable table{{"Concatenate", {concatenate, {"axis"}}}, {"Dot", {dot, {"axes", "normalize"}}}};
    for (const char* kind : {"Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"})
        table[kind] = {merge, {}};
    return table;
}

} // namespace tilescope::import
