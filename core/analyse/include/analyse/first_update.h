// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace tilescope::analyse {

/// Where on the time line of the run the first weight update of its first engine run of the main kind lies
/// (without training its first step): cycles [first, second). nullopt where no such engine run has ended, or
/// the file has no schedule of it. Errors: those of reading the profile.
Result<std::optional<std::pair<std::int64_t, std::int64_t>>> first_update(const profile::Profile& profile);

} // namespace tilescope::analyse
