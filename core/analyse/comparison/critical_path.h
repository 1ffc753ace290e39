// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <map>

namespace tilescope::analyse {

/// What an operation adds to the length of an engine run.
struct PathCost {
    std::int64_t cycles = 0;
    std::int64_t compute = 0; ///< of these: of the slowest tile of its compute sets
    std::int64_t ipu = -1;    ///< that does most of it
};

/// The critical path of an engine run (Kelley and Walker 1959): from its end back to its beginning, always
/// the program step that ends when the one before could begin, on whichever IPU of the first replica. The
/// cycles of all operations on it are those of the engine run but for its launch: were one of its steps a
/// cycle shorter, the run would be, as long as no other way is as long.
/// By operation (no_operation: copies from and to the host). Empty: the profile has no program steps by time.
/// Errors: those of reading the profile.
Result<std::map<std::int64_t, PathCost>> critical_path(const profile::Profile& profile);

} // namespace tilescope::analyse
