// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention.h"

#include "base/try.h"

#include <utility>

namespace tilescope::keras {

using graph::Shape;
using graph::ValueId;

ValueId reshaped(KerasLayer& l, ValueId x, const Shape& shape) {
    return l.build.type(x).shape == shape ? x : l.build.emit("reshape", {x}, {{"shape", shape}}, "Reshape");
}

bool told(const KerasLayer& l, const char* argument) {
    return l.call_settings.value(argument, Json()) == true;
}

ValueId pattern(KerasLayer& l, graph::DType dtype, std::int64_t rows, std::int64_t columns,
                const std::function<bool(std::int64_t, std::int64_t)>& holds) {
    graph::HostTensor values({dtype, {rows, columns}});
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            values.set(row * columns + column, holds(row, column) ? 1 : 0);
    return l.build.constant(l.name + "/mask", std::move(values));
}

ValueId lower_triangle(KerasLayer& l, graph::DType dtype, std::int64_t rows, std::int64_t columns) {
    return pattern(l, dtype, rows, columns,
                   [](std::int64_t row, std::int64_t column) { return row >= column; });
}

void MaskProduct::add(ValueId mask) {
    product_ =
        product_ == graph::no_value ? mask : layer_.build.emit("multiply", {product_, mask}, {}, "Mask");
}

void MaskProduct::add(ValueId mask, graph::DType dtype, const Shape& shape) {
    if (mask != graph::no_value)
        add(reshaped(layer_, mask_numbers(layer_, mask, dtype, 0), shape));
}

Result<AttentionWeights> weigh(KerasLayer& l, ValueId scores, ValueId mask) {
    if (mask != graph::no_value)
        scores = without_masked(l, scores, mask);
    TRY(const auto weights, graph::one(l.build.add("softmax", {scores}, {}, "Softmax")));
    TRY(const auto kept, drop_out(l, weights, number(l, "dropout", 0)));
    return AttentionWeights{weights, kept};
}

namespace {

/// query [batch, queries, dim] and key [batch, keys, dim]: tanh of the sum of each pair.
Result<ValueId> pairs(KerasLayer& l, ValueId query, ValueId key, const Result<ValueId>& scale) {
    const Shape q = l.build.type(query).shape;
    const Shape k = l.build.type(key).shape;
    auto sum = graph::one(l.build.add(
        "add", {reshaped(l, query, {q[0], q[1], 1, q[2]}), reshaped(l, key, {k[0], 1, k[1], k[2]})}, {},
        "Pairs"));
    if (sum && *scale != graph::no_value)
        sum = graph::one(l.build.add("multiply", {*sum, *scale}, {}, "Scale"));
    return sum ? graph::one(l.build.add("tanh", {*sum}, {}, "Tanh")) : sum;
}

Result<ValueId> sum_of_features(KerasLayer& l, ValueId x) {
    return graph::one(l.build.add("reduce_sum", {x}, {{"axes", Extents{-1}}}, "Scores"));
}

/// "dot": Q K^T, times the scale; "concat": w sum(tanh(scale (q + k))).
Result<ValueId> dot_scores(KerasLayer& l, ValueId query, ValueId key) {
    const auto number_weight = [&](const char* name) { return weight(l, {name, {}, name, "ones"}); };
    const std::string mode = text(l, "score_mode", "dot");
    Result<ValueId> scale = flag(l, "use_scale", false) ? number_weight("scale") : graph::no_value;
    if (!scale)
        return scale;
    if (mode == "dot") {
        auto scores = graph::one(l.build.add("matmul", {query, key}, {{"transpose_b", true}}, "Scores"));
        if (scores && *scale != graph::no_value)
            scores = graph::one(l.build.add("multiply", {*scores, *scale}, {}, "Scale"));
        return scores;
    }
    if (mode != "concat")
        return l.fail("score_mode \"" + mode + "\" is not supported", "use \"dot\" or \"concat\"");
    TRY(const auto factor, number_weight("concat_score_weight"));
    TRY(const auto each, pairs(l, query, key, scale));
    const auto sum = sum_of_features(l, each);
    return sum ? graph::one(l.build.add("multiply", {*sum, factor}, {}, "Scores")) : sum;
}

/// sum(scale tanh(q + k)) (Bahdanau et al. 2014).
Result<ValueId> additive_scores(KerasLayer& l, ValueId query, ValueId key) {
    auto each = pairs(l, query, key, graph::no_value);
    if (each && flag(l, "use_scale", true)) {
        TRY(auto scale, weight(l, {"scale", {l.build.type(query).shape.back()}, "scale", "glorot_uniform"}));
        each = graph::one(l.build.add("multiply", {*each, scale}, {}, "Scale"));
    }
    return each ? sum_of_features(l, *each) : each;
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
    counts.add(l.mask(1), dtype, {v[0], 1, v[1]});
    if (flag(l, "causal", false) || told(l, "use_causal_mask"))
        counts.add(lower_triangle(l, dtype, q[1], v[1]));
    TRY(const auto weights, weigh(l, scores, counts.product()));
    auto y = graph::one(l.build.add("matmul", {weights.kept, in[1]}, {}, "Mix"));
    if (y && l.mask() != graph::no_value)
        y = graph::one(l.build.add("multiply", {*y, mask_numbers(l, l.mask(), dtype, 3)}, {}, "Masked"));
    TRY(const auto mixed, y);
    return told(l, "return_attention_scores") ? Values{mixed, weights.weights} : Values{mixed};
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
