// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/recurrent.h"

#include "base/try.h"
#include "graph/scan.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::layers {
namespace {

using graph::Builder;
using graph::no_value;
using graph::ScanInputs;
using graph::ScanOutputs;
using graph::Shape;
using graph::ValueId;
using Extents = std::vector<std::int64_t>;
using Values = std::vector<ValueId>;

/// What a step reads that is the same in all of them; no_value where there is none.
struct StepWeights {
    ValueId kernel = no_value;
    ValueId bias = no_value;
    ValueId recurrent = no_value;
    ValueId recurrent_bias = no_value;
    ValueId candidate = no_value; ///< GRU: the recurrent weights of a candidate that has a product of its own
    ValueId peepholes = no_value;
};

/// What goes from step to step.
struct State {
    ValueId hidden = no_value;
    ValueId cell = no_value;
};

/// One step of a layer, built in the body of the loop.
class Step {
  public:
    Step(Builder& build, const RecurrentLayer& layer, const StepWeights& weights)
        : build_(build), layer_(layer), weights_(weights) {}

    /// `x`: the step's inputs, [batch, inputs].
    Result<State> next(ValueId x, const State& before, ValueId scaled) {
        if (layer_.joined)
            return joined(x, before, scaled);
        TRY(ValueId share, product(x, weights_.kernel)); // to all gates, [batch, gates units]
        if (weights_.bias != no_value) {
            TRY(share, build_.emit("add", {share, weights_.bias}, {}, "BiasAdd"));
        }
        switch (layer_.kind) {
        case RecurrentKind::Lstm:
            return lstm(plus(share, product(scaled, weights_.recurrent)), before);
        case RecurrentKind::Gru:
            return gru(share, before, scaled);
        case RecurrentKind::Simple:
            break;
        }
        State state;
        TRY(state.hidden, apply(layer_.candidate, plus(share, product(scaled, weights_.recurrent))));
        return state;
    }

  private:
    Result<ValueId> plus(const Result<ValueId>& a, const Result<ValueId>& b) {
        return build_.emit("add", {a, b});
    }
    Result<ValueId> times(const Result<ValueId>& a, const Result<ValueId>& b) {
        return build_.emit("multiply", {a, b});
    }
    Result<ValueId> product(const Result<ValueId>& h, ValueId weights) { // of inputs or hidden state
        return build_.emit("matmul", {h, weights}, {{"transpose_b", layer_.transposed}});
    }
    Result<ValueId> less_from_one(ValueId x) {
        return build_.emit("subtract", {build_.scalar(1, build_.type(x).dtype), x});
    }
    Result<Values> split(const Result<ValueId>& x, std::size_t parts) {
        return build_.add("split", {x},
                          {{"axis", std::int64_t{-1}}, {"sizes", Extents(parts, layer_.units)}});
    }
    Result<ValueId> apply(const Activation& f, const Result<ValueId>& value) {
        TRY(const ValueId x, value);
        return f(build_, x);
    }

    Result<ValueId> joined_product(ValueId x, const Result<ValueId>& h, ValueId weights, ValueId bias) {
        TRY(const ValueId wide, build_.emit("concatenate", {x, h}, {{"axis", std::int64_t{1}}}, "Concat"));
        TRY(ValueId y, product(wide, weights));
        if (bias != no_value) {
            TRY(y, build_.emit("add", {y, bias}, {}, "BiasAdd"));
        }
        return y;
    }

    Result<State> joined(ValueId x, const State& before, ValueId scaled) {
        TRY(const ValueId sums, joined_product(x, scaled, weights_.kernel, weights_.bias));
        State state;
        switch (layer_.kind) {
        case RecurrentKind::Lstm:
            return lstm(sums, before);
        case RecurrentKind::Gru: {
            TRY(const Values gates, split(apply(layer_.gate, sums), 2)); // r and z
            TRY(const ValueId fresh,
                apply(layer_.candidate, joined_product(x, times(gates[0], before.hidden), weights_.candidate,
                                                       weights_.recurrent_bias)));
            TRY(state.hidden, plus(times(gates[1], before.hidden), times(less_from_one(gates[1]), fresh)));
            return state;
        }
        case RecurrentKind::Simple:
            break;
        }
        TRY(state.hidden, apply(layer_.candidate, sums));
        return state;
    }

