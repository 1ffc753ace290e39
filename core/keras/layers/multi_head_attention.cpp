// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

/// Attention of several heads, as products of batches of matrices.
namespace tilescope::keras {
namespace {

using graph::Shape;
using graph::ValueId;

/// Heads of the queries, and of the keys and values that groups of them share.
struct Heads {
    std::int64_t query = 1, key_value = 1;
    std::int64_t key_dim = 1, value_dim = 1;
    Extents axes; ///< of the inputs, over which is attended
};

/// x [..., features] kernel + bias = [..., heads, width], the kernel [features, heads, width].
Result<ValueId> project(KerasLayer& l, ValueId x, const std::string& name, std::int64_t heads,
                        std::int64_t width) {
    Shape shape = l.build.type(x).shape;
    const std::int64_t features = shape.back();
    TRY(auto kernel, weight(l, {name + "/kernel",
                                {features, heads, width},
                                "kernel",
                                "glorot_uniform",
                                true,
                                {},
                                name + "_dense"}));
    TRY(const ValueId flat, reshaped(l, x, {graph::element_count(shape) / features, features}));
    TRY(ValueId y, l.build.emit("matmul", {flat, reshaped(l, kernel, {features, heads * width})}, {}, name));
    if (flag(l, "use_bias", true)) {
        TRY(auto bias,
            weight(l, {name + "/bias", {heads, width}, "bias", "zeros", true, {}, name + "_dense"}));
        TRY(y, l.build.emit("add", {y, reshaped(l, bias, {heads * width})}, {}, "BiasAdd"));
    }
    shape.back() = heads;
    shape.push_back(width);
    return reshaped(l, y, shape);
}

/// Dimensions of [batch, ..., heads, width] in the order: those that are not attended over, heads, those that
/// are, width.
Extents head_order(const Heads& heads, std::size_t rank) {
    Extents order;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank) - 2; ++d)
        if (std::find(heads.axes.begin(), heads.axes.end(), d) == heads.axes.end())
            order.push_back(d);
    order.push_back(static_cast<std::int64_t>(rank) - 2);
    order.insert(order.end(), heads.axes.begin(), heads.axes.end());
    order.push_back(static_cast<std::int64_t>(rank) - 1);
    return order;
}

/// A projection [batch, ..., heads, width] as matrices [batches and heads, steps, width].
Result<ValueId> by_head(KerasLayer& l, ValueId x, const Heads& heads) {
    const Shape shape = l.build.type(x).shape;
    TRY(const ValueId turned,
        l.build.emit("transpose", {x}, {{"permutation", head_order(heads, shape.size())}}, "Heads"));
    std::int64_t steps = 1;
    for (const std::int64_t axis : heads.axes)
        steps *= shape[static_cast<std::size_t>(axis)];
    return reshaped(l, turned, {graph::element_count(shape) / (steps * shape.back()), steps, shape.back()});
}

