// SPDX-License-Identifier: GPL-3.0-or-later
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

/// Rows of a table; ids of a float input are cut to whole numbers.
Result<ValueId> embedding(KerasLayer& l, const Values& in) {
    const auto rows = integer(l, "input_dim", 0);
    const auto width = integer(l, "output_dim", 0);
    if (!rows || !width)
        return Failure((!rows ? rows : width).error());
    if (flag(l, "mask_zero", false))
        return l.fail("\"mask_zero\" is not supported", "set it to false");
    auto table = weight(l, {"embeddings", {*rows, *width}, "embeddings", "random_uniform"});
    if (!table)
        return table;
    ValueId ids = in[0];
    if (l.build.type(ids).dtype != graph::DType::Int32)
        ids = l.build.emit("cast", {ids}, {{"dtype", std::string("int32")}}, "Cast");
    return one(l.build.add("embedding_lookup", {*table, ids}, {}, "EmbeddingLookup"));
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
        {"Embedding",
         {embedding,
          {"input_dim", "output_dim", "input_length", "mask_zero", "embeddings_initializer",
           "embeddings_regularizer", "embeddings_constraint", "lora_rank"}}},
        {"Identity", {identity, {}}},
    };
}

} // namespace tilescope::import
