// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope::analyse {

/// Whether the setting of key `a` stands before that of `b`, as settings() has them.
bool weighs_more(const std::string& a, const std::string& b);

} // namespace tilescope::analyse
