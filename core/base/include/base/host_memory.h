// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

namespace tilescope {

/// The computer that runs the program has no memory left: System, for it is not the IPU's that a model does
/// not fit. What ends in std::bad_alloc, or in a library's word for it, is told so.
Error host_memory_error();

} // namespace tilescope
