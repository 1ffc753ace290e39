// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

/// The shares of all parts of a whole, none below 0, rounded so that they add up to all of it: "28.5 %".
/// Empty texts where the whole is nothing.
std::vector<std::string> rounded_shares(const std::vector<std::int64_t>& parts);

} // namespace tilescope