    /// `sums`: of all gates, before their functions.
    Result<State> lstm(const Result<ValueId>& sums, const State& before) {
        TRY(Values gates, split(sums, 4));
        if (layer_.forget_bias != 0) {
            ValueId& forget = gates[layer_.order[1]];
            TRY(forget, plus(forget, build_.scalar(layer_.forget_bias, build_.type(forget).dtype)));
        }
        Values peepholes;
        if (weights_.peepholes != no_value) {
            TRY(peepholes, split(weights_.peepholes, 3));
        }
        const auto gate = [&](std::size_t number, std::size_t peephole, ValueId cell) {
            const ValueId x = gates[layer_.order[number]];
            return apply(layer_.gate, peepholes.empty() ? x : plus(x, times(peepholes[peephole], cell)));
        };
        TRY(const ValueId in, gate(0, 0, before.cell));
        TRY(const ValueId forget, layer_.coupled ? less_from_one(in) : gate(1, 2, before.cell));
        TRY(const ValueId fresh, apply(layer_.candidate, gates[layer_.order[2]]));
        TRY(const ValueId cell, plus(times(forget, before.cell), times(in, fresh)));
        TRY(const ValueId out, gate(3, 1, cell));
        TRY(const ValueId hidden, times(out, apply(layer_.output, cell)));
        return State{hidden, cell};
    }

    Result<State> gru(ValueId share, const State& before, ValueId scaled) {
        TRY(const Values shares, split(share, 3));
        ValueId z = no_value; // before its activation
        ValueId r = no_value;
        ValueId fresh = no_value;
        if (layer_.reset_after) {
            TRY(ValueId all, product(scaled, weights_.recurrent));
            if (weights_.recurrent_bias != no_value) {
                TRY(all, plus(all, weights_.recurrent_bias));
            }
            TRY(const Values parts, split(all, 3));
            TRY(z, plus(shares[0], parts[0]));
            TRY(r, apply(layer_.gate, plus(shares[1], parts[1])));
            TRY(fresh, times(r, parts[2]));
        } else {
            TRY(const Values parts, split(product(scaled, weights_.recurrent), 2));
            TRY(z, plus(shares[0], parts[0]));
            TRY(r, apply(layer_.gate, plus(shares[1], parts[1])));
            TRY(fresh, product(times(r, scaled), weights_.candidate));
        }
        TRY(fresh, apply(layer_.candidate, plus(shares[2], fresh)));
        TRY(const ValueId update, apply(layer_.gate, z));
        TRY(const ValueId rest,
            layer_.sigmoid_gate ? apply(layer_.gate, build_.emit("negate", {z})) : less_from_one(update));
        State state;
        TRY(state.hidden, plus(times(update, before.hidden), times(rest, fresh)));
        return state;
    }

    Builder& build_;
    const RecurrentLayer& layer_;
    const StepWeights& weights_;
};

/// What the loop reads, and where in its lists.
class Loop {
  public:
    Loop(Builder& build, const RecurrentLayer& layer, const RecurrentWeights& weights,
         const RecurrentRun& run)
        : build_(build), layer_(layer), weights_{weights.kernel,         weights.bias, weights.recurrent,
                                                 weights.recurrent_bias, no_value,     weights.peepholes},
          run_(run) {}

    Result<RecurrentOutputs> add() {
        TRY(prepare_weights());
        const Shape x = build_.type(run_.x).shape;
        const Shape state{x[1], layer_.units};
        inputs_.states.push_back(run_.hidden != no_value ? run_.hidden : zeros(state));
        if (layer_.kind == RecurrentKind::Lstm)
            inputs_.states.push_back(run_.cell != no_value ? run_.cell : zeros(state));
        if (output_apart())
            inputs_.states.push_back(zeros(state));
        inputs_.sequences.push_back(run_.x);
        if (run_.mask != no_value) {
            TRY(const ValueId mask,
                build_.emit("reshape", {run_.mask}, {{"shape", Shape{x[0], x[1], 1}}}, "Mask"));
            inputs_.sequences.push_back(mask);
        }
        for (const ValueId fixed :
             {weights_.kernel, weights_.bias, weights_.recurrent, weights_.recurrent_bias, weights_.candidate,
              weights_.peepholes, run_.hidden_scale})
            if (fixed != no_value)
                inputs_.fixed.push_back(fixed);
        TRY(const auto made,
            graph::add_scan(
                build_, inputs_, run_.reversed,
                [&](Builder& body, const ScanInputs& in) { return step(body, in); }, "Steps"));
        RecurrentOutputs outputs;
        outputs.hidden = made.states[0];
        outputs.shown = output_apart() ? made.states.back() : made.states[0];
        if (layer_.kind == RecurrentKind::Lstm)
            outputs.cell = made.states[1];
        if (run_.sequence)
            outputs.sequence = made.sequences[0];
        return outputs;
    }

