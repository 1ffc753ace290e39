// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "tests/core/keras/layer_fixture.h"

#include <cmath>

/// Recurrent layers of Keras against their equations, written out in double precision one sample, one step
/// and one unit at a time (keras/layers/rnn: simple_rnn.py, lstm.py, gru.py).
namespace tilescope::keras {
namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr std::size_t batch = 2;
constexpr std::size_t steps = 4;
constexpr std::size_t features = 3;
constexpr std::size_t units = 2;

double sigmoid(double v) {
    return 1 / (1 + std::exp(-v));
}

/// The weights of one direction in Keras' layout.
struct Weights {
    Matrix kernel, recurrent;
    std::vector<double> bias, recurrent_bias;
    std::vector<float> flat; ///< all, in the order of the layer's variables
};

class Numbers {
  public:
    double next() { return 1.6 * static_cast<double>(random_.uniform(n_++)) - 0.8; }

  private:
    RandomStream random_{7, "recurrent"};
    std::uint64_t n_ = 0;
};

Weights weights(Numbers& numbers, std::size_t gates, bool two_biases = false) {
    Weights w;
    const auto number = [&] {
        w.flat.push_back(static_cast<float>(numbers.next()));
        return static_cast<double>(w.flat.back());
    };
    const auto row = [&] {
        std::vector<double> values(gates * units);
        for (double& value : values)
            value = number();
        return values;
    };
    for (std::size_t i = 0; i < features; ++i)
        w.kernel.push_back(row());
    for (std::size_t i = 0; i < units; ++i)
        w.recurrent.push_back(row());
    w.bias = row();
    w.recurrent_bias = two_biases ? row() : std::vector<double>(gates * units, 0);
    return w;
}

/// One sample's states; the cell is an LSTM's.
struct State {
    std::vector<double> h = std::vector<double>(units, 0);
    std::vector<double> c = std::vector<double>(units, 0);
};

double from_input(const Weights& w, const std::vector<double>& x, std::size_t column) {
    double sum = w.bias[column];
    for (std::size_t i = 0; i < features; ++i)
        sum += x[i] * w.kernel[i][column];
    return sum;
}
double from_state(const Weights& w, const std::vector<double>& h, std::size_t column) {
    double sum = w.recurrent_bias[column];
    for (std::size_t i = 0; i < units; ++i)
        sum += h[i] * w.recurrent[i][column];
    return sum;
}

using Cell = State (*)(const Weights&, const std::vector<double>& x, const State&);

State simple(const Weights& w, const std::vector<double>& x, const State& before) {
    State next;
    for (std::size_t u = 0; u < units; ++u)
        next.h[u] = std::tanh(from_input(w, x, u) + from_state(w, before.h, u));
    return next;
}

State lstm(const Weights& w, const std::vector<double>& x, const State& before) {
    State next;
    for (std::size_t u = 0; u < units; ++u) {
        const auto z = [&](std::size_t gate) {
            return from_input(w, x, gate * units + u) + from_state(w, before.h, gate * units + u);
        };
        next.c[u] = sigmoid(z(1)) * before.c[u] + sigmoid(z(0)) * std::tanh(z(2));
        next.h[u] = sigmoid(z(3)) * std::tanh(next.c[u]);
    }
    return next;
}

/// Gates z, r and the candidate; r scales what comes of the recurrent product.
State gru_after(const Weights& w, const std::vector<double>& x, const State& before) {
    State next;
    for (std::size_t u = 0; u < units; ++u) {
        const double z = sigmoid(from_input(w, x, u) + from_state(w, before.h, u));
        const double r = sigmoid(from_input(w, x, units + u) + from_state(w, before.h, units + u));
        const double candidate =
            std::tanh(from_input(w, x, 2 * units + u) + r * from_state(w, before.h, 2 * units + u));
        next.h[u] = z * before.h[u] + (1 - z) * candidate;
    }
    return next;
}

/// r scales the state before its product.
State gru_before(const Weights& w, const std::vector<double>& x, const State& before) {
    State reset;
    for (std::size_t u = 0; u < units; ++u)
        reset.h[u] = before.h[u] * sigmoid(from_input(w, x, units + u) + from_state(w, before.h, units + u));
    State next;
    for (std::size_t u = 0; u < units; ++u) {
        const double z = sigmoid(from_input(w, x, u) + from_state(w, before.h, u));
        const double candidate =
            std::tanh(from_input(w, x, 2 * units + u) + from_state(w, reset.h, 2 * units + u));
        next.h[u] = z * before.h[u] + (1 - z) * candidate;
    }
    return next;
}

/// A batch through a cell: [batch, steps, features] as one list.
struct Reference {
    std::vector<State> last;     ///< by sample
    std::vector<Matrix> outputs; ///< by sample, then step in the order of x
};

Reference run(Cell cell, const Weights& w, const std::vector<float>& x, bool backwards = false,
              const std::vector<State>& first = std::vector<State>(batch),
              const std::vector<bool>& mask = std::vector<bool>(batch * steps, true)) {
    Reference r{first, std::vector<Matrix>(batch, Matrix(steps))};
    for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t k = 0; k < steps; ++k) {
            const std::size_t t = backwards ? steps - 1 - k : k;
            std::vector<double> now(features);
            for (std::size_t f = 0; f < features; ++f)
                now[f] = static_cast<double>(x[(b * steps + t) * features + f]);
            if (mask[b * steps + t])
                r.last[b] = cell(w, now, r.last[b]);
            r.outputs[b][t] = r.last[b].h;
        }
    return r;
}

