// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "ipu/conv_plan.h"
#include "ipu/target.h"

#include <vector>

namespace tilescope::ipu {

/// The three products of a dense layer in training, y = x w, by one of them: dx = dy w^T, dw = x^T dy.
struct LayerProducts {
    ConvProblem forward, data, weights;
};
LayerProducts products_of_layer(const ConvProblem& one);

/// One plan for all three: each weight lies on one tile, which makes its gradient too, but for those at the
/// edges of blocks where the gradient's vertex pads the rows to other groups than the forward one.
struct JointPlan {
    ConvPlan forward, data, weights;
    std::int64_t cycles() const { return forward.cost.cycles() + data.cost.cycles() + weights.cost.cycles(); }
};
/// Whether each of the three fits by itself.
bool fits(const Target& target, const JointPlan& plan, double most_bytes);

/// The best joint plans of a layer with at most `bound` bytes of temporaries, up to `most` of them: the
/// operands are swapped, so that positions are the weights' columns, which go in groups as large as those of
/// their rows, and rows of x stay together. Source: PopLibs lib/poplin/ConvModel.cpp (constructModel,
/// addBwdEstimates, addWuEstimates), ConvPlan.cpp (getFullyConnectedBwdPlan, getFullyConnectedWUPlan),
/// ConvVertexType.cpp. Once cancelled, those found until then.
std::vector<JointPlan> joint_plans(const Target& target, const ConvProblem& forward, double bound,
                                   std::size_t most, const CancelToken* cancel = nullptr);

} // namespace tilescope::ipu
