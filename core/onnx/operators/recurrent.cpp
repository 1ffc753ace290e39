// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/recurrent.h"

#include "base/try.h"
#include "operation.h"
#include "operators/elementwise.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

/// RNN, LSTM and GRU. Formulas: ONNX operator reference.
namespace tilescope::onnx {
namespace {

using graph::no_value;
using graph::Shape;
using graph::ValueId;

Result<layers::Activation> activation_of(const std::string& name) {
    static const std::set<std::string> known = {"Tanh", "Sigmoid", "Relu", "Elu", "Softplus", "Softsign"};
    std::string kind = name == "Elu" ? "elu" : ""; // with its usual alpha
    for (const operators::UnaryFunction& function : operators::unary_functions())
        if (function.onnx == name)
            kind = function.name;
    if (!known.contains(name))
        return unsupported("activation \"" + name + "\" is not supported",
                           "use Tanh, Sigmoid, Relu, Elu, Softplus or Softsign");
    return [kind](graph::Builder& body, ValueId x) -> Result<ValueId> { return body.emit(kind, {x}); };
}

/// What the three operators differ in.
struct Recurrence {
    layers::RecurrentKind kind;
    std::vector<std::string> activations;
    std::size_t cell_state_input;
    std::size_t peephole_input;
};
constexpr std::size_t none = 99;

Result<OnnxValue> row(const OnnxOperation& op, const Result<OnnxValue>& value, std::int64_t number) {
    TRY(const OnnxValue x, value);
    TRY(const OnnxValue one, slice(op, x, 0, number, 1));
    return reshape(op, one, Shape(x.shape().begin() + 1, x.shape().end()));
}

Result<ValueId> device_row(const OnnxOperation& op, std::size_t input, std::int64_t number) {
    return op.has(input) ? op.graph.on_device(row(op, op.in(input), number)) : no_value;
}

Result<layers::RecurrentWeights> weights_of(const OnnxOperation& op, const Recurrence& recurrence,
                                            std::int64_t number, std::int64_t hidden) {
    layers::RecurrentWeights weights;
    TRY(weights.kernel, device_row(op, 1, number));
    TRY(weights.recurrent, device_row(op, 2, number));
    TRY(weights.peepholes, device_row(op, recurrence.peephole_input, number));
    if (!op.has(3))
        return weights;
    const std::int64_t width = layers::gates_of(recurrence.kind) * hidden;
    TRY(const OnnxValue b, row(op, op.in(3), number));
    TRY(weights.bias, op.graph.on_device(slice(op, b, 0, 0, width)));
    TRY(weights.recurrent_bias, op.graph.on_device(slice(op, b, 0, width, width)));
    return weights;
}

Result<std::vector<std::string>> activations_of(const OnnxOperation& op, const Recurrence& recurrence,
                                                std::int64_t number, std::int64_t directions) {
    const std::vector<std::string> all = op.texts("activations", {});
    const auto each = static_cast<std::int64_t>(recurrence.activations.size());
    if (all.empty())
        return recurrence.activations;
    if (static_cast<std::int64_t>(all.size()) != each * directions)
        return refused("has " + std::to_string(all.size()) + " activations");
    return std::vector<std::string>(all.begin() + number * each, all.begin() + (number + 1) * each);
}

Result<layers::RecurrentLayer> layer_of(const OnnxOperation& op, const Recurrence& recurrence,
                                        std::int64_t number, std::int64_t directions, std::int64_t hidden) {
    TRY(const auto activations, activations_of(op, recurrence, number, directions));
    layers::RecurrentLayer layer;
    layer.kind = recurrence.kind;
    layer.units = hidden;
    TRY(layer.gate, activation_of(activations.front()));
    TRY(layer.candidate, activation_of(activations.size() > 1 ? activations[1] : activations[0]));
    TRY(layer.output, activation_of(activations.back()));
    const auto has_alpha = [](const std::string& name) { return name == "Elu"; };
    if (std::none_of(activations.begin(), activations.end(), has_alpha))
        for (const char* name : {"activation_alpha", "activation_beta"})
            op.reals(name); // of functions that have none
    layer.sigmoid_gate = activations.front() == "Sigmoid";
    layer.order = {0, 2, 3, 1}; // input, output, forget, candidate
    layer.coupled = op.flag("input_forget", false);
    layer.reset_after = op.flag("linear_before_reset", false);
    layer.transposed = true;
    return layer;
}

/// Whether a step is within a sample's sequence: [steps, batch]. Past its end the state stays and the output
/// is 0.
Result<ValueId> within_lengths(const OnnxOperation& op, const Shape& x) {
    if (!op.has(4))
        return no_value;
    TRY(const OnnxValue lengths, broadcast(op, reshape(op, op.in(4), {1, x[1]}), {x[0], x[1]}));
    TRY(const OnnxValue steps,
        broadcast(op, reshape(op, cast(op, count_up(op, x[0]), lengths.type.dtype), {x[0], 1}),
                  {x[0], x[1]}));
    return op.graph.on_device(op.emit("greater", {lengths, steps}));
}

Result<ValueId> first_state(const OnnxOperation& op, std::size_t input, std::int64_t number,
                            bool batch_first) {
    if (!op.has(input))
        return no_value;
    const auto states = batch_first ? transpose(op, op.in(input), {1, 0, 2}) : op.in(input);
    return op.graph.on_device(row(op, states, number));
}

/// Tensors of one shape, one after another along a new dimension.
Result<OnnxValue> stacked(const OnnxOperation& op, const OnnxValues& values, std::size_t dimension) {
    OnnxValues rows;
    for (const OnnxValue& value : values) {
        Shape shape = value.shape();
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dimension), 1);
        TRY(const OnnxValue row, reshape(op, value, shape));
        rows.push_back(row);
    }
    if (rows.size() == 1)
        return rows[0];
    return op.emit("concatenate", rows, {{"axis", static_cast<std::int64_t>(dimension)}});
}

