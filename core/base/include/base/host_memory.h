// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

namespace tilescope {

/// The computer that runs the program has no memory left: System, for it is not the IPU's that a model does
/// not fit. What ends in std::bad_alloc, or in a library's word for it, is told so.
Error host_memory_error();

/// From here on what is freed goes back to the system: all threads share one heap (mallopt(3), M_ARENA_MAX),
/// which else would each keep what their queries gave back, and large blocks lie outside of it
/// (M_MMAP_THRESHOLD), in which they else leave holes. For programs that stay open.
void return_freed_memory();

} // namespace tilescope
