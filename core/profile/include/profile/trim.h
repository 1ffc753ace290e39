// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::profile {

/// What of a profile is kept.
struct Trimming {
    /// Engine runs by `execution.id`, the last one included; nullopt: all.
    std::optional<std::pair<std::int64_t, std::int64_t>> executions;
    std::vector<std::int64_t> ipus; ///< of the first replica, which stand for the others; empty: all
    /// Keeps the numbers of every tile of variables, compute sets and exchanges; the memory of each tile, by
    /// category, is kept in any case.
    bool tiles = true;
};

/// Writes a smaller profile to `path`, through a link, which is whole where it appears, and never touches its
/// source. What is kept is as it was: engine runs have their ids, their numbers and their place in time.
/// Errors: BadInput for a source that is no profile, that is still written or that is the target, for a range
/// without an engine run, for an IPU that is not there; System where the target cannot be written; Cancelled,
/// which leaves nothing behind.
Result<void> trim(const std::string& source, const std::string& path, const Trimming& keep,
                  const CancelToken* cancel = nullptr);

} // namespace tilescope::profile