std::vector<double> sequence(const Reference& r, bool backwards = false) {
    std::vector<double> all;
    for (const Matrix& sample : r.outputs)
        for (std::size_t k = 0; k < steps; ++k) {
            const std::vector<double>& h = sample[backwards ? steps - 1 - k : k];
            all.insert(all.end(), h.begin(), h.end());
        }
    return all;
}
std::vector<double> hidden(const Reference& r) {
    std::vector<double> all;
    for (const State& state : r.last)
        all.insert(all.end(), state.h.begin(), state.h.end());
    return all;
}
std::vector<double> cells(const Reference& r) {
    std::vector<double> all;
    for (const State& state : r.last)
        all.insert(all.end(), state.c.begin(), state.c.end());
    return all;
}

class KerasRecurrent : public KerasLayerTest {
  protected:
    KerasRecurrent() {
        for (std::size_t i = 0; i < batch * steps * features; ++i)
            x.push_back(static_cast<float>(numbers.next()));
    }
    const Shape input{batch, steps, features};
    const Shape whole{batch, steps, units};
    const Shape one{batch, units};
    Numbers numbers;
    std::vector<float> x;

    void expect_cell(const std::string& kind, const Json& settings, Cell cell, const Weights& w) {
        for (const bool backwards : {false, true}) {
            Json config = settings;
            config["units"] = units;
            config["go_backwards"] = backwards;
            const Reference expected = run(cell, w, x, backwards);
            expect_output(output(input, {layer(kind, config)}, x, w.flat), one, hidden(expected));
            config["return_sequences"] = true;
            expect_output(output(input, {layer(kind, config)}, x, w.flat), whole,
                          sequence(expected, backwards));
        }
    }
};

TEST_F(KerasRecurrent, ASimpleRnnIsItsEquation) {
    expect_cell("SimpleRNN", Json::object(), simple, weights(numbers, 1));
}

TEST_F(KerasRecurrent, AnLstmIsItsEquations) {
    expect_cell("LSTM", Json::object(), lstm, weights(numbers, 4));
}

TEST_F(KerasRecurrent, AGruResetsAfterTheProductOrBefore) {
    expect_cell("GRU", Json::object(), gru_after, weights(numbers, 3, true));
    expect_cell("GRU", {{"reset_after", true}}, gru_after, weights(numbers, 3, true));
    expect_cell("GRU", {{"reset_after", false}}, gru_before, weights(numbers, 3));
    expect_cell("GRU", {{"implementation", 1}}, gru_before, weights(numbers, 3)); // a file of Keras 2.0
}

/// A layer of a cell of this class.
Json of_cell(const std::string& kind, Json config) {
    return {{"cell", {{"class_name", kind}, {"config", std::move(config)}}}};
}

