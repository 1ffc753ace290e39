// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <functional>
#include <string>
#include <vector>

/// Loops on the device over the steps of sequences (as ONNX' Scan): operation "scan", whose body is a graph.
/// Its inputs are first states, then sequences [steps, ..], then what is the same in every step; the feeds of
/// the body are the states, a slice [..] of each sequence, and the rest. Its outputs are the last states,
/// then sequences; the fetches of the body are the next states and a slice of each. With `reversed` the last
/// slice comes first, and what is made of a slice takes its place.
namespace tilescope::graph {

/// What the attributes of a scan say.
struct Scan {
    Body body;
    std::int64_t steps = 0;
    std::size_t states = 0;
    std::size_t sequences = 0; ///< among the inputs
    bool reversed = false;

    explicit Scan(const Attributes& attributes);
    Attributes attributes() const;
    /// Number of the slice that is taken in the k-th step.
    std::int64_t slice(std::int64_t k) const { return reversed ? steps - 1 - k : k; }
};

/// What a scan reads: values of the graph around it, or, in the body, the feeds that stand for them.
struct ScanInputs {
    std::vector<ValueId> states;
    std::vector<ValueId> sequences;
    std::vector<ValueId> fixed; ///< the same in every step: weights
};

/// What a step of a body, or a whole scan, makes.
struct ScanOutputs {
    std::vector<ValueId> states;
    std::vector<ValueId> sequences;
};

/// Builds the body's operations for one step.
using ScanStep = std::function<Result<ScanOutputs>(Builder&, const ScanInputs&)>;

/// Adds a scan over `inputs.sequences`, of which there is at least one. Errors: those of `step`, and BadInput
/// where the next states have other types than the first, and for more than 65,536 steps.
Result<ScanOutputs> add_scan(Builder& build, const ScanInputs& inputs, bool reversed, const ScanStep& step,
                             const std::string& name = "scan");

/// The type of one slice of a sequence, and of the sequence that slices make.
TensorType slice_type(TensorType sequence);
TensorType sequence_type(TensorType slice, std::int64_t steps);

} // namespace tilescope::graph
