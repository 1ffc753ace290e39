// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilescope::formats {

/// A feature of TensorFlow's Example (tensorflow/core/example/feature.proto): texts, floats, whole numbers,
/// or nothing.
using Feature =
    std::variant<std::monostate, std::vector<std::string>, std::vector<float>, std::vector<std::int64_t>>;
using Example = std::map<std::string, Feature>;

/// An Example out of its bytes. Errors: BadInput for what is none.
Result<Example> parse_example(std::string_view bytes);

/// The bytes of an Example, its features by name.
std::string write_example(const Example& example);

} // namespace tilescope::formats
