// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <utility>

namespace tilescope::app {

inline constexpr const char* engine_runs_type = "FROM:TO"; ///< in a command's help

/// Of option --range: "10:19" from the first to the last, which is included; "10" is one. Errors: Usage.
Result<std::pair<std::int64_t, std::int64_t>> engine_runs_in(const std::string& text);

} // namespace tilescope::app
