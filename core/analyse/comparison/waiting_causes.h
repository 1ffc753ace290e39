// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "operation_changes.h"

namespace tilescope::analyse {

/// What makes the IPUs wait longer or shorter for each other, by layer and operation, largest first: IPUs
/// wait while an operation on the critical path holds them up, but for what they do meanwhile. So the
/// waiting of n IPUs is n times the cycles of the path less all that they do, and what an operation adds to
/// it is n times its cycles on the path less its cycles.
/// Errors: those of reading the profiles.
Result<Cause> waiting_cause(const BothRuns& runs);

} // namespace tilescope::analyse
