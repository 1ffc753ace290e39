// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace tilescope::app {

/// The profiles that processes of this user are writing now, in the order of their names.
std::vector<std::string> running_runs();

} // namespace tilescope::app
