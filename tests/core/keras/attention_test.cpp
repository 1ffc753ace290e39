// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/keras/layer_fixture.h"

#include <cmath>
#include <functional>

/// Attention against its formulas, written out element by element.
namespace tilescope::keras {
namespace {

using KerasAttention = KerasLayerTest;
using Matrix = std::vector<std::vector<double>>;

/// Numbers without a pattern, of either sign, up to 1.
std::vector<float> numbers(std::size_t count, double phase) {
    std::vector<float> result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back(static_cast<float>(std::sin(1.7 * static_cast<double>(i) + phase)));
    return result;
}

Matrix matrix(const std::vector<float>& values, std::size_t from, std::size_t rows, std::size_t columns) {
    Matrix m(rows, std::vector<double>(columns));
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            m[r][c] = static_cast<double>(values[from + r * columns + c]);
    return m;
}

/// Row by row: exp(s) over the sum of those that count.
Matrix softmax(Matrix scores, const std::function<bool(std::size_t, std::size_t)>& counts) {
    for (std::size_t t = 0; t < scores.size(); ++t) {
        double sum = 0;
        for (std::size_t s = 0; s < scores[t].size(); ++s)
            sum += counts(t, s) ? std::exp(scores[t][s]) : 0;
        for (std::size_t s = 0; s < scores[t].size(); ++s)
            scores[t][s] = counts(t, s) ? std::exp(scores[t][s]) / sum : 0;
    }
    return scores;
}
bool all(std::size_t, std::size_t) {
    return true;
}
bool earlier(std::size_t t, std::size_t s) {
    return s <= t;
}

/// Sizes of a layer and its weights, as Keras lays them out: kernels [features, heads, width], biases [heads,
/// width], the output's kernel [heads, value width, features].
struct MultiHead {
    std::size_t heads, shared, key_dim, value_dim, features, outputs;
    bool bias = true;
    std::vector<float> weights = {};

    /// The element of a projection of row x: part 0 is the query, 1 the key, 2 the value.
    double projected(std::size_t part, const std::vector<double>& x, std::size_t head,
                     std::size_t column) const {
        const std::size_t sizes[] = {heads * key_dim, shared * key_dim, shared * value_dim};
        std::size_t from = 0;
        for (std::size_t p = 0; p < part; ++p)
            from += sizes[p] * (features + (bias ? 1 : 0));
        const std::size_t width = part == 2 ? value_dim : key_dim;
        double y = 0;
        for (std::size_t d = 0; d < features; ++d)
            y += x[d] * static_cast<double>(weights[from + d * sizes[part] + head * width + column]);
        return y + (bias ? static_cast<double>(weights[from + sizes[part] * features + head * width + column])
                         : 0);
    }
    std::size_t count() const {
        const std::size_t inner = heads * key_dim + shared * (key_dim + value_dim);
        return inner * (features + (bias ? 1 : 0)) + heads * value_dim * outputs + (bias ? outputs : 0);
    }
    /// [queries, outputs] of one sample.
    std::vector<double> of(const Matrix& query, const Matrix& value, const Matrix& key,
                           const std::function<bool(std::size_t, std::size_t)>& counts) const {
        const std::size_t last = count() - heads * value_dim * outputs - (bias ? outputs : 0);
        std::vector<double> y(query.size() * outputs);
        for (std::size_t t = 0; t < query.size(); ++t)
            for (std::size_t o = 0; o < outputs && bias; ++o)
                y[t * outputs + o] = static_cast<double>(weights[count() - outputs + o]);
        for (std::size_t h = 0; h < heads; ++h) {
            const std::size_t group = h / (heads / shared);
            Matrix scores(query.size(), std::vector<double>(key.size()));
            for (std::size_t t = 0; t < query.size(); ++t)
                for (std::size_t s = 0; s < key.size(); ++s)
                    for (std::size_t c = 0; c < key_dim; ++c)
                        scores[t][s] += projected(0, query[t], h, c) * projected(1, key[s], group, c) /
                                        std::sqrt(static_cast<double>(key_dim));
            scores = softmax(scores, counts);
            for (std::size_t t = 0; t < query.size(); ++t)
                for (std::size_t c = 0; c < value_dim; ++c) {
                    double mixed = 0;
                    for (std::size_t s = 0; s < key.size(); ++s)
                        mixed += scores[t][s] * projected(2, value[s], group, c);
                    for (std::size_t o = 0; o < outputs; ++o)
                        y[t * outputs + o] +=
                            mixed * static_cast<double>(weights[last + (h * value_dim + c) * outputs + o]);
                }
        }
        return y;
    }
};

/// Queries [1, 3, 4] and values [1, 2, 4].
class MultiHeadAttention : public KerasLayerTest {
  protected:
    const std::vector<float> q = numbers(12, 0.3);
    const std::vector<float> v = numbers(8, 1.1);
    const Matrix query = matrix(q, 0, 3, 4);
    const Matrix value = matrix(v, 0, 2, 4);

