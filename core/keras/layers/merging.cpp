// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "settings.h"

#include <algorithm>
#include <utility>

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

/// Whether the steps of the inputs count, of those that have a mask: in Keras 2 where all say so; in Keras 3
/// where one does, and nothing is masked that meets an input without a mask
/// (keras/layers/merging/base_merge.py).
Result<ValueId> merged_mask(KerasLayer& l) {
    ValueId merged = graph::no_value;
    for (const ValueId mask : l.masks) {
        if (mask == graph::no_value && l.keras3)
            return graph::no_value;
        if (mask == graph::no_value)
            continue;
        TRY(merged, merged == graph::no_value
                        ? mask
                        : l.build.emit(l.keras3 ? "logical_or" : "logical_and", {merged, mask}, {}, "Mask"));
    }
    return merged;
}

/// The inputs with as many dimensions as the one that has most: those that are missing come behind the batch
/// (keras/layers/merge.py).
Result<Values> of_one_rank(KerasLayer& l, Values in) {
    std::size_t rank = 0;
    for (const ValueId x : in)
        rank = std::max(rank, l.build.type(x).shape.size());
    for (ValueId& x : in) {
        Shape shape = l.build.type(x).shape;
        if (shape.empty() || shape.size() == rank)
            continue;
        shape.insert(shape.begin() + 1, rank - shape.size(), 1);
        TRY(x, l.build.emit("reshape", {x}, {{"shape", shape}}));
    }
    return in;
}

/// Add, Subtract, Multiply, Average, Maximum, Minimum: the inputs one after another.
Result<ValueId> merge(KerasLayer& l, const Values& in) {
    const std::string kind = l.kind == "Subtract"   ? "subtract"
                             : l.kind == "Multiply" ? "multiply"
                             : l.kind == "Maximum"  ? "maximum"
                             : l.kind == "Minimum"  ? "minimum"
                                                    : "add";
    if (in.size() < 2)
        return l.fail("expects at least two inputs");
    TRY(l.output_mask, merged_mask(l));
    TRY(const auto operands, of_one_rank(l, in));
    ValueId y = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i) {
        TRY(y, l.build.emit(kind, {y, operands[i]}));
    }
    if (l.kind != "Average")
        return y;
    return l.build.emit("multiply", {y, l.build.scalar(1.0 / static_cast<double>(in.size()), l.dtype)});
}

/// The masks [batch, steps] of inputs one after another, of those without one all true
/// (keras/layers/merging/concatenate.py).
Result<ValueId> concatenated_mask(KerasLayer& l, const Values& in, std::int64_t axis) {
    if (std::all_of(l.masks.begin(), l.masks.end(), [](ValueId mask) { return mask == graph::no_value; }))
        return graph::no_value;
    const std::size_t rank = l.build.type(in[0]).shape.size();
    if (axis < 0)
        axis += static_cast<std::int64_t>(rank);
    if (axis == static_cast<std::int64_t>(rank) - 1) // features
        return merged_mask(l);
    Values masks;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const Shape x = l.build.type(in[i]).shape;
        ValueId mask = l.mask(i);
        if (mask == graph::no_value) {
            graph::HostTensor ones({graph::DType::Bool, {x[0], x[1]}});
            for (std::int64_t k = 0; k < ones.elements(); ++k)
                ones.set(k, 1);
            mask = l.build.constant(l.name + "/mask", std::move(ones));
        }
        masks.push_back(mask);
    }
    return l.build.emit("concatenate", masks, {{"axis", axis}}, "Mask");
}

Result<ValueId> concatenate(KerasLayer& l, const Values& in) {
    const Json& setting_value = setting(l, "axis");
    const std::int64_t axis = setting_value.is_number_integer() ? setting_value.get<std::int64_t>() : -1;
    TRY(const ValueId y, l.build.emit("concatenate", in, {{"axis", axis}}));
    TRY(l.output_mask, concatenated_mask(l, in, axis));
    return y;
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

/// Products of samples: [batch, n] with [batch, n] to [batch, 1]; of matrices; of a matrix and a vector to a
/// vector.
Result<ValueId> dot(KerasLayer& l, const Values& in) {
    if (in.size() != 2)
        return l.fail("expects two inputs");
    const std::size_t rank = l.build.type(in[0]).shape.size(), other = l.build.type(in[1]).shape.size();
    if (std::min(rank, other) < 2 || std::max(rank, other) > 3)
        return l.fail("expects two inputs of two or of three dimensions");
    TRY(const auto a, dot_axis(l, 0, rank));
    TRY(const auto b, dot_axis(l, 1, other));
    Values factors = in;
    if (flag(l, "normalize", false))
        for (std::size_t i = 0; i < 2; ++i) {
            TRY(factors[i], unit_length(l, in[i], {static_cast<std::int64_t>(i == 0 ? a : b)}));
        }
    if (std::max(rank, other) == 3) {
        for (ValueId& vector : factors) { // as a matrix of one column
            Shape shape = l.build.type(vector).shape;
            if (shape.size() == 3)
                continue;
            shape.push_back(1);
            TRY(vector, l.build.emit("reshape", {vector}, {{"shape", shape}}));
        }
        TRY(const auto product,
            l.build.emit("matmul", factors, {{"transpose_a", a == 1}, {"transpose_b", b == 2}}, "Dot"));
        if (rank == other)
            return product;
        Shape shape = l.build.type(product).shape;
        shape.erase(rank == 2 ? shape.begin() + 1 : shape.begin() + 2);
        return l.build.emit("reshape", {product}, {{"shape", shape}});
    }
    TRY(auto products, l.build.emit("multiply", factors, {}, "Products"));
    return l.build.emit("reduce_sum", {products}, {{"axes", Extents{1}}, {"keep_dims", true}}, "Dot");
}

} // namespace

LayerTable merging_layers() {
    LayerTable table{{"Concatenate", {concatenate, {"axis"}}}, {"Dot", {dot, {"axes", "normalize"}}}};
    for (const char* kind : {"Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"})
        table[kind] = {merge, {}};
    return table;
}

} // namespace tilescope::keras