// Their kernels have the rows of the inputs, then those of the state.
TEST_F(KerasRecurrent, CellsOfTensorFlow1MultiplyInputsAndStateAtOnce) {
    const Json settings{{"num_units", units}};
    const auto expect = [&](const std::string& kind, Cell cell, const Weights& w) {
        Json config = of_cell(kind, settings);
        const Reference expected = run(cell, w, x);
        expect_output(output(input, {layer("RNN", config)}, x, w.flat), one, hidden(expected));
        config["return_sequences"] = true;
        expect_output(output(input, {layer("RNN", config)}, x, w.flat), whole, sequence(expected));
    };
    expect("BasicRNNCell", simple, weights(numbers, 1));
    const Cell lstm_of_1 = [](const Weights& w, const std::vector<double>& now, const State& before) {
        State next;
        for (std::size_t u = 0; u < units; ++u) {
            const auto z = [&](std::size_t gate) {
                return from_input(w, now, gate * units + u) + from_state(w, before.h, gate * units + u);
            };
            next.c[u] = sigmoid(z(2) + 1) * before.c[u] + sigmoid(z(0)) * std::tanh(z(1));
            next.h[u] = sigmoid(z(3)) * std::tanh(next.c[u]);
        }
        return next;
    };
    expect("LSTMCell", lstm_of_1, weights(numbers, 4));
    const Weights gates = weights(numbers, 2); // r and z
    const Weights candidate = weights(numbers, 1);
    Weights w; // as Keras has them: z, r and the candidate
    const auto joined = [](const std::vector<double>& two, const std::vector<double>& one) {
        std::vector<double> all(two.begin() + units, two.end());
        all.insert(all.end(), two.begin(), two.begin() + units);
        all.insert(all.end(), one.begin(), one.end());
        return all;
    };
    for (std::size_t i = 0; i < features; ++i)
        w.kernel.push_back(joined(gates.kernel[i], candidate.kernel[i]));
    for (std::size_t i = 0; i < units; ++i)
        w.recurrent.push_back(joined(gates.recurrent[i], candidate.recurrent[i]));
    w.bias = joined(gates.bias, candidate.bias);
    w.recurrent_bias.assign(3 * units, 0);
    w.flat = gates.flat;
    w.flat.insert(w.flat.end(), candidate.flat.begin(), candidate.flat.end());
    expect("GRUCell", gru_before, w);
}

TEST_F(KerasRecurrent, ALayerOfOneOfKerasCellsIsTheLayerOfThatName) {
    const Weights w = weights(numbers, 4);
    expect_output(output(input, {layer("RNN", of_cell("LSTMCell", {{"units", units}}))}, x, w.flat), one,
                  hidden(run(lstm, w, x)));
}

TEST_F(KerasRecurrent, CellsThatAreNotKnownAreRefused) {
    const auto refused = [&](const std::string& kind, const Json& config) {
        return refusal(input, {layer("RNN", of_cell(kind, config))});
    };
    expect_parts(refused("StackedRNNCells", {{"cells", Json::array()}}),
                 {"a cell \"StackedRNNCells\" is not supported", "BasicRNNCell"});
    expect_parts(refused("BasicRNNCell", {{"units", 2}}), {"a cell \"BasicRNNCell\" is not supported"});
    expect_parts(refused("LSTMCell", {{"num_units", 2}, {"use_peepholes", true}}),
                 {"\"use_peepholes\" of its cell is not supported"});
}

TEST_F(KerasRecurrent, WithoutABiasAndWithOtherActivations) {
    Weights w = weights(numbers, 1);
    w.flat.resize(w.flat.size() - units);
    w.bias.assign(units, 0);
    const Cell rectified = [](const Weights& own, const std::vector<double>& now, const State& before) {
        State next;
        for (std::size_t u = 0; u < units; ++u)
            next.h[u] = std::max(0.0, from_input(own, now, u) + from_state(own, before.h, u));
        return next;
    };
    expect_cell("SimpleRNN", {{"use_bias", false}, {"activation", "relu"}}, rectified, w);
}

