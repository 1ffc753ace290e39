// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/onnx_operation.h"

#include <map>

/// RNN, LSTM and GRU, unrolled over the steps of the sequence. Formulas: ONNX operator reference.
namespace tilescope::import {
namespace {

using graph::Shape;

OnnxValue activate(const OnnxOperation& op, const std::string& name, const OnnxValue& x) {
    static const std::map<std::string, const char*> known = {
        {"Relu", "relu"},         {"Tanh", "tanh"}, {"Sigmoid", "sigmoid"},
        {"Softsign", "softsign"}, {"Elu", "elu"},   {"Softplus", "softplus"}};
    const auto found = known.find(name);
    if (found == known.end())
        throw OnnxRefusal("activation \"" + name + "\" is not supported",
                          "use Tanh, Sigmoid, Relu, Elu, Softplus or Softsign");
    return op.emit(found->second, {x});
}

OnnxValue multiply(const OnnxOperation& op, const OnnxValue& a, const OnnxValue& b) {
    return op.emit("multiply", {a, b});
}
OnnxValue add(const OnnxOperation& op, const OnnxValue& a, const OnnxValue& b) {
    return op.emit("add", {a, b});
}

/// The weights of one direction. A gate is one of `gates` blocks of `hidden` rows.
struct Direction {
    OnnxValue w, r;                 ///< [gates hidden, inputs], [gates hidden, hidden]
    std::optional<OnnxValue> b, rb; ///< [gates hidden]: of the input, of the recurrence
    std::optional<OnnxValue> peepholes;
    std::vector<std::string> activations;
    bool reverse = false;
};

struct State {
    OnnxValue h;
    std::optional<OnnxValue> c;
};

/// The next state from the one before and the input's share of all gates, [batch, gates hidden].
using Cell = State (*)(const OnnxOperation&, const Direction&, const OnnxValue& from_input, const State&,
                       std::int64_t hidden);

OnnxValue gate(const OnnxOperation& op, const OnnxValue& all, std::int64_t hidden, std::int64_t number) {
    return slice(op, all, all.shape().size() - 1, number * hidden, hidden);
}

OnnxValue recurrence(const OnnxOperation& op, const OnnxValue& h, const OnnxValue& r) {
    return op.emit("matmul", {h, r}, {{"transpose_b", true}});
}

OnnxValue with(const OnnxOperation& op, const OnnxValue& x, const std::optional<OnnxValue>& bias) {
    return bias ? add(op, x, *bias) : x;
}

State rnn_cell(const OnnxOperation& op, const Direction& d, const OnnxValue& from_input, const State& before,
               std::int64_t) {
    const OnnxValue from_state = with(op, recurrence(op, before.h, d.r), d.rb);
    return {activate(op, d.activations.at(0), add(op, from_input, from_state)), {}};
}

/// Gates i, o, f, c.
State lstm_cell(const OnnxOperation& op, const Direction& d, const OnnxValue& from_input, const State& before,
                std::int64_t hidden) {
    const OnnxValue all = add(op, from_input, with(op, recurrence(op, before.h, d.r), d.rb));
    const auto peep = [&](std::int64_t number, const OnnxValue& x, const OnnxValue& cell) {
        return d.peepholes ? add(op, x, multiply(op, gate(op, *d.peepholes, hidden, number), cell)) : x;
    };
    const auto f = [&](const OnnxValue& x) { return activate(op, d.activations.at(0), x); };
    const OnnxValue i = f(peep(0, gate(op, all, hidden, 0), *before.c));
    const OnnxValue forget = op.flag("input_forget", false) ? op.emit("subtract", {op.scalar_like(i, 1), i})
                                                            : f(peep(2, gate(op, all, hidden, 2), *before.c));
    const OnnxValue fresh = activate(op, d.activations.at(1), gate(op, all, hidden, 3));
    const OnnxValue c = add(op, multiply(op, forget, *before.c), multiply(op, i, fresh));
    const OnnxValue o = f(peep(1, gate(op, all, hidden, 1), c));
    return {multiply(op, o, activate(op, d.activations.at(2), c)), c};
}

/// Gates z, r, h.
State gru_cell(const OnnxOperation& op, const Direction& d, const OnnxValue& from_input, const State& before,
               std::int64_t hidden) {
    const auto rows = [&](const OnnxValue& x, std::int64_t from, std::int64_t count) {
        return slice(op, x, 0, from * hidden, count * hidden);
    };
    const auto bias = [&](std::int64_t from, std::int64_t count) -> std::optional<OnnxValue> {
        return d.rb ? std::optional(rows(*d.rb, from, count)) : std::nullopt;
    };
    const OnnxValue both = add(op, slice(op, from_input, 1, 0, 2 * hidden),
                               with(op, recurrence(op, before.h, rows(d.r, 0, 2)), bias(0, 2)));
    const OnnxValue z = activate(op, d.activations.at(0), gate(op, both, hidden, 0));
    const OnnxValue r = activate(op, d.activations.at(0), gate(op, both, hidden, 1));
    const OnnxValue rh = rows(d.r, 2, 1);
    const OnnxValue from_state = op.flag("linear_before_reset", false)
                                     ? multiply(op, r, with(op, recurrence(op, before.h, rh), bias(2, 1)))
                                     : with(op, recurrence(op, multiply(op, r, before.h), rh), bias(2, 1));
    const OnnxValue fresh =
        activate(op, d.activations.at(1), add(op, gate(op, from_input, hidden, 2), from_state));
    // 1 - sigmoid(x) is sigmoid(-x), which keeps its digits where the gate is all but shut.
    const OnnxValue rest = d.activations.at(0) == "Sigmoid"
                               ? op.emit("sigmoid", {op.emit("negate", {gate(op, both, hidden, 0)})})
                               : op.emit("subtract", {op.scalar_like(z, 1), z});
    return {add(op, multiply(op, rest, fresh), multiply(op, z, before.h)), {}};
}

struct Layer {
    Cell cell;
    std::int64_t gates;
    std::vector<std::string> activations;
    std::size_t cell_state_input;
    std::size_t peephole_input;
};
constexpr std::size_t none = 99;

OnnxValue row(const OnnxOperation& op, const OnnxValue& x, std::int64_t number) {
    const OnnxValue one = slice(op, x, 0, number, 1);
    return reshape(op, one, Shape(x.shape().begin() + 1, x.shape().end()));
}

Direction direction_of(const OnnxOperation& op, const Layer& layer, std::int64_t number, std::int64_t hidden,
                       std::int64_t directions) {
    Direction d;
    d.w = row(op, op.in(1), number);
    d.r = row(op, op.in(2), number);
    if (op.has(3)) {
        const OnnxValue b = row(op, op.in(3), number);
        d.b = slice(op, b, 0, 0, layer.gates * hidden);
        d.rb = slice(op, b, 0, layer.gates * hidden, layer.gates * hidden);
    }
    if (op.has(layer.peephole_input))
        d.peepholes = row(op, op.in(layer.peephole_input), number);
    std::vector<std::string> all = op.texts("activations", {});
    if (all.empty())
        d.activations = layer.activations;
    else if (all.size() == layer.activations.size() * static_cast<std::size_t>(directions))
        d.activations.assign(all.begin() + number * static_cast<std::int64_t>(layer.activations.size()),
                             all.begin() +
                                 (number + 1) * static_cast<std::int64_t>(layer.activations.size()));
    else
        throw OnnxRefusal("has " + std::to_string(all.size()) + " activations");
    d.reverse = number == 1 || op.text("direction", "forward") == "reverse";
    return d;
}

struct Outcome {
    OnnxValues steps; ///< [batch, hidden] each
    State last;
};

/// `x`: [steps, batch, inputs]. Past the end of a sample's sequence its state stays and its output is 0.
Outcome run_direction(const OnnxOperation& op, const Layer& layer, const Direction& d, const OnnxValue& x,
                      State state, std::int64_t hidden) {
    const std::int64_t steps = x.shape()[0];
    const std::int64_t batch = x.shape()[1];
    const OnnxValue flat = reshape(op, x, {steps * batch, x.shape()[2]});
    const OnnxValue shares =
        reshape(op, with(op, op.emit("matmul", {flat, d.w}, {{"transpose_b", true}}), d.b),
                {steps, batch, layer.gates * hidden});
    Outcome outcome;
    outcome.steps.resize(static_cast<std::size_t>(steps));
    for (std::int64_t k = 0; k < steps; ++k) {
        const std::int64_t t = d.reverse ? steps - 1 - k : k;
        const State next = layer.cell(op, d, row(op, shares, t), state, hidden);
        if (!op.has(4)) {
            outcome.steps[static_cast<std::size_t>(t)] = next.h;
            state = next;
            continue;
        }
        const OnnxValue lengths = reshape(op, op.in(4), {batch, 1});
        const OnnxValue inside =
            broadcast(op, op.emit("greater", {lengths, op.scalar_like(lengths, static_cast<double>(t))}),
                      {batch, hidden});
        const auto keep = [&](const OnnxValue& now, const OnnxValue& before) {
            return op.emit("select", {inside, now, before});
        };
        const OnnxValue zeros = broadcast(op, op.scalar_like(next.h, 0), {batch, hidden});
        outcome.steps[static_cast<std::size_t>(t)] = keep(next.h, zeros);
        state.h = keep(next.h, state.h);
        if (next.c)
            state.c = keep(*next.c, *state.c);
    }
    outcome.last = state;
    return outcome;
}

OnnxValue initial_state(const OnnxOperation& op, std::size_t input, std::int64_t number, const Shape& shape,
                        bool batch_first) {
    if (!op.has(input))
        return broadcast(op, op.scalar_like(op.in(0), 0), shape);
    const OnnxValue states = batch_first ? transpose(op, op.in(input), {1, 0, 2}) : op.in(input);
    return row(op, states, number);
}

/// Values of one shape, one after another along a new dimension.
OnnxValue stacked(const OnnxOperation& op, const OnnxValues& values) {
    OnnxValues rows;
    for (const OnnxValue& value : values) {
        Shape shape = value.shape();
        shape.insert(shape.begin(), 1);
        rows.push_back(reshape(op, value, shape));
    }
    return rows.size() == 1 ? rows[0] : op.emit("concatenate", rows, {{"axis", std::int64_t{0}}});
}

void check_shapes(const OnnxOperation& op, const Layer& layer, std::int64_t directions, std::int64_t hidden) {
    const Shape& x = op.in(0).shape();
    const auto expect = [](const OnnxValue& value, const Shape& shape) {
        if (value.shape() != shape)
            throw OnnxRefusal("expects weights " + graph::to_string(shape) + ", got " +
                              graph::to_string(value.shape()));
    };
    if (x.size() != 3 || x[0] < 1 || x[1] < 1 || op.real("clip", 0) != 0)
        throw OnnxRefusal("expects [steps, batch, inputs] without clip, got " + graph::to_string(x));
    constexpr std::int64_t most_steps = 4096;
    if (const std::int64_t steps = x[op.flag("layout", false) ? 1 : 0]; steps > most_steps)
        throw OnnxRefusal("is unrolled, and its sequences have " + std::to_string(steps) + " steps",
                          "use at most " + std::to_string(most_steps));
    expect(op.in(1), {directions, layer.gates * hidden, x[2]});
    expect(op.in(2), {directions, layer.gates * hidden, hidden});
    if (op.has(3))
        expect(op.in(3), {directions, 2 * layer.gates * hidden});
}

OnnxMapping recurrent(const Layer& layer) {
    return [layer](const OnnxOperation& op) -> OnnxValues {
        const bool batch_first = op.flag("layout", false);
        const std::int64_t directions = op.text("direction", "forward") == "bidirectional" ? 2 : 1;
        if (op.in(2).rank() != 3)
            throw OnnxRefusal("expects recurrence weights of three dimensions");
        const std::int64_t hidden = op.in(2).shape()[2];
        check_shapes(op, layer, directions, hidden);
        const OnnxValue x = batch_first ? transpose(op, op.in(0), {1, 0, 2}) : op.in(0);
        const Shape shape{x.shape()[1], hidden};
        std::vector<OnnxValues> steps(static_cast<std::size_t>(x.shape()[0]));
        OnnxValues last;
        OnnxValues cells;
        for (std::int64_t number = 0; number < directions; ++number) {
            State state{initial_state(op, 5, number, shape, batch_first), {}};
            if (layer.cell_state_input != none)
                state.c = initial_state(op, layer.cell_state_input, number, shape, batch_first);
            const Direction d = direction_of(op, layer, number, hidden, directions);
            const Outcome outcome = run_direction(op, layer, d, x, state, hidden);
            for (std::size_t t = 0; t < steps.size(); ++t)
                steps[t].push_back(outcome.steps[t]);
            last.push_back(outcome.last.h);
            if (outcome.last.c)
                cells.push_back(*outcome.last.c);
        }
        OnnxValues all;
        for (const OnnxValues& step : steps)
            all.push_back(stacked(op, step));
        const auto turned = [&](const OnnxValue& value, const Integers& permutation) {
            return batch_first ? transpose(op, value, permutation) : value;
        };
        OnnxValues results{turned(stacked(op, all), {2, 0, 1, 3}), turned(stacked(op, last), {1, 0, 2})};
        if (!cells.empty())
            results.push_back(turned(stacked(op, cells), {1, 0, 2}));
        return results;
    };
}

} // namespace

void add_onnx_recurrent(OnnxMappings& m) {
    m["RNN"] = recurrent({rnn_cell, 1, {"Tanh"}, none, none});
    m["LSTM"] = recurrent({lstm_cell, 4, {"Sigmoid", "Tanh", "Tanh"}, 6, 7});
    m["GRU"] = recurrent({gru_cell, 3, {"Sigmoid", "Tanh"}, none, none});
}

} // namespace tilescope::import
