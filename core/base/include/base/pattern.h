// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope {

/// Whether a name is one that a pattern with * (any characters) stands for.
bool matches_pattern(const std::string& pattern, const std::string& name);

} // namespace tilescope
