// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <array>
#include <cstdint>
#include <functional>

/// Recurrent layers as loops on the device. Each step multiplies its inputs with their weights, too, and adds
/// the bias, as the steps of Keras' layers do and those of PopLibs (lib/popnn/Lstm.cpp, whose preCalcWeights
/// is false where nobody sets it).
namespace tilescope::layers {

enum class RecurrentKind { Simple, Lstm, Gru };

/// Gates of one step: the width of the weights is that many times the units.
std::int64_t gates_of(RecurrentKind kind);

using Activation = std::function<Result<graph::ValueId>(graph::Builder&, graph::ValueId)>;

/// What a layer computes in each step. Simple: h' = candidate(x W + h R). LSTM: c' = f c + i g and
/// h' = o output(c') with gates i, f, o and candidate g. GRU: h' = z h + (1 - z) g with gates z and r, which
/// scales h before the candidate's product, or with `reset_after` what comes of it.
struct RecurrentLayer {
    RecurrentKind kind = RecurrentKind::Simple;
    std::int64_t units = 0;
    Activation gate, candidate, output;
    bool sigmoid_gate = false; ///< 1 - gate(x) is gate(-x), which keeps its digits where it is small
    /// LSTM: which of the four columns of units input gate, forget gate, candidate and output gate have.
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    bool coupled = false;     ///< LSTM: f is 1 - i
    bool reset_after = false; ///< GRU
    bool transposed = false;  ///< weights are [gates units, ..]
    /// Inputs and h are one operand of one product, as those of TensorFlow 1's cells (rnn_cell_impl.py): the
    /// kernel is [inputs + units, gates units]. A GRU's has the gates r and z only; its candidate, with r h,
    /// has a product of its own, of the recurrent weights [inputs + units, units] and the recurrent bias.
    bool joined = false;
    double forget_bias = 0; ///< LSTM: added to the forget gate's sum in each step
};

/// The weights of one direction; no_value where there are none.
struct RecurrentWeights {
    graph::ValueId kernel = graph::no_value;         ///< [inputs, gates units]
    graph::ValueId recurrent = graph::no_value;      ///< [units, gates units]
    graph::ValueId bias = graph::no_value;           ///< [gates units]
    graph::ValueId recurrent_bias = graph::no_value; ///< [gates units]
    graph::ValueId peepholes = graph::no_value;      ///< LSTM: [3 units] of input, output and forget gate
};

/// A run over sequences.
struct RecurrentRun {
    graph::ValueId x = graph::no_value;            ///< [steps, batch, inputs]
    graph::ValueId hidden = graph::no_value;       ///< [batch, units]; no_value: 0
    graph::ValueId cell = graph::no_value;         ///< LSTM: the same
    graph::ValueId mask = graph::no_value;         ///< bool [steps, batch]: states stay where it is false
    graph::ValueId hidden_scale = graph::no_value; ///< [batch, units], of h before its product
    bool reversed = false;
    /// Outputs are 0 where the mask is false; else those of the step before, and before the first step 0.
    bool zero_masked = false;
    bool sequence = false; ///< whether the outputs of all steps are wanted
};

struct RecurrentOutputs {
    graph::ValueId sequence = graph::no_value; ///< [steps, batch, units], in the order of x
    graph::ValueId hidden = graph::no_value;   ///< the last: [batch, units]
    /// The last output, where it is none of the mask's zeros; the state but where a mask leaves out all
    /// steps.
    graph::ValueId shown = graph::no_value;
    graph::ValueId cell = graph::no_value;
};

/// Errors: those of the activations, and BadInput where weights do not fit.
Result<RecurrentOutputs> add_recurrent(graph::Builder& build, const RecurrentLayer& layer,
                                       const RecurrentWeights& weights, const RecurrentRun& run);

} // namespace tilescope::layers
