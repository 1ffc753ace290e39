// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope {

/// How long somebody waits, or has waited: as time_text() below two minutes, "17 min" and "2 h 05 min" above.
std::string wait_text(double seconds);

} // namespace tilescope