TEST_F(KerasRecurrent, StatesComeAndGo) {
    const Weights w = weights(numbers, 4);
    std::vector<State> first(batch);
    std::vector<float> h;
    std::vector<float> c;
    for (State& state : first)
        for (std::size_t u = 0; u < units; ++u) {
            h.push_back(static_cast<float>(numbers.next()));
            c.push_back(static_cast<float>(numbers.next()));
            state.h[u] = static_cast<double>(h.back());
            state.c[u] = static_cast<double>(c.back());
        }
    const std::vector<HostTensor> feeds{HostTensor::of_floats(input, x), HostTensor::of_floats(one, h),
                                        HostTensor::of_floats(one, c)};
    const Reference expected = run(lstm, w, x, false, first);
    const auto result =
        outputs({input_node("x", {nullptr, steps, features}), input_node("h", {nullptr, units}),
                 input_node("c", {nullptr, units}),
                 node("LSTM", "lstm", {{"units", units}, {"return_state", true}, {"return_sequences", true}},
                      {{of("x"), of("h"), of("c")}})},
                {of("lstm"), of("lstm", Json::object(), 1), of("lstm", Json::object(), 2)}, feeds, w.flat);
    expect_output(result.at("lstm"), whole, sequence(expected));
    expect_output(result.at("lstm_1"), one, hidden(expected));
    expect_output(result.at("lstm_2"), one, cells(expected));
}

TEST_F(KerasRecurrent, StepsThatAreMaskedLeaveTheStateAsItIs) {
    const std::vector<bool> mask{true, false, true, true, false, true, true, false};
    for (std::size_t i = 0; i < mask.size(); ++i)
        for (std::size_t f = 0; f < features && !mask[i]; ++f)
            x[i * features + f] = 9;
    const Weights w = weights(numbers, 3, true);
    const Reference expected = run(gru_after, w, x, false, std::vector<State>(batch), mask);
    const Json masking = layer("Masking", {{"mask_value", 9.0}});
    Json config{{"units", units}};
    expect_output(output(input, {masking, layer("GRU", config)}, x, w.flat), one, hidden(expected));
    config["return_sequences"] = true;
    expect_output(output(input, {masking, layer("GRU", config)}, x, w.flat), whole, sequence(expected));
    // The mask goes on with the sequence: the mean is of the steps that count.
    std::vector<double> means;
    for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t u = 0; u < units; ++u) {
            double sum = 0;
            double count = 0;
            for (std::size_t t = 0; t < steps; ++t) {
                sum += mask[b * steps + t] ? expected.outputs[b][t][u] : 0;
                count += mask[b * steps + t] ? 1 : 0;
            }
            means.push_back(sum / count);
        }
    expect_output(
        output(input, {masking, layer("GRU", config), layer("GlobalAveragePooling1D", {})}, x, w.flat), one,
        means);
}

// The output of the step before is 0 where there is none, whatever the state begins with.
TEST_F(KerasRecurrent, MaskedStepsBeforeAllOthersGiveZerosAndKeepTheFirstState) {
    std::vector<bool> mask(batch * steps, true);
    for (std::size_t t = 0; t < steps; ++t)
        mask[t] = t == 2; // of sample 0
    for (std::size_t t = 0; t < steps; ++t)
        mask[steps + t] = false; // of sample 1
    for (std::size_t i = 0; i < mask.size(); ++i)
        for (std::size_t f = 0; f < features && !mask[i]; ++f)
            x[i * features + f] = 9;
    const Weights w = weights(numbers, 4);
    std::vector<State> first(batch);
    std::vector<float> h;
    std::vector<float> c;
    for (State& state : first)
        for (std::size_t u = 0; u < units; ++u) {
            h.push_back(static_cast<float>(numbers.next()));
            c.push_back(static_cast<float>(numbers.next()));
            state.h[u] = static_cast<double>(h.back());
            state.c[u] = static_cast<double>(c.back());
        }
    Reference expected = run(lstm, w, x, false, first, mask);
    const std::vector<double> states = hidden(expected);
    const std::vector<double> kept = cells(expected);
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t t = 0; t < steps && !mask[b * steps + t]; ++t)
            expected.outputs[b][t].assign(units, 0);
    const std::vector<HostTensor> feeds{HostTensor::of_floats(input, x), HostTensor::of_floats(one, h),
                                        HostTensor::of_floats(one, c)};
    for (const bool all : {true, false}) {
        const auto result = outputs(
            {input_node("x", {nullptr, steps, features}), input_node("h", {nullptr, units}),
             input_node("c", {nullptr, units}),
             node("Masking", "masking", {{"mask_value", 9.0}}, {{of("x")}}),
             node("LSTM", "lstm", {{"units", units}, {"return_state", true}, {"return_sequences", all}},
                  {{of("masking"), of("h"), of("c")}})},
            {of("lstm"), of("lstm", Json::object(), 1), of("lstm", Json::object(), 2)}, feeds, w.flat);
        std::vector<double> last;
        for (const Matrix& sample : expected.outputs)
            last.insert(last.end(), sample.back().begin(), sample.back().end());
        expect_output(result.at("lstm"), all ? whole : one, all ? sequence(expected) : last);
        expect_output(result.at("lstm_1"), one, states);
        expect_output(result.at("lstm_2"), one, kept);
    }
}

