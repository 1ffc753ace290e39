// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/records.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::profile {

/// Of engine runs that are alike, those of the ids `first` to `last`; nullopt where there is none. Their
/// `wall_us` is still that of all.
std::optional<ExecutionGroupRecord> part_of(const ExecutionGroupRecord& group, std::int64_t first,
                                            std::int64_t last);

/// What a range that has none of the engine runs of `groups` is answered with.
Failure no_engine_run(const std::vector<ExecutionGroupRecord>& groups, std::int64_t first, std::int64_t last);

} // namespace tilescope::profile
