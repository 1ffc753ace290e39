// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// The candidate with the smallest edit distance to `name`, or "" where none is close
/// (more than half of the longer name would have to change).
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// What to do about a name that is not known: "did you mean "..."?", or `otherwise` where none is close.
std::string remedy_for(std::string_view name, const std::vector<std::string>& known,
                       const std::string& otherwise = {});

} // namespace tilescope