  private:
    /// Before the first step that counts the output is 0, and the state what it was given as.
    bool output_apart() const {
        return run_.mask != no_value && run_.hidden != no_value && !run_.zero_masked;
    }

    ValueId zeros(const Shape& shape) {
        return build_.constant("zeros", graph::HostTensor({build_.type(run_.x).dtype, shape}));
    }

    /// Two biases are one where that is the same.
    Result<void> prepare_weights() {
        if (layer_.joined) {
            weights_.candidate = std::exchange(weights_.recurrent, no_value);
            return {};
        }
        const bool inside = layer_.kind == RecurrentKind::Gru && layer_.reset_after;
        if (weights_.recurrent_bias != no_value && !inside) {
            TRY(weights_.bias,
                weights_.bias == no_value
                    ? weights_.recurrent_bias
                    : build_.emit("add", {weights_.bias, weights_.recurrent_bias}, {}, "Bias"));
            weights_.recurrent_bias = no_value;
        }
        if (layer_.kind != RecurrentKind::Gru || layer_.reset_after)
            return {};
        TRY(const auto parts, build_.add("split", {weights_.recurrent},
                                         {{"axis", std::int64_t{layer_.transposed ? 0 : 1}},
                                          {"sizes", Extents{2 * layer_.units, layer_.units}}}));
        weights_.recurrent = parts[0];
        weights_.candidate = parts[1];
        return {};
    }

    Result<ScanOutputs> step(Builder& body, const ScanInputs& in) {
        StepWeights weights;
        auto fixed = in.fixed.begin();
        const auto take = [&](ValueId outside) { return outside == no_value ? no_value : *fixed++; };
        weights.kernel = take(weights_.kernel);
        weights.bias = take(weights_.bias);
        weights.recurrent = take(weights_.recurrent);
        weights.recurrent_bias = take(weights_.recurrent_bias);
        weights.candidate = take(weights_.candidate);
        weights.peepholes = take(weights_.peepholes);
        const ValueId scale = take(run_.hidden_scale);
        State before{in.states[0], layer_.kind == RecurrentKind::Lstm ? in.states[1] : no_value};
        TRY(const ValueId scaled,
            scale == no_value ? before.hidden : body.emit("multiply", {before.hidden, scale}));
        TRY(auto next, Step(body, layer_, weights).next(in.sequences[0], before, scaled));
        ValueId shown = next.hidden;
        if (run_.mask != no_value) {
            TRY(const ValueId inside, body.emit("broadcast_to", {in.sequences[1]},
                                                {{"shape", body.type(before.hidden).shape}}, "Mask"));
            const auto keep = [&](ValueId now, ValueId otherwise) {
                return body.emit("select", {inside, now, otherwise});
            };
            if (run_.zero_masked) {
                const graph::HostTensor zero(body.type(before.hidden));
                TRY(shown, keep(next.hidden, body.constant("zeros", zero)));
            }
            if (output_apart()) {
                TRY(shown, keep(next.hidden, in.states.back()));
            }
            TRY(next.hidden, keep(next.hidden, before.hidden));
            if (next.cell != no_value) {
                TRY(next.cell, keep(next.cell, before.cell));
            }
            if (!run_.zero_masked && !output_apart())
                shown = next.hidden;
        }
        ScanOutputs outputs{{next.hidden}, {}};
        if (next.cell != no_value)
            outputs.states.push_back(next.cell);
        if (output_apart())
            outputs.states.push_back(shown);
        if (run_.sequence)
            outputs.sequences.push_back(shown);
        return outputs;
    }

    Builder& build_;
    const RecurrentLayer& layer_;
    StepWeights weights_;
    const RecurrentRun& run_;
    ScanInputs inputs_;
};

} // namespace

std::int64_t gates_of(RecurrentKind kind) {
    switch (kind) {
    case RecurrentKind::Lstm:
        return 4;
    case RecurrentKind::Gru:
        return 3;
    case RecurrentKind::Simple:
        break;
    }
    return 1;
}

Result<RecurrentOutputs> add_recurrent(Builder& build, const RecurrentLayer& layer,
                                       const RecurrentWeights& weights, const RecurrentRun& run) {
    return Loop(build, layer, weights, run).add();
}

} // namespace tilescope::layers
