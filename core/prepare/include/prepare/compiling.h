// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tilescope::prepare {

/// Called before each pass of a compilation: what is compiled ("cut 2 of 5"), the pass, its number and how
/// many there are.
using Compiling = std::function<void(const std::string& what, const std::string& pass, std::size_t number,
                                     std::size_t count)>;

} // namespace tilescope::prepare
