// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/graph.h"
#include "graph/operator_registry.h"

#include <string>
#include <string_view>

/// The text form of graphs, for people, dumps and tests:
///
///     graph "dense" {
///       layer @dense : "Dense" [64, 10] parameters 7840
///       feed %x : float32 [64, 784]
///       variable %kernel : float32 [784, 10] = 0 @dense
///       constant %axes : int32 [2] = [0, 1]
///       %y = matmul(%x, %kernel) {transpose_b: false} : float32 [64, 10] backward @dense shard 1
///       next %kernel = %kernel/new
///       fetch "loss" = %loss loss
///       train %loss "sgd" {learning_rate: 0.01}
///     }
///
/// A value is called by its name, `%"in quotes"` where that has other characters than letters, digits and
/// _ . / : -, and with `#1`, `#2` … behind it where earlier values have the same one. An operation is called
/// as its first output; what else it is follows its types: recompute, backward or update, its layer (@), its
/// device (`on "/device:IPU:1"`) and its shard. Tensors are written row-major, or as one number where all
/// elements are equal. From `;` to the end of the line is a comment.
namespace tilescope::graph {

/// Which values of constants and variables a text holds; the others are `...`.
enum class TensorText { All, Short, None }; ///< Short: up to 64 elements, and those that are all equal

/// Everything of the graph but the formulas of initial values, which are `...`.
std::string print(const Graph& graph, TensorText tensors = TensorText::All);

/// The graph of a text. Values are numbered as they come in it. Types may be left out where the operation
/// says them; `...` is read as zeros. Errors: BadInput with line and column as the place, for what is not the
/// form above, operations that `registry` does not know, inputs that do not fit them and types that do not
/// follow from them.
Result<Graph> parse(std::string_view text, const OperatorRegistry& registry);

} // namespace tilescope::graph
