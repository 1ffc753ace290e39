// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tilescope::profile {

/// Bytes that are live from this program step until that of the next level.
struct LiveLevel {
    std::int64_t step = 0; ///< index in `liveness`: order of execution
    std::int64_t bytes = 0;
};

/// What variables hold together while they live, as they are added.
class LiveSums {
  public:
    void add(const VariableRecord& variable, std::int64_t bytes);
    /// By step, from 0 on, each another number of bytes.
    std::vector<LiveLevel> levels() const;
    /// The first of those with the most bytes.
    LiveLevel peak() const;

  private:
    std::map<std::int64_t, std::int64_t> changes_{{0, 0}}; ///< by step: what begins less what has ended
};

/// Whether a variable is live at a step; one that is always live is.
bool live_at(const VariableRecord& variable, std::int64_t step);

} // namespace tilescope::profile
