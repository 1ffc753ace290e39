// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "formats/json_reader.h"
#include "settings.h"

#include <utility>

namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

/// x [.., k] as rows [.., k]: a product is over the last dimension only.
Result<ValueId> as_rows(KerasLayer& l, ValueId x) {
    const Shape shape = l.build.type(x).shape;
    return shape.size() == 2 ? Result<ValueId>(x)
                             : l.build.emit("reshape", {x}, {{"shape", Shape{-1, shape.back()}}}, "Reshape");
}

/// Rows [.., n] in the shape of x but for its last dimension.
Result<ValueId> from_rows(KerasLayer& l, ValueId rows, Shape x) {
    if (x.size() == 2)
        return rows;
    x.back() = l.build.type(rows).shape.back();
    return l.build.emit("reshape", {rows}, {{"shape", std::move(x)}}, "Reshape");
}

/// How SerialDense cuts its product, in the words of serialized_matmul
/// (ipu_tensorflow_addons/keras/layers/serial_dense.py); nothing for a layer that does not.
Result<graph::Attributes> serial_parts(const KerasLayer& l) {
    if (setting(l, "serialization_factor").is_null() && l.kind != "SerialDense")
        return graph::Attributes{};
    TRY(const auto parts, integer(l, "serialization_factor", 0));
    const std::string dimension = text(l, "serialization_dimension", "");
    for (const auto& [of_layer, of_product] : {std::pair{"input_columns", "a_columns"},
                                               {"input_rows_kernel_columns", "a_rows_b_columns"},
                                               {"kernel_rows", "b_rows"}})
        if (dimension == of_layer)
            return parts == 1 ? graph::Attributes{}
                              : graph::Attributes{{"serialization_factor", parts},
                                                  {"serialization_dimension", std::string(of_product)}};
    return l.fail("\"serialization_dimension\" is \"" + dimension + "\"",
                  "use input_columns, input_rows_kernel_columns or kernel_rows");
}

Result<ValueId> dense(KerasLayer& l, const Values& in) {
    TRY(const auto units, integer(l, "units", 0));
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() < 2)
        return l.fail("expects an input of at least two dimensions, got " + graph::to_string(x));
    TRY(auto kernel, weight(l, {"kernel", {x.back(), units}, "kernel", "glorot_uniform"}));
    TRY(const auto rows, as_rows(l, in[0]));
    TRY(const auto parts, serial_parts(l));
    TRY(const auto product, l.build.emit("matmul", {rows, kernel}, parts, "MatMul"));
    TRY(const auto biased, add_bias(l, product, units));
    TRY(const auto y, from_rows(l, biased, x));
    return activate(l, y);
}

/// Rows of a table; ids of a float input are cut to whole numbers.
Result<ValueId> embedding(KerasLayer& l, const Values& in) {
    TRY(const auto rows, integer(l, "input_dim", 0));
    TRY(const auto width, integer(l, "output_dim", 0));
    TRY(const auto parts, integer(l, "serialization_factor", 1));
    TRY(auto table, weight(l, {"embeddings", {rows, width}, "embeddings", "random_uniform"}));
    ValueId ids = in[0];
    if (l.build.type(ids).dtype != graph::DType::Int32) {
        TRY(ids, l.build.emit("cast", {ids}, {{"dtype", std::string("int32")}}, "Cast"));
    }
    if (flag(l, "mask_zero", false)) {
        TRY(l.output_mask,
            l.build.emit("not_equal", {ids, l.build.scalar(0, graph::DType::Int32)}, {}, "Mask"));
    }
    return l.build.emit("embedding_lookup", {table, ids},
                        parts == 1 ? graph::Attributes{} : graph::Attributes{{"serialization_factor", parts}},
                        "EmbeddingLookup");
}