/// And back, for an input of this shape: [batch, ..., heads width].
Result<ValueId> from_heads(KerasLayer& l, ValueId y, Shape input, const Heads& heads) {
    input.back() = heads.query;
    input.push_back(heads.value_dim);
    const Extents order = head_order(heads, input.size());
    Shape turned;
    Extents back(order.size());
    for (std::size_t d = 0; d < order.size(); ++d) {
        turned.push_back(input[static_cast<std::size_t>(order[d])]);
        back[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
    }
    TRY(const ValueId apart, reshaped(l, y, turned));
    return l.build.emit("transpose", {apart}, {{"permutation", back}}, "Together");
}

struct Sequences {
    ValueId query, value, key;
    ValueId query_mask, value_mask, key_mask;
};

/// Of the call's arguments in their order, or by their names.
Result<Sequences> sequences(KerasLayer& l, const Values& in) {
    const auto find = [&](const char* name, std::size_t at, std::pair<ValueId, ValueId> otherwise) {
        if (const auto found = l.arguments.find(name); found != l.arguments.end() && !found->second.empty())
            return std::pair{found->second[0], l.argument_masks.at(name)[0]};
        return at < in.size() ? std::pair{in[at], l.mask(at)} : otherwise;
    };
    const auto query = find("query", 0, {graph::no_value, graph::no_value});
    const auto value = find("value", 1, {graph::no_value, graph::no_value});
    const auto key = find("key", 2, value);
    if (value.first == graph::no_value)
        return l.fail("expects a query and a value");
    Sequences s{query.first, value.first, key.first, query.second, value.second, key.second};
    for (const auto& [name, mask] :
         {std::pair{"query_mask", &s.query_mask}, std::pair{"value_mask", &s.value_mask},
          std::pair{"key_mask", &s.key_mask}})
        if (const auto found = l.arguments.find(name); found != l.arguments.end())
            *mask = found->second[0];
    const Shape q = l.build.type(s.query).shape;
    const Shape v = l.build.type(s.value).shape;
    const Shape k = l.build.type(s.key).shape;
    if (q.size() < 3 || v.size() != q.size() || k.size() != q.size() || q[0] != v[0] ||
        !std::equal(v.begin(), v.end() - 1, k.begin()))
        return l.fail("expects query, value and key [batch, steps, features], got " + graph::to_string(q) +
                      ", " + graph::to_string(v) + " and " + graph::to_string(k));
    return s;
}

/// The call's attention_mask [.., queries, keys] as numbers of [.., heads, queries, keys], of which it leaves
/// open what lies before what is attended over.
Result<ValueId> given_mask(KerasLayer& l, ValueId mask, graph::DType dtype, std::size_t rank,
                           const Heads& heads) {
    if (l.build.type(mask).dtype != graph::DType::Bool) {
        TRY(mask, l.build.emit("not_equal", {mask, l.build.scalar(0, l.build.type(mask).dtype)}, {}, "Mask"));
    }
    const Shape shape = l.build.type(mask).shape;
    const std::size_t attended = heads.axes.size();
    const std::size_t before = rank - attended; // with the heads
    if (shape.size() < 2 * attended || shape.size() > 2 * attended + before)
        return l.fail("attention_mask " + graph::to_string(shape) + " does not fit");
    const auto queries = shape.end() - static_cast<std::ptrdiff_t>(2 * attended);
    const auto keys = shape.end() - static_cast<std::ptrdiff_t>(attended);
    Shape together(shape.begin(), queries);
    together.resize(before, 1);
    together.push_back(graph::element_count({queries, keys}));
    together.push_back(graph::element_count({keys, shape.end()}));
    return reshaped(l, mask_numbers(l, mask, dtype, 0), together);
}

/// Which scores [.., heads, queries, keys] count: 1 and 0, with dimensions of 1; no_value for all.
Result<ValueId> scores_that_count(KerasLayer& l, const Sequences& s, const Heads& heads) {
    const graph::DType dtype = l.build.type(s.query).dtype;
    const Shape q = l.build.type(s.query).shape;
    const Shape v = l.build.type(s.value).shape;
    const Json& window = setting(l, "sliding_window");
    const bool causal = told(l, "use_causal_mask");
    MaskProduct counts(l);
    if (const auto given = l.arguments.find("attention_mask"); given != l.arguments.end()) {
        TRY(auto mask, given_mask(l, given->second[0], dtype, q.size(), heads));
        TRY(counts.add(mask));
    }
    const bool masked =
        s.query_mask != graph::no_value || s.value_mask != graph::no_value || s.key_mask != graph::no_value;
    if ((masked || causal || !window.is_null()) && q.size() != 3)
        return l.unsupported("masks of inputs of " + std::to_string(q.size()) +
                                 " dimensions are not supported",
                             "give it an attention_mask");
    TRY(counts.add(s.query_mask, dtype, {q[0], 1, q[1], 1}));
    TRY(counts.add(s.value_mask, dtype, {q[0], 1, 1, v[1]}));
    if (s.key_mask != s.value_mask)
        TRY(counts.add(s.key_mask, dtype, {q[0], 1, 1, v[1]}));
    if (causal)
        TRY(counts.add(lower_triangle(l, dtype, q[1], v[1])));
    if (window.is_null())
        return counts.product();
    TRY(const auto width, integer(l, "sliding_window", 0));
    TRY(counts.add(pattern(l, dtype, q[1], v[1], [&](std::int64_t row, std::int64_t column) {
        return std::abs(row - column) < width;
    })));
    return counts.product();
}

/// The extents of the output's features.
Result<Shape> output_features(const KerasLayer& l, std::int64_t otherwise) {
    const Json& value = setting(l, "output_shape");
    if (value.is_null())
        return Shape{otherwise};
    const Json list = value.is_array() ? value : Json::array({value});
    Shape shape;
    for (const Json& extent : list)
        if (extent.is_number_integer() && extent.get<std::int64_t>() > 0)
            shape.push_back(extent.get<std::int64_t>());
    if (shape.empty() || shape.size() != list.size())
        return l.fail("\"output_shape\" is not a list of extents: " + value.dump());
    return shape;
}

/// [.., heads, width] with the kernel [heads, width, ...features] to [.., ...features].
Result<ValueId> project_output(KerasLayer& l, ValueId y, const Heads& heads, std::int64_t query_features) {
    Shape shape = l.build.type(y).shape;
    shape.resize(shape.size() - 2);
    TRY(const auto features, output_features(l, query_features));
    const std::int64_t inner = heads.query * heads.value_dim;
    const std::int64_t outer = graph::element_count(features);
    Shape kernel_shape{heads.query, heads.value_dim};
    kernel_shape.insert(kernel_shape.end(), features.begin(), features.end());
    TRY(auto kernel,
        weight(
            l,
            {"attention_output/kernel", kernel_shape, "kernel", "glorot_uniform", true, {}, "output_dense"}));
    TRY(const ValueId flat, reshaped(l, y, {graph::element_count(shape), inner}));
    TRY(ValueId made, l.build.emit("matmul", {flat, reshaped(l, kernel, {inner, outer})}, {}, "output"));
    if (flag(l, "use_bias", true)) {
        TRY(auto bias,
            weight(l, {"attention_output/bias", features, "bias", "zeros", true, {}, "output_dense"}));
        TRY(made, l.build.emit("add", {made, reshaped(l, bias, {outer})}, {}, "BiasAdd"));
    }
    shape.insert(shape.end(), features.begin(), features.end());
    return reshaped(l, made, shape);
}

/// The axes over which is attended: all between batch and features, unless the layer names some.
Result<Extents> attended_axes(const KerasLayer& l, std::size_t rank) {
    Extents axes(rank - 2);
    std::iota(axes.begin(), axes.end(), std::int64_t{1});
    const Json& chosen = setting(l, "attention_axes");
    if (chosen.is_null())
        return axes;
    Extents result;
    for (const Json& axis : chosen.is_array() ? chosen : Json::array({chosen})) {
        const std::int64_t n = axis.is_number_integer() ? axis.get<std::int64_t>() : 0;
        result.push_back(n < 0 ? n + static_cast<std::int64_t>(rank) : n);
        if (std::find(axes.begin(), axes.end(), result.back()) == axes.end())
            return l.fail("\"attention_axes\" names no axis between batch and features: " + chosen.dump());
    }
    return result;
}

/// What the projections make of the sequences; a gate only where the layer has one.
struct Projections {
    ValueId query, key, value, gate;
};
Result<Projections> projections(KerasLayer& l, const Sequences& s, const Heads& heads) {
    Projections made{};
    TRY(made.query, project(l, s.query, "query", heads.query, heads.key_dim));
    TRY(made.key, project(l, s.key, "key", heads.key_value, heads.key_dim));
    made.gate = graph::no_value;
    if (flag(l, "use_gate", false)) {
        TRY(made.gate, project(l, s.query, "gate", heads.query, heads.value_dim));
    }
    TRY(made.value, project(l, s.value, "value", heads.key_value, heads.value_dim));
    return made;
}

/// [.., heads, queries, keys] of an input of this shape.
Shape score_shape(const Shape& input, const Heads& heads, std::int64_t queries, std::int64_t keys) {
    Shape shape;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(input.size()) - 1; ++d)
        if (std::find(heads.axes.begin(), heads.axes.end(), d) == heads.axes.end())
            shape.push_back(input[static_cast<std::size_t>(d)]);
    shape.insert(shape.end(), {heads.query, queries, keys});
    return shape;
}