    std::map<std::string, HostTensor> called(const std::string& kind, const Json& config,
                                             const Json& arguments, const std::vector<float>& weights,
                                             std::vector<HostTensor> more = {}) const {
        std::vector<Json> layers{input_node("q", {nullptr, 3, 4}), input_node("v", {nullptr, 2, 4}),
                                 node(kind, "attention", config, {{of("q", arguments)}})};
        if (!more.empty())
            layers.insert(layers.begin() + 2, input_node("m", {nullptr, 3, 2}, "bool"));
        std::vector<HostTensor> feeds{HostTensor::of_floats({1, 3, 4}, q),
                                      HostTensor::of_floats({1, 2, 4}, v)};
        feeds.insert(feeds.end(), more.begin(), more.end());
        Json outputs_of = {of("attention")};
        if (arguments.value("return_attention_scores", false))
            outputs_of.push_back(of("attention", Json::object(), 1));
        return outputs(layers, outputs_of, feeds, weights);
    }
};

TEST_F(MultiHeadAttention, IsItsFormula) {
    MultiHead h{2, 2, 3, 5, 4, 4};
    h.weights = numbers(h.count(), 2.5);
    const Json config{{"num_heads", 2}, {"key_dim", 3}, {"value_dim", 5}, {"dropout", 0.1}};
    const auto y = called("MultiHeadAttention", config, {{"value", {"v", 0, 0}}}, h.weights);
    expect_output(y.at("output"), {1, 3, 4}, h.of(query, value, value, all));
}

TEST_F(MultiHeadAttention, HasOutputsOfOtherExtentsAndNoBias) {
    MultiHead h{2, 2, 3, 3, 4, 6, false};
    h.weights = numbers(h.count(), 0.7);
    const Json config{{"num_heads", 2}, {"key_dim", 3}, {"use_bias", false}, {"output_shape", {2, 3}}};
    const auto y = called("MultiHeadAttention", config, {{"value", {"v", 0, 0}}}, h.weights);
    expect_output(y.at("output"), {1, 3, 2, 3}, h.of(query, value, value, all));
}

TEST_F(MultiHeadAttention, LooksBackOnlyWhereAskedTo) {
    MultiHead h{1, 1, 2, 2, 4, 4};
    h.weights = numbers(h.count(), 0.1);
    const Json config{{"num_heads", 1}, {"key_dim", 2}};
    const auto causal =
        called("MultiHeadAttention", config, {{"value", {"v", 0, 0}}, {"use_causal_mask", true}}, h.weights);
    expect_output(causal.at("output"), {1, 3, 4}, h.of(query, value, value, earlier));
    // A mask given with the call: the second query sees the second value only.
    HostTensor mask({graph::DType::Bool, {1, 3, 2}});
    for (std::int64_t i = 0; i < 6; ++i)
        mask.set(i, i == 2 ? 0 : 1);
    const auto given = called("MultiHeadAttention", config,
                              {{"value", {"v", 0, 0}}, {"attention_mask", {"m", 0, 0}}}, h.weights, {mask});
    expect_output(given.at("output"), {1, 3, 4},
                  h.of(query, value, value, [](std::size_t t, std::size_t s) { return t != 1 || s == 1; }));
}

TEST_F(MultiHeadAttention, GivesItsScores) {
    MultiHead h{2, 2, 3, 3, 4, 4};
    h.weights = numbers(h.count(), 2.5);
    const auto y = called("MultiHeadAttention", {{"num_heads", 2}, {"key_dim", 3}},
                          {{"value", {"v", 0, 0}}, {"return_attention_scores", true}}, h.weights);
    const HostTensor& scores = y.at("attention_1");
    EXPECT_EQ(scores.shape(), (Shape{1, 2, 3, 2}));
    for (std::int64_t row = 0; row < 6; ++row)
        EXPECT_NEAR(scores.at(2 * row) + scores.at(2 * row + 1), 1, 1e-6);
}

TEST_F(MultiHeadAttention, GroupsOfHeadsShareKeysAndValues) {
    MultiHead h{4, 2, 3, 3, 4, 4};
    h.weights = numbers(h.count(), 1.9);
    const auto y =
        called("GroupQueryAttention", {{"head_dim", 3}, {"num_query_heads", 4}, {"num_key_value_heads", 2}},
               {{"value", {"v", 0, 0}}}, h.weights);
    expect_output(y.at("output"), {1, 3, 4}, h.of(query, value, value, all));
}

TEST_F(MultiHeadAttention, TakesItsArgumentsAsKeras3WritesThem) {
    MultiHead h{1, 1, 2, 2, 4, 4};
    h.weights = numbers(h.count(), 0.9);
    const auto tensor = [](const char* name) {
        return Json{{"class_name", "__keras_tensor__"}, {"config", {{"keras_history", {name, 0, 0}}}}};
    };
    const Json call{
        {"args", {tensor("q"), tensor("v")}},
        {"kwargs", {{"key", tensor("v")}, {"attention_mask", nullptr}, {"use_causal_mask", true}}}};
    const auto y = outputs(
        {input_node("q", {nullptr, 3, 4}), input_node("v", {nullptr, 2, 4}),
         node("MultiHeadAttention", "attention",
              {{"num_heads", 1}, {"key_dim", 2}, {"seed", nullptr}, {"flash_attention", nullptr}}, {call})},
        {of("attention")}, {HostTensor::of_floats({1, 3, 4}, q), HostTensor::of_floats({1, 2, 4}, v)},
        h.weights);
    expect_output(y.at("output"), {1, 3, 4}, h.of(query, value, value, earlier));
}

TEST_F(MultiHeadAttention, AttendsOverSomeAxesOfSeveral) {
    // [1, 2, 3, 4] over axis 2: each of the two rows is a sequence of its own.
    MultiHead h{2, 2, 3, 3, 4, 4};
    h.weights = numbers(h.count(), 1.3);
    const std::vector<float> x = numbers(24, 0.2);
    const auto y = outputs(
        {input_node("x", {nullptr, 2, 3, 4}),
         node("MultiHeadAttention", "attention", {{"num_heads", 2}, {"key_dim", 3}, {"attention_axes", {2}}},
              {{of("x", {{"value", {"x", 0, 0}}})}})},
        {of("attention")}, {HostTensor::of_floats({1, 2, 3, 4}, x)}, h.weights);
    std::vector<double> expected;
    for (std::size_t row = 0; row < 2; ++row) {
        const Matrix m = matrix(x, row * 12, 3, 4);
        const auto part = h.of(m, m, m, all);
        expected.insert(expected.end(), part.begin(), part.end());
    }
    expect_output(y.at("output"), {1, 2, 3, 4}, expected);
}

TEST_F(MultiHeadAttention, DoesNotAttendToWhatIsMasked) {
    // The last step of x is 0 and masked; the mask goes on to the mean.
    MultiHead h{1, 1, 2, 2, 2, 2};
    h.weights = numbers(h.count(), 0.4);
    const std::vector<float> x{0.5F, -1, 2, 0.25F, 0, 0};
    const auto y = outputs({input_node("x", {nullptr, 3, 2}), node("Masking", "masking", {}, {{of("x")}}),
                            node("MultiHeadAttention", "attention", {{"num_heads", 1}, {"key_dim", 2}},
                                 {{of("masking", {{"value", {"masking", 0, 0}}})}}),
                            node("GlobalAveragePooling1D", "mean", {}, {{of("attention")}})},
                           {of("mean")}, {HostTensor::of_floats({1, 3, 2}, x)}, h.weights);
    const Matrix m = matrix(x, 0, 2, 2);
    const auto steps = h.of(m, m, m, all);
    expect_output(y.at("output"), {1, 2}, {(steps[0] + steps[2]) / 2, (steps[1] + steps[3]) / 2});
}

/// [steps, features] of weights over values.
std::vector<double> mixed(const Matrix& weights, const Matrix& values) {
    std::vector<double> y(weights.size() * values[0].size());
    for (std::size_t t = 0; t < weights.size(); ++t)
        for (std::size_t s = 0; s < values.size(); ++s)
            for (std::size_t c = 0; c < values[0].size(); ++c)
                y[t * values[0].size() + c] += weights[t][s] * values[s][c];
    return y;
}

Matrix scores(const Matrix& query, const Matrix& key,
              const std::function<double(std::size_t, double, double)>& term) {
    Matrix result(query.size(), std::vector<double>(key.size()));
    for (std::size_t t = 0; t < query.size(); ++t)
        for (std::size_t s = 0; s < key.size(); ++s)
            for (std::size_t c = 0; c < query[0].size(); ++c)
                result[t][s] += term(c, query[t][c], key[s][c]);
    return result;
}

TEST_F(KerasAttention, ScoresByProductsOrByTanh) {
    const std::vector<float> q = numbers(6, 0.3);
    const std::vector<float> v = numbers(4, 1.1);
    const Matrix query = matrix(q, 0, 3, 2);
    const Matrix value = matrix(v, 0, 2, 2);
    const auto called = [&](const std::string& kind, const Json& config, const Json& arguments,
                            const std::vector<float>& weights) {
        return outputs(
                   {input_node("q", {nullptr, 3, 2}), input_node("v", {nullptr, 2, 2}),
                    node(kind, "attention", config, {Json::array({of("q", arguments), of("v", arguments)})})},
                   {of("attention")},
                   {HostTensor::of_floats({1, 3, 2}, q), HostTensor::of_floats({1, 2, 2}, v)}, weights)
            .at("output");
    };
    const auto product = [](std::size_t, double a, double b) { return a * b; };
    expect_output(called("Attention", Json::object(), Json::object(), {}), {1, 3, 2},
                  mixed(softmax(scores(query, value, product), all), value));
    expect_output(
        called("Attention", {{"use_scale", true}}, {{"use_causal_mask", true}}, {2}), {1, 3, 2},
        mixed(
            softmax(scores(query, value, [](std::size_t, double a, double b) { return 2 * a * b; }), earlier),
            value));
    // Weights in the order in which Keras makes them: the scale, then the factor of the sum.
    expect_output(
        called("Attention", {{"use_scale", true}, {"score_mode", "concat"}}, Json::object(), {2, 3}),
        {1, 3, 2},
        mixed(softmax(scores(query, value,
                             [](std::size_t, double a, double b) { return 3 * std::tanh(2 * (a + b)); }),
                      all),
              value));
    expect_output(called("AdditiveAttention", Json::object(), Json::object(), {2, -1}), {1, 3, 2},
                  mixed(softmax(scores(query, value,
                                       [](std::size_t c, double a, double b) {
                                           return (c == 0 ? 2 : -1) * std::tanh(a + b);
                                       }),
                                all),
                        value));
}

TEST_F(KerasAttention, RefusesWhatDoesNotFit) {
    const auto refused = [&](const Json& config) {
        const auto graph = graph_of_functional(
            {input_node("x", {nullptr, 3, 2}),
             node("MultiHeadAttention", "attention", config, {{of("x", {{"value", {"x", 0, 0}}})}})},
            {of("attention")}, 1);
        return graph ? "accepted" : graph.error().line();
    };
    expect_parts(refused({{"num_heads", 2}}), {"layer attention", "key_dim"});
    expect_parts(refused({{"num_heads", 2}, {"key_dim", 1}, {"attention_axes", {2}}}), {"attention_axes"});
    expect_parts(refusal({1, 3, 2}, {layer("Attention", Json::object())}), {"two inputs"});
}

} // namespace
} // namespace tilescope::keras