TEST_F(KerasRecurrent, BothDirectionsAreMergedInTheOrderOfTheInput) {
    const Weights forward = weights(numbers, 4);
    const Weights backward = weights(numbers, 4);
    std::vector<float> flat = forward.flat;
    flat.insert(flat.end(), backward.flat.begin(), backward.flat.end());
    const Reference there = run(lstm, forward, x);
    const Reference back = run(lstm, backward, x, true);
    const auto of_mode = [&](Json mode, bool all) {
        const Json inner{{"class_name", "LSTM"},
                         {"config", {{"name", "lstm"}, {"units", units}, {"return_sequences", all}}}};
        return output(input, {layer("Bidirectional", {{"layer", inner}, {"merge_mode", std::move(mode)}})}, x,
                      flat);
    };
    const auto combined = [](std::vector<double> a, const std::vector<double>& b, auto f) {
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = f(a[i], b[i]);
        return a;
    };
    const auto sum = [](double a, double b) { return a + b; };
    expect_output(of_mode("sum", true), whole, combined(sequence(there), sequence(back), sum));
    expect_output(of_mode("sum", false), one, combined(hidden(there), hidden(back), sum));
    expect_output(of_mode("ave", true), whole,
                  combined(sequence(there), sequence(back), [](double a, double b) { return (a + b) / 2; }));
    expect_output(of_mode("mul", true), whole,
                  combined(sequence(there), sequence(back), [](double a, double b) { return a * b; }));
    std::vector<double> apart;
    for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t t = 0; t < steps; ++t)
            for (const Reference* r : {&there, &back})
                apart.insert(apart.end(), r->outputs[b][t].begin(), r->outputs[b][t].end());
    expect_output(of_mode("concat", true), {batch, steps, 2 * units}, apart);
    expect_parts(refusal(input, {layer("Bidirectional",
                                       {{"layer", {{"class_name", "Dense"}, {"config", {{"units", 2}}}}}})}),
                 {"layer layer", "Dense", "LSTM"});
}

// With a rate of dropout that keeps all there is no change; one that keeps half changes every step's input.
TEST_F(KerasRecurrent, DropoutIsTheSameInEveryStep) {
    Weights w = weights(numbers, 1);
    Json config{{"units", units}, {"dropout", 0.5}, {"return_sequences", true}, {"activation", "linear"}};
    for (std::size_t i = features * units; i < w.flat.size(); ++i)
        w.flat[i] = 0; // what a step gives is its own input times the kernel
    const std::vector<float> constant(batch * steps * features, 1);
    const HostTensor y = output(input, {layer("SimpleRNN", config)}, constant, w.flat, workload::Mode::Train);
    const HostTensor kept = output(input, {layer("SimpleRNN", config)}, constant, w.flat);
    bool changed = false;
    for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t u = 0; u < units; ++u) {
            const auto at = [&](const HostTensor& tensor, std::size_t t) {
                return tensor.at(static_cast<std::int64_t>((b * steps + t) * units + u));
            };
            for (std::size_t t = 1; t < steps; ++t)
                EXPECT_EQ(at(y, t), at(y, 0));
            changed = changed || at(y, 0) != at(kept, 0);
        }
    EXPECT_TRUE(changed);
}

TEST_F(KerasRecurrent, WhatIsNotSupportedIsNamed) {
    const auto refused = [&](Json config) {
        config["units"] = units;
        return refusal(input, {layer("LSTM", config)});
    };
    expect_parts(refused({{"stateful", true}}), {"layer layer", "stateful"});
    expect_parts(refused({{"time_major", true}}), {"layer layer", "time_major"});
    expect_parts(refusal({2, 3}, {layer("LSTM", {{"units", 2}})}), {"[batch, steps, features]"});
}

} // namespace
} // namespace tilescope::keras