/// softmax(Q K^T / sqrt(key_dim)) V for each head, between projections (keras/layers/attention
/// /multi_head_attention.py, grouped_query_attention.py).
Result<Values> attend(KerasLayer& l, const Values& in, Heads heads) {
    TRY(const auto s, sequences(l, in));
    const Shape query_shape = l.build.type(s.query).shape;
    TRY(const auto axes, attended_axes(l, query_shape.size()));
    heads.axes = axes;
    TRY(const auto projected, projections(l, s, heads));
    TRY(const auto counts, scores_that_count(l, s, heads));

    const ValueId scale = l.build.scalar(1 / std::sqrt(static_cast<double>(heads.key_dim)),
                                         l.build.type(projected.query).dtype);
    TRY(const ValueId scaled, l.build.emit("multiply", {projected.query, scale}, {}, "Scale"));
    TRY(ValueId q, by_head(l, scaled, heads));
    TRY(const ValueId k, by_head(l, projected.key, heads));
    TRY(const ValueId v, by_head(l, projected.value, heads));
    Shape shape = score_shape(query_shape, heads, l.build.type(q).shape[1], l.build.type(k).shape[1]);
    // Heads that share a key are rows of one product.
    const std::int64_t products = l.build.type(k).shape[0];
    TRY(q, reshaped(l, q, {products, -1, heads.key_dim}));
    TRY(const auto scores, l.build.emit("matmul", {q, k}, {{"transpose_b", true}}, "Scores"));
    TRY(const auto weights, weigh(l, reshaped(l, scores, shape), counts));
    TRY(const ValueId rows, reshaped(l, weights.kept, {products, -1, shape.back()}));
    TRY(const auto mixed, l.build.emit("matmul", {rows, v}, {}, "Mix"));
    TRY(ValueId together, from_heads(l, mixed, query_shape, heads));
    if (projected.gate != graph::no_value) {
        TRY(together,
            l.build.emit("multiply", {together, l.build.emit("sigmoid", {projected.gate}, {}, "Gate")}, {},
                         "Gated"));
    }
    TRY(const auto y, project_output(l, together, heads, query_shape.back()));
    if (!told(l, "return_attention_scores"))
        return Values{y};
    shape.resize(shape.size() - 2);
    for (const ValueId sequence : {s.query, s.value})
        for (const std::int64_t axis : axes)
            shape.push_back(l.build.type(sequence).shape[static_cast<std::size_t>(axis)]);
    return graph::values_of({y, reshaped(l, weights.weights, shape)});
}

