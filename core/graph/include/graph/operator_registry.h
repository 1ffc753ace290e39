// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/kinds.h"
#include "graph/graph.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilescope {
class WorkerPool;
namespace kernels {
struct KernelTable;
}
} // namespace tilescope

namespace tilescope::graph {

class Builder;
class OperatorRegistry;

/// What numerics of random operations depend on: masks are a function of (seed, salt, step, position in the
/// global batch), so they do not change with sharding, replication or pipelining.
struct RandomState {
    std::uint64_t seed = 0;
    std::uint64_t step = 0;         ///< number of the global step
    std::int64_t sample_offset = 0; ///< of this batch within the global batch
    bool training = true;           ///< false: dropout passes its input on
    StochasticRounding rounding = StochasticRounding::Off;
    std::uint64_t place = 0; ///< of an operation or of a loop's step: their roundings are not the same
};

struct ComputeContext {
    std::span<const HostTensor* const> inputs;
    std::span<HostTensor* const> outputs; ///< allocated, of the inferred types; written completely
    const Attributes& attributes;
    const kernels::KernelTable& kernels;
    WorkerPool& pool;
    RandomState random;
    const OperatorRegistry& registry; ///< for operations with a body
    /// What the operation keeps from one call with these inputs, outputs and attributes to the next; null
    /// where there is one call only.
    std::shared_ptr<void>* kept = nullptr;

    /// The same, as `make` makes it in the first call: steps of a loop work nothing out again.
    template<class Make>
    auto keep(const Make& make) -> std::shared_ptr<decltype(make())> {
        using Kept = decltype(make());
        if (kept == nullptr)
            return std::make_shared<Kept>(make());
        if (!*kept)
            *kept = std::make_shared<Kept>(make());
        return std::static_pointer_cast<Kept>(*kept);
    }
};

/// Differentiates the body of an operation, which is a graph of its own (training/differentiation.h,
/// `backpropagate`).
using DifferentiateBody =
    Result<std::vector<ValueId>> (*)(Builder& build, const std::vector<std::pair<ValueId, ValueId>>& known,
                                     const std::vector<ValueId>& with_respect_to);

struct GradientContext {
    Builder& build;             ///< adds backward operations
    const Operation& operation; ///< a copy: the graph may grow
    /// For each output, its gradient, or no_value where the loss does not depend on it.
    std::vector<ValueId> output_gradients;
    std::vector<bool> wanted; ///< by input: whether its gradient is of use
    DifferentiateBody differentiate_body;
};

using InferFunction = std::function<Result<std::vector<TensorType>>(std::span<const TensorType> inputs,
                                                                    const Attributes& attributes)>;
/// For each input, its gradient (same shape), or no_value where there is none. Errors: BadInput for a body
/// that cannot be differentiated.
using GradientFunction = std::function<Result<std::vector<ValueId>>(GradientContext&)>;
using ComputeFunction = std::function<void(ComputeContext&)>;
/// Elements [begin, end) of all outputs.
using ComputeRangeFunction = std::function<void(ComputeContext&, std::size_t begin, std::size_t end)>;
using FlopsFunction = std::function<std::int64_t(std::span<const TensorType> inputs,
                                                 std::span<const TensorType> outputs, const Attributes&)>;

/// Which of its inputs an operation may overwrite with its outputs.
enum class InPlace {
    Never,
    Paired, ///< input i with output i, for each output
    Any,    ///< any that has as many elements of the same type as the only output
};

/// One kind of operation: everything the rest of the program needs to know of it.
struct Operator {
    std::string name;    ///< "conv2d"
    std::string summary; ///< one sentence for the operator reference, with the shapes
    InferFunction infer;
    GradientFunction gradient; ///< empty: not differentiable
    ComputeFunction compute;
    /// For operations whose outputs are alike and whose elements do not depend on each other, beside
    /// `compute`: several such operations are shared out to the threads as one.
    ComputeRangeFunction compute_range;
    FlopsFunction flops;                 ///< empty: one per output element for elementwise, 0 else
    bool non_linearity_gradient = false; ///< elementwise: dx of one of x, from x or y and dy
    bool elementwise = false;            ///< out[i] depends on in[i] only (after broadcasting): may be fused
    bool random = false;               ///< never merged or folded; draws the same numbers when it runs again
    bool stateful = false;             ///< updates running values: never merged, folded or recomputed
    bool takes_bytes = false;          ///< inputs may be uint8, beside those of views
    bool view = false;                 ///< reshape and the like: the output is the input's memory
    InPlace in_place = InPlace::Never; ///< elementwise operations: any
};

class OperatorRegistry {
  public:
    void add(Operator op);
    const Operator* find(const std::string& name) const; ///< nullptr where unknown
    const Operator& at(const std::string& name) const;   ///< must exist
    std::vector<std::string> names() const;

  private:
    std::map<std::string, Operator> operators_;
};

} // namespace tilescope::graph