/// An embedding whose call with `reverse` projects onto the rows of its table, or, where the weights are not
/// tied, by a matrix of its own (keras/src/layers/core/reversible_embedding.py). The projection is done in as
/// many parts of the rows as the look-up (PopART's serializeMatMul of "output_channels").
Result<ValueId> reversible_embedding(KerasLayer& l, const Values& in) {
    if (formats::member(l.call_settings, "reverse") != true)
        return embedding(l, in);
    TRY(const auto rows, integer(l, "input_dim", 0));
    TRY(const auto width, integer(l, "output_dim", 0));
    if (const Json& dtype = setting(l, "reverse_dtype"); !dtype.is_null())
        return l.unsupported("\"reverse_dtype\" is not supported", "leave it to the layer's dtype");
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() < 2 || x.back() != width || !graph::is_floating(l.build.type(in[0]).dtype))
        return l.fail("in reverse expects an input [.., " + std::to_string(width) + "] of floats, got " +
                      graph::to_string(l.build.type(in[0])));
    const bool tied = flag(l, "tie_weights", true);
    TRY(const auto kernel,
        tied ? weight(l, {"embeddings", {rows, width}, "embeddings", "random_uniform"})
             : weight(l, {"reverse_embeddings", {width, rows}, "embeddings", "random_uniform"}));
    TRY(const auto flat, as_rows(l, in[0]));
    TRY(const auto parts, integer(l, "serialization_factor", 1));
    graph::Attributes how{{"transpose_b", tied}};
    if (parts != 1) {
        how.set("serialization_factor", parts);
        how.set("serialization_dimension", std::string("b_rows"));
    }
    TRY(auto logits, l.build.emit("matmul", {flat, kernel}, how, "MatMul"));
    if (const double cap = number(l, "logit_soft_cap", 0); cap != 0) {
        const ValueId most = l.build.scalar(cap, l.build.type(logits).dtype);
        TRY(logits,
            l.build.emit("multiply", {l.build.emit("tanh", {l.build.emit("divide", {logits, most})}), most},
                         {}, "SoftCap"));
    }
    return from_rows(l, logits, x);
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

Result<ValueId> checkpoint(KerasLayer& l, const Values& in) {
    return l.build.emit("recomputation_checkpoint", {in[0]}, {}, "RecomputationCheckpoint");
}

} // namespace

LayerTable core_layers() {
    const std::vector<const char*> of_dense = {"units",
                                               "activation",
                                               "use_bias",
                                               "kernel_initializer",
                                               "bias_initializer",
                                               "kernel_regularizer",
                                               "bias_regularizer",
                                               "kernel_constraint",
                                               "bias_constraint"};
    std::vector<const char*> of_serial_dense = of_dense;
    of_serial_dense.insert(of_serial_dense.end(), {"serialization_factor", "serialization_dimension"});
    return {
        {"Dense", {dense, of_dense, Masking::Passes}},
        {"SerialDense", {dense, of_serial_dense, Masking::Passes}},
        {"Embedding",
         {embedding,
          {"input_dim", "output_dim", "input_length", "mask_zero", "embeddings_initializer",
           "embeddings_regularizer", "embeddings_constraint", "lora_rank", "serialization_factor"}}},
        {"ReversibleEmbedding",
         {reversible_embedding,
          {"input_dim", "output_dim", "mask_zero", "embeddings_initializer", "embeddings_regularizer",
           "embeddings_constraint", "lora_rank", "serialization_factor", "tie_weights", "reverse_dtype",
           "logit_soft_cap"},
          Masking::Ends,
          {"reverse"}}},
        {"Identity", {identity, {}, Masking::Passes}},
        {"Masking", {masking, {"mask_value"}}},
        // Values of IPU TensorFlow's layers that only tell its compiler something.
        {"AssumeEqualAcrossReplicas", {identity, {"inplace"}, Masking::Passes}},
        {"RecomputationCheckpoint", {checkpoint, {}, Masking::Passes}},
    };
}

} // namespace tilescope::keras
