// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// What files are called beside each other: "new", without folder and ending; of other files of that name
/// with as many folders as tell them apart: "baseline/new" and "today/new".
std::vector<std::string> file_names(const std::vector<std::string>& paths);

} // namespace tilescope
