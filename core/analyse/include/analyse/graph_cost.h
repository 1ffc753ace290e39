// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/costs.h"
#include "analyse/live_bytes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilescope::analyse {

/// What operations take in one engine run, and what their variables hold.
struct GraphCost {
    Cost time;
    LiveBytes bytes;
};

/// What all parts come to: the operations of a layer in one phase, the layers of a block, the blocks of a
/// stack.
GraphCost together(std::span<const GraphCost* const> parts);
Cost together(std::span<const Cost* const> parts);

/// Of an operation, of a tensor that none makes (its bytes alone), and of all operations with all variables.
GraphCost cost_of_operation(const Costs& costs, const LiveVariables& live, std::int64_t id);
GraphCost cost_of_source(const LiveVariables& live, std::int64_t tensor);
GraphCost cost_of_graph(const Costs& costs, const LiveVariables& live,
                        const std::vector<profile::OperationRecord>& operations);

/// What a line of the drawn graph brings: the bytes of its tensors, given by their places in `tensors`.
std::int64_t bytes_along(const std::vector<profile::TensorRecord>& tensors,
                         std::span<const std::size_t> line);

} // namespace tilescope::analyse
