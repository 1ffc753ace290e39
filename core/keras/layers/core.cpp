// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "settings.h"

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

Result<ValueId> dense(KerasLayer& l, const Values& in) {
    TRY(const auto units, integer(l, "units", 0));
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() < 2)
        return l.fail("expects an input of at least two dimensions, got " + graph::to_string(x));
    TRY(auto kernel, weight(l, {"kernel", {x.back(), units}, "kernel", "glorot_uniform"}));
    ValueId flat = in[0];
    if (x.size() > 2) { // a product over the last dimension only
        TRY(flat, l.build.emit("reshape", {flat}, {{"shape", Shape{-1, x.back()}}}, "Reshape"));
    }
    TRY(const auto product, l.build.emit("matmul", {flat, kernel}, {}, "MatMul"));
    TRY(auto y, add_bias(l, product, units));
    if (x.size() > 2) {
        Shape shape = x;
        shape.back() = units;
        TRY(y, l.build.emit("reshape", {y}, {{"shape", shape}}, "Reshape"));
    }
    return activate(l, y);
}

/// Rows of a table; ids of a float input are cut to whole numbers.
Result<ValueId> embedding(KerasLayer& l, const Values& in) {
    TRY(const auto rows, integer(l, "input_dim", 0));
    TRY(const auto width, integer(l, "output_dim", 0));
    if (const Json& factor = setting(l, "serialization_factor"); !factor.is_null() && factor != 1)
        return l.fail("\"serialization_factor\" " + factor.dump() + " is not supported", "set it to 1");
    TRY(auto table, weight(l, {"embeddings", {rows, width}, "embeddings", "random_uniform"}));
    ValueId ids = in[0];
    if (l.build.type(ids).dtype != graph::DType::Int32) {
        TRY(ids, l.build.emit("cast", {ids}, {{"dtype", std::string("int32")}}, "Cast"));
    }
    if (flag(l, "mask_zero", false)) {
        TRY(l.output_mask,
            l.build.emit("not_equal", {ids, l.build.scalar(0, graph::DType::Int32)}, {}, "Mask"));
    }
    return l.build.emit("embedding_lookup", {table, ids}, {}, "EmbeddingLookup");
}

/// Steps whose features all have the value do not count; their features become 0.
Result<ValueId> masking(KerasLayer& l, const Values& in) {
    const graph::TensorType x = l.build.type(in[0]);
    if (x.shape.size() < 2)
        return l.fail("expects an input [batch, steps, …], got " + graph::to_string(x.shape));
    const ValueId value = l.build.scalar(number(l, "mask_value", 0), x.dtype);
    TRY(const ValueId differs, l.build.emit("cast", {l.build.emit("not_equal", {in[0], value})},
                                            {{"dtype", std::string("float32")}}, "Mask"));
    TRY(const ValueId any, l.build.emit("reduce_max", {differs}, {{"axes", Extents{-1}}}, "Mask"));
    TRY(l.output_mask, l.build.emit("greater", {any, l.build.scalar(0)}, {}, "Mask"));
    return l.build.emit("multiply", {in[0], mask_numbers(l, l.output_mask, x.dtype, x.shape.size())}, {},
                        "Masking");
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
           "bias_regularizer", "kernel_constraint", "bias_constraint"},
          Masking::Passes}},
        {"Embedding",
         {embedding,
          {"input_dim", "output_dim", "input_length", "mask_zero", "embeddings_initializer",
           "embeddings_regularizer", "embeddings_constraint", "lora_rank", "serialization_factor"}}},
        {"Identity", {identity, {}, Masking::Passes}},
        {"Masking", {masking, {"mask_value"}}},
        // Values of IPU TensorFlow's layers that only tell its compiler something.
        {"AssumeEqualAcrossReplicas", {identity, {"inplace"}, Masking::Passes}},
        {"RecomputationCheckpoint", {identity, {}, Masking::Passes}},
    };
}

} // namespace tilescope::keras