Result<void> check_shapes(const OnnxOperation& op, const Recurrence& recurrence, std::int64_t directions,
                          std::int64_t hidden) {
    TRY(const OnnxValue input, op.in(0));
    const Shape& x = input.shape();
    const auto expect = [&](std::size_t i, const Shape& shape) -> Result<void> {
        TRY(const OnnxValue value, op.in(i));
        if (value.shape() != shape)
            return refused("expects weights " + graph::to_string(shape) + ", got " +
                           graph::to_string(value.shape()));
        return {};
    };
    if (x.size() != 3 || x[0] < 1 || x[1] < 1 || op.real("clip", 0) != 0)
        return refused("expects [steps, batch, inputs] without clip, got " + graph::to_string(x));
    const std::int64_t width = layers::gates_of(recurrence.kind) * hidden;
    TRY(expect(1, {directions, width, x[2]}));
    TRY(expect(2, {directions, width, hidden}));
    return op.has(3) ? expect(3, {directions, 2 * width}) : Result<void>();
}

OnnxMapping recurrent(const Recurrence& recurrence) {
    return [recurrence](const OnnxOperation& op) -> Result<OnnxValues> {
        const bool batch_first = op.flag("layout", false);
        const std::int64_t directions = op.text("direction", "forward") == "bidirectional" ? 2 : 1;
        TRY(const OnnxValue weights, op.in(2));
        if (weights.rank() != 3)
            return refused("expects recurrence weights of three dimensions");
        const std::int64_t hidden = weights.shape()[2];
        TRY(check_shapes(op, recurrence, directions, hidden));
        TRY(const OnnxValue x, batch_first ? transpose(op, op.in(0), {1, 0, 2}) : op.in(0));
        layers::RecurrentRun run;
        TRY(run.x, op.graph.on_device(x));
        TRY(run.mask, within_lengths(op, x.shape()));
        run.zero_masked = true;
        run.sequence = op.wants(0);
        const auto made_value = [&](ValueId id) { return OnnxValue{op.graph.build().type(id), id, nullptr}; };
        OnnxValues sequences;
        OnnxValues last;
        OnnxValues cells;
        for (std::int64_t number = 0; number < directions; ++number) {
            TRY(run.hidden, first_state(op, 5, number, batch_first));
            TRY(run.cell, first_state(op, recurrence.cell_state_input, number, batch_first));
            run.reversed = number == 1 || op.text("direction", "forward") == "reverse";
            TRY(const auto own, weights_of(op, recurrence, number, hidden));
            TRY(const auto layer, layer_of(op, recurrence, number, directions, hidden));
            TRY(const auto made, layers::add_recurrent(op.graph.build(), layer, own, run));
            if (run.sequence)
                sequences.push_back(made_value(made.sequence));
            last.push_back(made_value(made.hidden));
            if (made.cell != no_value)
                cells.push_back(made_value(made.cell));
        }
        const auto turned = [&](const Result<OnnxValue>& value, const Integers& permutation) {
            return batch_first ? transpose(op, value, permutation) : value;
        };
        OnnxValues results(cells.empty() ? 2 : 3);
        if (run.sequence) {
            TRY(results[0], (turned(stacked(op, sequences, 1), {2, 0, 1, 3})));
        }
        TRY(results[1], (turned(stacked(op, last, 0), {1, 0, 2})));
        if (!cells.empty()) {
            TRY(results[2], (turned(stacked(op, cells, 0), {1, 0, 2})));
        }
        return results;
    };
}

} // namespace

void add_onnx_recurrent(OnnxMappings& m) {
    m["RNN"] = recurrent({layers::RecurrentKind::Simple, {"Tanh"}, none, none});
    m["LSTM"] = recurrent({layers::RecurrentKind::Lstm, {"Sigmoid", "Tanh", "Tanh"}, 6, 7});
    m["GRU"] = recurrent({layers::RecurrentKind::Gru, {"Sigmoid", "Tanh"}, none, none});
}

} // namespace tilescope::onnx
