// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// The candidate with the smallest edit distance to `name`, or "" where none is close
/// (more than half of the longer name would have to change).
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

} // namespace tilescope
