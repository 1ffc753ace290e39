// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope {

/// With U+FFFD for what XML forbids and a terminal would obey: control characters but newline and tab, U+FFFE
/// and U+FFFF.
std::string shown_text(const std::string& text);
/// The same in one line: spaces for newlines and tabs.
std::string line_text(const std::string& text);

} // namespace tilescope
