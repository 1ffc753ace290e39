// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/initial_value.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilescope::keras {

/// The first value of a variable, by Keras' formulas (keras/initializers): a name or a Keras object
/// {class_name, config}. Fans are those of a matrix [in, out] or a kernel [h, w, in, out]. Deterministic in
/// seed and variable name. Errors: NotSupported for an unknown initialiser, naming the nearest.
Result<graph::InitialValue> initialise(const nlohmann::json& initialiser, const graph::TensorType& type,
                                       std::uint64_t seed, const std::string& variable);

} // namespace tilescope::keras
