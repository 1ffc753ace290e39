// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace tilescope {

/// The most brackets of a JSON document that may be in each other: readers go down them by recursion.
inline constexpr int deepest_json = 256;

/// Whether a JSON text has more than `deepest_json` brackets in each other. Those in strings do not count.
bool nests_too_deep(std::string_view json);

} // namespace tilescope
