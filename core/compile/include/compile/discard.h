// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/executable.h"

namespace tilescope::compile {

/// Frees an executable in a thread of its own: one of gigabytes takes longer than what is cancelled may go
/// on.
void discard(Executable executable);

} // namespace tilescope::compile
