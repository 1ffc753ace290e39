// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention.h"

#include "base/try.h"
#include "formats/json_reader.h"

#include <utility>

namespace tilescope::keras {

using graph::Shape;
using graph::ValueId;

Result<ValueId> reshaped(KerasLayer& l, const Result<ValueId>& x, const Shape& shape) {
    return x && l.build.type(*x).shape == shape ? x
                                                : l.build.emit("reshape", {x}, {{"shape", shape}}, "Reshape");
}

bool told(const KerasLayer& l, const char* argument) {
    return formats::member(l.call_settings, argument) == true;
}

Result<ValueId> pattern(KerasLayer& l, graph::DType dtype, std::int64_t rows, std::int64_t columns,
                        const std::function<bool(std::int64_t, std::int64_t)>& holds) {
    graph::HostTensor values({dtype, {rows, columns}});
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            values.set(row * columns + column, holds(row, column) ? 1 : 0);
    return l.build.constant(l.name + "/mask", std::move(values));
}

Result<ValueId> lower_triangle(KerasLayer& l, graph::DType dtype, std::int64_t rows, std::int64_t columns) {
    return pattern(l, dtype, rows, columns,
                   [](std::int64_t row, std::int64_t column) { return row >= column; });
}

Result<void> MaskProduct::add(const Result<ValueId>& mask) {
    TRY(product_,
        product_ == graph::no_value ? mask : layer_.build.emit("multiply", {product_, mask}, {}, "Mask"));
    return {};
}

Result<void> MaskProduct::add(ValueId mask, graph::DType dtype, const Shape& shape) {
    return mask == graph::no_value ? Result<void>()
                                   : add(reshaped(layer_, mask_numbers(layer_, mask, dtype, 0), shape));
}

Result<AttentionWeights> weigh(KerasLayer& l, const Result<ValueId>& scores, ValueId mask) {
    TRY(ValueId counted, scores);
    if (mask != graph::no_value) {
        TRY(counted, without_masked(l, counted, mask));
    }
    TRY(const auto weights, l.build.emit("softmax", {counted}, {}, "Softmax"));
    TRY(const auto kept, drop_out(l, weights, number(l, "dropout", 0)));
    return AttentionWeights{weights, kept};
}

namespace {

/// query [batch, queries, dim] and key [batch, keys, dim]: tanh of the sum of each pair.
Result<ValueId> pairs(KerasLayer& l, ValueId query, ValueId key, ValueId scale) {
    const Shape q = l.build.type(query).shape;
    const Shape k = l.build.type(key).shape;
    TRY(ValueId sum,
        l.build.emit("add",
                     {reshaped(l, query, {q[0], q[1], 1, q[2]}), reshaped(l, key, {k[0], 1, k[1], k[2]})}, {},
                     "Pairs"));
    if (scale != graph::no_value) {
        TRY(sum, l.build.emit("multiply", {sum, scale}, {}, "Scale"));
    }
    return l.build.emit("tanh", {sum}, {}, "Tanh");
}

Result<ValueId> sum_of_features(KerasLayer& l, const Result<ValueId>& x) {
    return l.build.emit("reduce_sum", {x}, {{"axes", Extents{-1}}}, "Scores");
}

/// "dot": Q K^T, times the scale; "concat": w sum(tanh(scale (q + k))).
Result<ValueId> dot_scores(KerasLayer& l, ValueId query, ValueId key) {
    const auto number_weight = [&](const char* name) { return weight(l, {name, {}, name, "ones"}); };
    const std::string mode = text(l, "score_mode", "dot");
    TRY(const ValueId scale, flag(l, "use_scale", false) ? number_weight("scale") : graph::no_value);
    if (mode == "dot") {
        const auto scores = l.build.emit("matmul", {query, key}, {{"transpose_b", true}}, "Scores");
        return scale == graph::no_value ? scores : l.build.emit("multiply", {scores, scale}, {}, "Scale");
    }
    if (mode != "concat")
        return l.unsupported("score_mode \"" + mode + "\" is not supported", "use \"dot\" or \"concat\"");
    TRY(const auto factor, number_weight("concat_score_weight"));
    const auto sum = sum_of_features(l, pairs(l, query, key, scale));
    return l.build.emit("multiply", {sum, factor}, {}, "Scores");
}

/// sum(scale tanh(q + k)) (Bahdanau et al. 2014).
Result<ValueId> additive_scores(KerasLayer& l, ValueId query, ValueId key) {
    TRY(ValueId each, pairs(l, query, key, graph::no_value));
    if (flag(l, "use_scale", true)) {
        TRY(auto scale, weight(l, {"scale", {l.build.type(query).shape.back()}, "scale", "glorot_uniform"}));
        TRY(each, l.build.emit("multiply", {each, scale}, {}, "Scale"));
    }
    return sum_of_features(l, each);
}

/// Inputs query, value and maybe key; the masks of query and value (keras/layers/attention/attention.py).
template<Result<ValueId> (*Scores)(KerasLayer&, ValueId, ValueId)>
Result<Values> plain_attention(KerasLayer& l, const Values& in) {
    if (in.size() < 2 || in.size() > 3)
        return l.fail("expects two inputs, query and value, or three, with a key");
    const ValueId key = in.size() == 3 ? in[2] : in[1];
    const Shape q = l.build.type(in[0]).shape;
    const Shape k = l.build.type(key).shape;
    const Shape v = l.build.type(in[1]).shape;
    if (q.size() != 3 || k.size() != 3 || v.size() != 3 || q.back() != k.back() || k[1] != v[1])
        return l.fail("expects query, value and key [batch, steps, features], got " + graph::to_string(q) +
                      ", " + graph::to_string(v) + " and " + graph::to_string(k));
    TRY(const auto scores, Scores(l, in[0], key));
    const graph::DType dtype = l.build.type(scores).dtype;
    MaskProduct counts(l);
    TRY(counts.add(l.mask(1), dtype, {v[0], 1, v[1]}));
    if (flag(l, "causal", false) || told(l, "use_causal_mask"))
        TRY(counts.add(lower_triangle(l, dtype, q[1], v[1])));
    TRY(const auto weights, weigh(l, scores, counts.product()));
    TRY(ValueId y, l.build.emit("matmul", {weights.kept, in[1]}, {}, "Mix"));
    if (l.mask() != graph::no_value) {
        TRY(y, l.build.emit("multiply", {y, mask_numbers(l, l.mask(), dtype, 3)}, {}, "Masked"));
    }
    return told(l, "return_attention_scores") ? Values{y, weights.weights} : Values{y};
}

} // namespace

LayerTable attention_layers() {
    const std::vector<const char*> arguments{"return_attention_scores", "use_causal_mask"};
    return {{"Attention",
             {plain_attention<dot_scores>,
              {"use_scale", "score_mode", "dropout", "seed", "causal"},
              Masking::Passes,
              arguments}},
            {"AdditiveAttention",
             {plain_attention<additive_scores>,
              {"use_scale", "dropout", "seed", "causal"},
              Masking::Passes,
              arguments}}};
}

} // namespace tilescope::keras
