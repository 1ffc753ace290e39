// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"

#include <cstdint>
#include <vector>

namespace tilescope::analyse {

/// Where the cycles of a weight update stand when each slot of its schedule is as wide as another: within a
/// slot in proportion to its time, behind the last slot in proportion to that of the longest. A place is the
/// width of a slot divided by the cycles of the longest, so that no two cycles share one.
class SlotScale {
  public:
    explicit SlotScale(const PipelineUpdate& update);
    std::int64_t width() const {
        return width_;
    } ///< places of a slot; 0: there are none, and places are cycles
    std::int64_t place(std::int64_t cycle) const;
    std::int64_t cycle(std::int64_t place) const; ///< of which place() is the nearest to that

  private:
    std::vector<std::int64_t> starts_; ///< cycles: of each slot, and last where the last one ends
    std::int64_t width_ = 0;
};

} // namespace tilescope::analyse
