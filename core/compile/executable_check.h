// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "compile/executable.h"

namespace tilescope::compile {

/// Whether program, plans and memory layout belong together and to the executable's graph, target and
/// schedule: every number of something names one, every figure by tile has a value for each, the steps are a
/// tree in which parents stand before their children, and no figure is one that cannot be. What was read
/// from a file may be asked for and run without further checks then. False once cancelled, too.
bool consistent(const Executable& executable, const CancelToken* cancel = nullptr);

} // namespace tilescope::compile