Result<Values> multi_head_attention(KerasLayer& l, const Values& in) {
    TRY(const auto heads, integer(l, "num_heads", 0));
    TRY(const auto key_dim, integer(l, "key_dim", 0));
    TRY(const auto value_dim, integer(l, "value_dim", key_dim));
    return attend(l, in, {heads, heads, key_dim, value_dim, {}});
}

Result<Values> grouped_query_attention(KerasLayer& l, const Values& in) {
    TRY(const auto width, integer(l, "head_dim", 0));
    TRY(const auto query, integer(l, "num_query_heads", 0));
    TRY(const auto key_value, integer(l, "num_key_value_heads", 0));
    if (query % key_value != 0)
        return l.fail(std::to_string(query) + " query heads cannot share " + std::to_string(key_value) +
                      " key and value heads evenly");
    return attend(l, in, {query, key_value, width, width, {}});
}

const std::vector<const char*> projection_settings = {
    "dropout",          "use_bias",           "use_gate",         "sliding_window",
    "flash_attention",  "kernel_initializer", "bias_initializer", "kernel_regularizer",
    "bias_regularizer", "kernel_constraint",  "bias_constraint",  "seed"};
const std::vector<const char*> projection_arguments = {
    "query",           "value",      "key",        "attention_mask", "return_attention_scores",
    "use_causal_mask", "query_mask", "value_mask", "key_mask"};

std::vector<const char*> with_projections(std::vector<const char*> more) {
    more.insert(more.end(), projection_settings.begin(), projection_settings.end());
    return more;
}

} // namespace

LayerTable multi_head_attention_layers() {
    const LayerClass grouped(grouped_query_attention,
                             with_projections({"head_dim", "num_query_heads", "num_key_value_heads"}),
                             Masking::Passes, projection_arguments);
    return {{"MultiHeadAttention",
             {multi_head_attention,
              with_projections({"num_heads", "key_dim", "value_dim", "output_shape", "attention_axes",
                                "query_shape", "value_shape", "key_shape", "softmax_robust_masking"}),
              Masking::Passes, projection_arguments}},
            {"GroupQueryAttention", grouped}, // under either name in files
            {"GroupedQueryAttention", grouped}};
}

} // namespace tilescope::keras
