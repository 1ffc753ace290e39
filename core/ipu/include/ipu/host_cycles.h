// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"

#include <cstdint>

/// What the host costs an IPU around the program that it runs.
namespace tilescope::ipu {

/// Until a program begins that the host launches.
std::int64_t launch_cycles(const Target& target);

/// Until another program has come to an IPU in place of its own and is launched; `bytes`: that go and come.
std::int64_t swap_cycles(const Target& target, std::int64_t bytes);

} // namespace tilescope::ipu
