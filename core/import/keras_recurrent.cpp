// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/initialisers.h"
#include "import/keras_settings.h"

#include <algorithm>
#include <optional>

/// Recurrent layers, step by step: each step has operations of its own. The product of the inputs with their
/// weights is one for all steps, before them (PopLibs lib/popnn/Lstm.cpp, with pre-computed input weights).
namespace tilescope::import {
namespace {

using graph::Shape;
using graph::ValueId;

/// Settings that would change what is computed.
Result<void> refuse_states(const KerasLayer& l) {
    for (const char* key : {"return_state", "stateful", "time_major", "zero_output_for_mask"})
        if (flag(l, key, false))
            return l.fail(std::string("\"") + key + "\" is not supported", "set it to false");
    if (l.mask() != graph::no_value)
        return l.fail("a mask is not supported", "mask nothing before it");
    for (const char* key : {"dropout", "recurrent_dropout"})
        if (number(l, key, 0) != 0)
            return l.fail(std::string("\"") + key + "\" is not supported", "use a Dropout layer");
    return {};
}

/// The first value of the bias: with unit_forget_bias the forget gate's is 1.
Result<graph::InitialValue> first_bias(const KerasLayer& l, std::int64_t units) {
    const Json& initialiser = setting(l, "bias_initializer");
    auto first = initialise(initialiser.is_null() ? Json("zeros") : initialiser, {l.dtype, {4 * units}},
                            l.seed, l.name + "/bias");
    if (!first || !flag(l, "unit_forget_bias", true))
        return first;
    graph::HostTensor values = first->make();
    for (std::int64_t i = units; i < 2 * units; ++i)
        values.set(i, 1);
    return graph::InitialValue(std::move(values));
}

struct LstmWeights {
    ValueId kernel, recurrent;
    std::optional<ValueId> bias;
};

Result<LstmWeights> lstm_weights(KerasLayer& l, std::int64_t features, std::int64_t units) {
    const auto kernel = weight(l, {"kernel", {features, 4 * units}, "kernel", "glorot_uniform"});
    const auto recurrent = weight(l, {"recurrent_kernel", {units, 4 * units}, "recurrent", "orthogonal"});
    if (!kernel || !recurrent)
        return Failure((!kernel ? kernel : recurrent).error());
    LstmWeights weights{*kernel, *recurrent, std::nullopt};
    if (!flag(l, "use_bias", true))
        return weights;
    auto first = first_bias(l, units);
    if (!first)
        return Failure(first.error());
    const auto bias = weight(l, {"bias", {4 * units}, "bias", "zeros", true, std::move(*first)});
    if (!bias)
        return Failure(bias.error());
    weights.bias = *bias;
    return weights;
}

/// [batch, steps, 4 units]: the inputs' share of all gates.
Result<ValueId> inputs_of_gates(KerasLayer& l, ValueId x, const LstmWeights& weights) {
    const Shape shape = l.build.type(x).shape;
    const std::int64_t width = l.build.type(weights.kernel).shape[1];
    const ValueId flat = l.build.emit("reshape", {x}, {{"shape", Shape{-1, shape[2]}}}, "Steps");
    auto y = one(l.build.add("matmul", {flat, weights.kernel}, {}, "InputMatMul"));
    if (y && weights.bias)
        y = one(l.build.add("add", {*y, *weights.bias}, {}, "BiasAdd"));
    if (!y)
        return y;
    return l.build.emit("reshape", {*y}, {{"shape", Shape{shape[0], shape[1], width}}}, "Steps");
}

/// The layer's function of this setting; Keras' default where the file leaves it open.
Result<ValueId> apply_setting(KerasLayer& l, const char* key, const char* otherwise, ValueId x) {
    const Json& chosen = setting(l, key);
    return apply_activation(l, chosen.is_null() ? Json(otherwise) : chosen, x);
}
Result<ValueId> gate_of(KerasLayer& l, ValueId x) {
    return apply_setting(l, "recurrent_activation", "sigmoid", x);
}
Result<ValueId> activated(KerasLayer& l, ValueId x) {
    return apply_setting(l, "activation", "tanh", x);
}

/// What goes from step to step; absent before the first, where both are 0.
struct LstmState {
    std::optional<ValueId> output, cell;
};

/// i, f and o are gates, g what the cell may take: c' = f c + i g, h' = o tanh(c').
Result<LstmState> lstm_step(KerasLayer& l, ValueId gates, const LstmState& before, const LstmWeights& weights,
                            std::int64_t units) {
    graph::Builder& build = l.build;
    ValueId z = gates;
    if (before.output)
        z = build.emit("add", {z, build.emit("matmul", {*before.output, weights.recurrent})});
    const std::int64_t batch = build.type(z).shape[0];
    const auto part = [&](std::int64_t gate) {
        return build.emit("slice", {z},
                          {{"begin", Extents{0, gate * units}}, {"size", Extents{batch, units}}});
    };
    const auto in = gate_of(l, part(0));
    const auto forget = gate_of(l, part(1));
    const auto taken = activated(l, part(2));
    const auto out = gate_of(l, part(3));
    for (const auto* each : {&in, &forget, &taken, &out})
        if (!*each)
            return Failure(each->error());
    ValueId cell = build.emit("multiply", {*in, *taken});
    if (before.cell)
        cell = build.emit("add", {build.emit("multiply", {*forget, *before.cell}), cell});
    const auto shown = activated(l, cell);
    if (!shown)
        return Failure(shown.error());
    return LstmState{build.emit("multiply", {*out, *shown}), cell};
}

Result<ValueId> lstm(KerasLayer& l, const Values& in) {
    if (auto ok = refuse_states(l); !ok)
        return Failure(ok.error());
    const Shape x = l.build.type(in[0]).shape;
    const auto units = integer(l, "units", 0);
    if (!units)
        return Failure(units.error());
    if (x.size() != 3 || x[1] < 1)
        return l.fail("expects an input [batch, steps, features], got " + graph::to_string(x));
    const auto weights = lstm_weights(l, x[2], *units);
    if (!weights)
        return Failure(weights.error());
    const auto gates = inputs_of_gates(l, in[0], *weights);
    if (!gates)
        return gates;
    LstmState state;
    Values outputs;
    for (std::int64_t step = 0; step < x[1]; ++step) {
        const std::int64_t at = flag(l, "go_backwards", false) ? x[1] - 1 - step : step;
        const ValueId now = l.build.emit(
            "slice", {*gates}, {{"begin", Extents{0, at, 0}}, {"size", Extents{x[0], 1, 4 * *units}}});
        const ValueId flat = l.build.emit("reshape", {now}, {{"shape", Shape{x[0], 4 * *units}}});
        auto next = lstm_step(l, flat, state, *weights, *units);
        if (!next)
            return Failure(next.error());
        state = *next;
        outputs.push_back(l.build.emit("reshape", {*state.output}, {{"shape", Shape{x[0], 1, *units}}}));
    }
    if (!flag(l, "return_sequences", false))
        return *state.output;
    return one(l.build.add("concatenate", outputs, {{"axis", std::int64_t{1}}}, "Sequence"));
}

} // namespace

LayerTable recurrent_layers() {
    return {{"LSTM",
             {lstm,
              {"units",
               "activation",
               "recurrent_activation",
               "use_bias",
               "kernel_initializer",
               "recurrent_initializer",
               "bias_initializer",
               "unit_forget_bias",
               "kernel_regularizer",
               "recurrent_regularizer",
               "bias_regularizer",
               "kernel_constraint",
               "recurrent_constraint",
               "bias_constraint",
               "dropout",
               "recurrent_dropout",
               "seed",
               "implementation",
               "return_sequences",
               "return_state",
               "go_backwards",
               "stateful",
               "unroll",
               "time_major",
               "zero_output_for_mask",
               "use_cudnn"}}}};
}

} // namespace tilescope::import
