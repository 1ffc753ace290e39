// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/operation_figures.h"
#include "base/spelling.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What operations are put together by.
enum class OperationGrouping {
    None,
    Alike, ///< the same operation of layers that are alike, such as those of repeated blocks
    Layer,
    Kind
};
constexpr auto spelling(OperationGrouping) {
    return spelled("grouping of operations", "none", "alike", "layer", "kind");
}

/// What an operation of no layer is put together by, its name being a path: "dense" of "dense/MatMul/Cast";
/// the whole of a name without a slash.
inline std::string group_of_name(const std::string& operation) {
    return operation.substr(0, operation.find('/'));
}

/// Operations with their figures together, or one alone.
struct OperationGroup {
    /// Sums; of the temporary bytes the most; the balance of all their compute sets. The name is that which
    /// they have in common, "layer_*_output/MatMul", the rest what is the same for all. Of one its own.
    OperationFigures all;
    std::vector<std::size_t> members; ///< their indices, in order
    std::set<profile::Phase> phases;  ///< that they are of; `all` is of the first one's
};

/// In the order of the first of each. Alike are at least three operations of the same kind, phase and FLOPs,
/// on tensors of the same shapes, whose names differ in the numbers of their layers only. `tensors`: of the
/// profile.
std::vector<OperationGroup> group_operations(const std::vector<OperationFigures>& operations,
                                             const std::vector<profile::TensorRecord>& tensors,
                                             OperationGrouping grouping);

/// The group that takes the most cycles, and in a group the operation that does, the first of several; there
/// must be one.
const OperationGroup& slowest_of(const std::vector<OperationGroup>& groups);
const OperationFigures& slowest_in(const OperationGroup& group,
                                   const std::vector<OperationFigures>& operations);

} // namespace tilescope::analyse
