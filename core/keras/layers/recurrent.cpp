// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/recurrent.h"

#include "base/text.h"
#include "base/try.h"
#include "formats/json_reader.h"
#include "keras/initialisers.h"
#include "settings.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tilescope::keras {
namespace {

using graph::no_value;
using graph::Shape;
using graph::ValueId;

std::optional<layers::RecurrentKind> kind_of(const std::string& name) {
    static const std::map<std::string, layers::RecurrentKind> kinds = {
        {"SimpleRNN", layers::RecurrentKind::Simple},
        {"LSTM", layers::RecurrentKind::Lstm},
        {"GRU", layers::RecurrentKind::Gru}};
    const auto found = kinds.find(name);
    return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

Result<void> refuse_settings(const KerasLayer& l) {
    for (const char* key : {"stateful", "time_major"})
        if (flag(l, key, false))
            return l.unsupported(std::string("\"") + key + "\" is not supported", "set it to false");
    return {};
}

/// The first value of the bias: with unit_forget_bias the forget gate's is 1.
Result<graph::InitialValue> first_bias(const KerasLayer& l, std::int64_t units) {
    const Json& initialiser = setting(l, "bias_initializer");
    auto first = initialise(initialiser.is_null() ? Json("zeros") : initialiser,
                            {l.weights_dtype, {4 * units}}, l.seed, l.name + "/bias");
    if (!first || !flag(l, "unit_forget_bias", true))
        return first;
    graph::HostTensor values = first->make();
    for (std::int64_t i = units; i < 2 * units; ++i)
        values.set(i, 1);
    return graph::InitialValue(std::move(values));
}

/// Files of Keras 2.0, complete but for "reset_after": it came with Keras 2.1.3, and was off.
bool early_keras(const KerasLayer& l) {
    return l.config.contains("implementation") && !l.config.contains("reset_after");
}

/// Keras' GRU resets after the product since TensorFlow 2.
bool resets_after(const KerasLayer& l, layers::RecurrentKind kind) {
    return kind == layers::RecurrentKind::Gru && flag(l, "reset_after", !early_keras(l));
}

/// One direction of a layer: `l` has its settings, `part` is where a .keras file has its weights.
struct Direction {
    KerasLayer& l;
    layers::RecurrentKind kind;
    std::int64_t units;
    std::string part = {};
    bool joined = false; ///< a cell of TensorFlow 1
};

/// Those of a cell of TensorFlow 1, as it names them (keras/layers/legacy_rnn/rnn_cell_impl.py).
Result<layers::RecurrentWeights> joined_weights(const Direction& d, std::int64_t features) {
    KerasLayer& l = d.l;
    const bool gru = d.kind == layers::RecurrentKind::Gru;
    const Json& first = setting(l, "initializer"); // as an LSTM's cell calls it
    const auto kernel = [&](const std::string& name, std::int64_t width) {
        return weight(l, {name,
                          {features + d.units, width},
                          "kernel",
                          first.is_null() ? Json("glorot_uniform") : first,
                          true,
                          {},
                          d.part});
    };
    const auto bias = [&](const std::string& name, std::int64_t width, const char* first) {
        return weight(l, {name, {width}, "bias", first, true, {}, d.part});
    };
    layers::RecurrentWeights weights;
    if (!gru) {
        const std::int64_t width = layers::gates_of(d.kind) * d.units;
        TRY(weights.kernel, kernel("kernel", width));
        TRY(weights.bias, bias("bias", width, "zeros"));
        return weights;
    }
    TRY(weights.kernel, kernel("gates/kernel", 2 * d.units));
    TRY(weights.bias, bias("gates/bias", 2 * d.units, "ones"));
    TRY(weights.recurrent, kernel("candidate/kernel", d.units));
    TRY(weights.recurrent_bias, bias("candidate/bias", d.units, "zeros"));
    return weights;
}

Result<layers::RecurrentWeights> weights_of(const Direction& d, std::int64_t features) {
    KerasLayer& l = d.l;
    if (d.joined)
        return joined_weights(d, features);
    const std::int64_t width = layers::gates_of(d.kind) * d.units;
    TRY(const auto kernel,
        weight(l, {"kernel", {features, width}, "kernel", "glorot_uniform", true, {}, d.part}));
    TRY(const auto recurrent,
        weight(l, {"recurrent_kernel", {d.units, width}, "recurrent", "orthogonal", true, {}, d.part}));
    layers::RecurrentWeights weights{kernel, recurrent};
    if (!flag(l, "use_bias", true))
        return weights;
    const bool two = resets_after(l, d.kind);
    WeightSpec spec{"bias", two ? Shape{2, width} : Shape{width}, "bias", "zeros", true, {}, d.part};
    if (d.kind == layers::RecurrentKind::Lstm) {
        TRY(auto first, first_bias(l, d.units));
        spec.first = std::move(first);
    }
    TRY(const auto bias, weight(l, std::move(spec)));
    weights.bias = bias;
    if (!two)
        return weights;
    TRY(const auto rows, l.build.add("split", {bias}, {{"axis", std::int64_t{0}}, {"sizes", Extents{1, 1}}}));
    const auto row = [&](std::size_t i) {
        return l.build.emit("reshape", {rows[i]}, {{"shape", Shape{width}}}, "Bias");
    };
    TRY(weights.bias, row(0));
    TRY(weights.recurrent_bias, row(1));
    return weights;
}

/// A layer with these settings in a graph that it is built into: that of the layer, or the body of its loop.
/// Without what a call gives.
KerasLayer within(const KerasLayer& l, graph::Builder& build, const Json& config) {
    return {.build = build,
            .name = l.name,
            .kind = l.kind,
            .config = config,
            .place = l.place,
            .seed = l.seed,
            .dtype = l.dtype,
            .weights_dtype = l.weights_dtype,
            .keras3 = l.keras3,
            .training = l.training,
            .weights = l.weights,
            .losses = l.losses,
            .parts = l.parts,
            .part = l.part};
}

/// The layer's function of this setting in the body of a loop; Keras' default where the file leaves it open.
layers::Activation activation_of(const KerasLayer& l, const char* key, const char* otherwise) {
    return [&l, key, otherwise](graph::Builder& body, ValueId x) {
        KerasLayer inside = within(l, body, l.config);
        const Json& chosen = setting(l, key);
        return apply_activation(inside, chosen.is_null() ? Json(otherwise) : chosen, x);
    };
}

layers::RecurrentLayer layer_of(const Direction& d) {
    const KerasLayer& l = d.l;
    layers::RecurrentLayer layer;
    layer.kind = d.kind;
    layer.units = d.units;
    layer.gate = activation_of(l, "recurrent_activation", "sigmoid");
    layer.candidate = activation_of(l, "activation", "tanh");
    layer.output = layer.candidate;
    const Json& gate = setting(l, "recurrent_activation");
    layer.sigmoid_gate = gate.is_null() || gate == "sigmoid";
    layer.reset_after = resets_after(l, d.kind);
    layer.joined = d.joined;
    if (d.joined && d.kind == layers::RecurrentKind::Lstm) {
        layer.order = {0, 2, 1, 3};
        layer.forget_bias = number(l, "forget_bias", 1);
    }
    return layer;
}

/// A mask that is the same in each step, [batch, width], of 0 and 1 / (1 - rate); no_value for none.
Result<ValueId> step_dropout(KerasLayer& l, const char* key, Shape shape, std::int64_t salt) {
    const double rate = number(l, key, 0);
    if (rate == 0 || !l.training)
        return no_value;
    graph::HostTensor ones({l.dtype, std::move(shape)});
    for (std::int64_t i = 0; i < ones.elements(); ++i)
        ones.set(i, 1);
    return drop_out(l, l.build.constant(l.name + "/ones", std::move(ones)), rate, salt);
}

/// `run` without x's dropout and the recurrent one, which are added here.
Result<layers::RecurrentOutputs> run_direction(const Direction& d, layers::RecurrentRun run) {
    const Shape x = d.l.build.type(run.x).shape;
    TRY(const auto weights, weights_of(d, x[2]));
    TRY(const auto inputs, step_dropout(d.l, "dropout", {x[1], x[2]}, 1));
    TRY(const auto hidden, step_dropout(d.l, "recurrent_dropout", {x[1], d.units}, 2));
    if (inputs != no_value) {
        TRY(run.x, d.l.build.emit("multiply", {run.x, inputs}, {}, "Dropout"));
    }
    run.hidden_scale = hidden;
    return layers::add_recurrent(d.l.build, layer_of(d), weights, run);
}

/// What a layer is called with: [steps, batch, features], the mask [steps, batch], and first states.
struct Call {
    ValueId x = no_value;
    ValueId mask = no_value;
    Values states;
};

Result<Call> call_of(KerasLayer& l, const Values& in) {
    const Shape x = l.build.type(in[0]).shape;
    if (x.size() != 3 || x[1] < 1)
        return l.fail("expects an input [batch, steps, features], got " + graph::to_string(x));
    Call call;
    TRY(call.x, l.build.emit("transpose", {in[0]}, {{"permutation", Extents{1, 0, 2}}}, "TimeMajor"));
    if (l.mask() != no_value) {
        TRY(call.mask, l.build.emit("transpose", {l.mask()}, {{"permutation", Extents{1, 0}}}, "TimeMajor"));
    }
    call.states.assign(in.begin() + 1, in.end());
    if (const auto named = l.arguments.find("initial_state"); named != l.arguments.end())
        call.states = named->second;
    return call;
}

/// `states` of those of the call, from `first` on, are this direction's.
Result<layers::RecurrentRun> run_of(const Direction& d, const Call& call, std::size_t first,
                                    std::size_t directions) {
    layers::RecurrentRun run;
    run.x = call.x;
    run.mask = call.mask;
    const std::size_t each = d.kind == layers::RecurrentKind::Lstm ? 2 : 1;
    if (call.states.empty())
        return run;
    if (call.states.size() != each * directions)
        return d.l.fail("expects " +
                        counted_text(static_cast<std::int64_t>(each * directions), "first state") + ", got " +
                        std::to_string(call.states.size()));
    const Shape expected{d.l.build.type(call.x).shape[1], d.units};
    for (std::size_t i = first * each; i < (first + 1) * each; ++i)
        if (d.l.build.type(call.states[i]).shape != expected)
            return d.l.fail("expects first states " + graph::to_string(expected) + ", got " +
                            graph::to_string(d.l.build.type(call.states[i]).shape));
    run.hidden = call.states[first * each];
    if (each == 2)
        run.cell = call.states[first * each + 1];
    return run;
}

Result<ValueId> batch_major(KerasLayer& l, ValueId sequence) {
    return l.build.emit("transpose", {sequence}, {{"permutation", Extents{1, 0, 2}}}, "BatchMajor");
}

void add_states(const layers::RecurrentOutputs& made, Values& outputs) {
    outputs.push_back(made.hidden);
    if (made.cell != no_value)
        outputs.push_back(made.cell);
}

/// A layer with one direction, whose own settings are those of `l`.
Result<Values> run_layer(KerasLayer& l, const Direction& direction, const Values& in) {
    TRY(refuse_settings(l));
    TRY(const auto call, call_of(l, in));
    TRY(auto run, run_of(direction, call, 0, 1));
    run.sequence = flag(l, "return_sequences", false);
    run.reversed = flag(l, "go_backwards", false);
    run.zero_masked = run.sequence && flag(l, "zero_output_for_mask", false);
    TRY(const auto made, run_direction(direction, run));
    Values outputs{made.shown};
    if (run.sequence) {
        ValueId sequence = made.sequence;
        if (run.reversed) { // Keras gives what it made first first
            Extents back(static_cast<std::size_t>(l.build.type(sequence).shape[0]));
            std::iota(back.rbegin(), back.rend(), 0);
            TRY(sequence, l.build.emit("take", {sequence}, {{"axis", std::int64_t{0}}, {"indices", back}},
                                       "Backwards"));
        }
        TRY(outputs[0], batch_major(l, sequence));
        l.output_mask = l.mask();
    }
    if (flag(l, "return_state", false))
        add_states(made, outputs);
    return outputs;
}

Result<Values> recurrent(KerasLayer& l, const Values& in) {
    TRY(const auto units, integer(l, "units", 0));
    return run_layer(l, {l, *kind_of(l.kind), units}, in);
}

/// Keras' layer of a cell: one of Keras' or of TensorFlow 1, whose `num_units` tell it from Keras' of the
/// name.
Result<Values> recurrent_of_cell(KerasLayer& l, const Values& in) {
    const Json& cell = setting(l, "cell");
    const Json& named = formats::member(cell, "class_name");
    const Json& config = formats::member(cell, "config");
    const std::string name = named.is_string() ? named.get<std::string>() : "";
    const bool joined = config.is_object() && config.contains("num_units");
    const auto kind = joined && name == "BasicRNNCell" ? std::optional(layers::RecurrentKind::Simple)
                      : name.ends_with("Cell") && (!joined || name != "SimpleRNNCell")
                          ? kind_of(name.substr(0, name.size() - 4))
                          : std::nullopt;
    if (!kind || !config.is_object())
        return l.unsupported(
            "a cell " + (name.empty() ? std::string("without a class") : '"' + name + '"') +
                " is not supported",
            "use SimpleRNNCell, LSTMCell or GRUCell, or with \"num_units\" BasicRNNCell, LSTMCell or "
            "GRUCell of TensorFlow 1");
    for (const char* key : {"use_peepholes", "cell_clip", "num_proj", "proj_clip"})
        if (const Json& value = formats::member(config, key); !value.is_null() && value != false)
            return l.unsupported(std::string("\"") + key + "\" of its cell is not supported",
                                 "set it to false or null");
    KerasLayer inner = within(l, l.build, config);
    TRY(const auto units, integer(inner, joined ? "num_units" : "units", 0));
    return run_layer(l, {inner, *kind, units, "cell", joined}, in);
}

/// How the outputs of two directions become one; two where the mode is null.
Result<Values> merge(KerasLayer& l, ValueId forward, ValueId backward) {
    const Json& mode = setting(l, "merge_mode");
    if (l.config.contains("merge_mode") && mode.is_null())
        return Values{forward, backward};
    const std::string name = mode.is_null() ? "concat" : mode.is_string() ? mode.get<std::string>() : "";
    const Values both{forward, backward};
    if (name == "concat")
        return graph::values_of({l.build.emit("concatenate", both, {{"axis", std::int64_t{-1}}}, "Concat")});
    if (name == "mul")
        return graph::values_of({l.build.emit("multiply", both, {}, "Multiply")});
    if (name != "sum" && name != "ave")
        return l.fail("\"merge_mode\" " + mode.dump() + " is not known",
                      "use \"concat\", \"sum\", \"mul\", \"ave\" or null");
    TRY(const ValueId sum, l.build.emit("add", both, {}, "Add"));
    if (name == "sum")
        return Values{sum};
    return graph::values_of(
        {l.build.emit("multiply", {sum, l.build.scalar(0.5, l.build.type(sum).dtype)}, {}, "Average")});
}

/// The layer of one direction, with the settings of the wrapped one or of its own.
struct Wrapped {
    const Json* config = nullptr;
    layers::RecurrentKind kind = layers::RecurrentKind::Simple;
};

Result<Wrapped> wrapped(const KerasLayer& l, const char* key) {
    const Json& layer = setting(l, key);
    const Json& name = formats::member(layer, "class_name");
    const auto kind = name.is_string() ? kind_of(name.get<std::string>()) : std::nullopt;
    const Json& config = formats::member(layer, "config");
    if (!kind || !config.is_object())
        return l.unsupported("a layer " + (name.is_string() ? name.dump() : std::string("without a class")) +
                                 " in both directions is not supported",
                             "use LSTM, GRU or SimpleRNN");
    return Wrapped{&config, *kind};
}

Result<Values> bidirectional(KerasLayer& l, const Values& in) {
    TRY(const auto forward, wrapped(l, "layer"));
    TRY(const auto backward, setting(l, "backward_layer").is_null() ? forward : wrapped(l, "backward_layer"));
    TRY(const auto call, call_of(l, in));
    std::vector<layers::RecurrentOutputs> made;
    bool sequence = false;
    bool states = false;
    for (const bool back : {false, true}) {
        const Wrapped& direction = back ? backward : forward;
        const char* part = back ? "backward_layer" : "forward_layer";
        KerasLayer inner = within(l, l.build, *direction.config);
        inner.name += back ? "/backward" : "/forward";
        TRY(refuse_settings(inner));
        if (!back && flag(inner, "go_backwards", false))
            return l.unsupported("\"go_backwards\" of the forward layer is not supported", "set it to false");
        TRY(const auto units, integer(inner, "units", 0));
        const Direction own{inner, direction.kind, units, part};
        TRY(auto run, run_of(own, call, back ? 1 : 0, 2));
        sequence = flag(inner, "return_sequences", false);
        states = flag(inner, "return_state", false);
        run.sequence = sequence;
        run.reversed = back;
        run.zero_masked = sequence; // as Keras' wrapper asks of its layers
        TRY(auto outputs, run_direction(own, run));
        made.push_back(outputs);
    }
    ValueId backwards = made[1].shown;
    ValueId forwards = made[0].shown;
    if (sequence) {
        TRY(backwards, batch_major(l, made[1].sequence));
        TRY(forwards, batch_major(l, made[0].sequence));
        l.output_mask = l.mask();
    }
    TRY(auto outputs, merge(l, forwards, backwards));
    if (states)
        for (const layers::RecurrentOutputs& direction : made)
            add_states(direction, outputs);
    return outputs;
}

/// The last three are of IPU TensorFlow's layers of the same names: how the vendor's libraries plan them.
std::vector<const char*> settings_with(std::initializer_list<const char*> more) {
    std::vector<const char*> all = {"units",
                                    "activation",
                                    "use_bias",
                                    "kernel_initializer",
                                    "recurrent_initializer",
                                    "bias_initializer",
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
                                    "use_cudnn",
                                    "partials_dtype",
                                    "options",
                                    "options_bwd"};
    all.insert(all.end(), more);
    return all;
}

} // namespace

LayerTable recurrent_layers() {
    const auto of = [](std::initializer_list<const char*> more) {
        return LayerClass(recurrent, settings_with(more), Masking::Ends, {"initial_state"});
    };
    return {
        {"SimpleRNN", of({})},
        {"LSTM", of({"recurrent_activation", "unit_forget_bias"})},
        {"GRU", of({"recurrent_activation", "reset_after"})},
        {"RNN", LayerClass(recurrent_of_cell,
                           {"cell", "return_sequences", "return_state", "go_backwards", "stateful", "unroll",
                            "time_major", "zero_output_for_mask"},
                           Masking::Ends, {"initial_state"})},
        {"Bidirectional", LayerClass(bidirectional, {"layer", "backward_layer", "merge_mode"}, Masking::Ends,
                                     {"initial_state"})},
    };
}

} // namespace tilescope::keras
