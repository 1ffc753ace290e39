// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"

namespace tilescope::app {

/// What Ctrl-C and the wish of the system that the program ends (SIGTERM) cancel from here on: what is under
/// way leaves things as they should be. The second time the program ends at once.
const CancelToken& cancelled_by_signals();

} // namespace tilescope::app
