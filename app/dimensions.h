// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilescope::app {

/// What `--shape NAME=N` gives: the extent of each named dimension. Errors: Usage.
Result<std::map<std::string, std::int64_t>> read_dimensions(const std::vector<std::string>& options);

} // namespace tilescope::app
