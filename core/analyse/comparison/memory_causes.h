// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fusion_changes.h"
#include "operation_changes.h"
#include "tile_use.h"

#include <vector>

namespace tilescope::analyse {

/// What makes the fullest tile of the new run fuller or less full than that of the base, what explains most
/// first and gaps last: layers, with what changed of their variables, and categories of what is of no layer.
/// The bytes add up to the change.
/// Errors: those of reading the profiles.
Result<std::vector<Cause>> memory_causes(const BothRuns& runs, const std::vector<FusionChange>& fusions,
                                         const TileUse& base, const TileUse& now);

} // namespace tilescope::analyse
