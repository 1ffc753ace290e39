// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"

#include <pybind11/pybind11.h>
#include <string>
#include <utility>
#include <vector>

/// The engine's recipes, for a script's own tensors: each is a list of steps, (kind, operands, attributes),
/// the last of which makes the result. An operand is the number of a value, where the inputs come first and
/// then what each step makes, or an array: a scalar. None for a result that is the first input itself.
namespace tilescope::python {

/// (dtype, shape) of an input.
using InputType = std::pair<std::string, graph::Shape>;

/// The Einstein sum of tensors whose dimensions have these letters (layers/einsum.h).
pybind11::object einsum_recipe(const graph::OperatorRegistry& registry, const std::vector<InputType>& inputs,
                               const std::vector<std::string>& letters, const std::string& result);

/// "cosh", "sinh", "asinh", "acosh", "atanh" or "log1p" of each float32 (layers/hyperbolic.h).
pybind11::object hyperbolic_recipe(const graph::OperatorRegistry& registry, const std::string& function);

/// A weight as one of Keras' constraints wants it (training/constraints.h); `settings` as its own. Errors:
/// those of check_constraint().
pybind11::object constraint_recipe(const graph::OperatorRegistry& registry, const std::string& constraint,
                                   const pybind11::dict& settings, const InputType& weight);

/// The learning rate of one of Keras' schedules at a step, a float32 (training/rate_schedule.h). Errors:
/// those of add_rate().
pybind11::object schedule_recipe(const graph::OperatorRegistry& registry, const std::string& schedule,
                                 const pybind11::dict& settings);

/// A convolution "conv3d" (of volumes and filters [depth, height, width, in / groups, out]) or a pooling
/// "max_pool2d" or "average_pool2d" of volumes (layers/volumes.h). Of `settings`, "padding" has what is put
/// before each of the three dimensions, then after.
pybind11::object volumes_recipe(const graph::OperatorRegistry& registry, const std::string& kind,
                                const std::vector<InputType>& inputs, const pybind11::dict& settings);

/// How a dimension is resized (layers/resampling.h): for "nearest" the place of each element of the result,
/// else the shares of all [in, out]. `half_pixel`: pixels have their centres in their middles, as TensorFlow
/// 2 has it; else pixel 0 lies at 0, as TensorFlow 1 does.
pybind11::object resampled(const std::string& method, std::int64_t in, std::int64_t out, bool half_pixel);

} // namespace tilescope::python
