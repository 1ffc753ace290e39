// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>

namespace tilescope::operators {

/// Places of blocks in one piece of memory, as blocks come and go: each goes where the smallest gap that
/// holds it is, and what is released joins the gaps beside it.
class MemoryPlan {
  public:
    /// The offset of a new block, a multiple of 64.
    std::int64_t take(std::int64_t bytes);
    void release(std::int64_t offset);
    /// How much memory all of that needs.
    std::int64_t bytes() const { return end_; }

  private:
    std::map<std::int64_t, std::int64_t> gaps_;   ///< bytes by offset; the last one may end at `end_`
    std::map<std::int64_t, std::int64_t> blocks_; ///< bytes by offset
    std::int64_t end_ = 0;
};

} // namespace tilescope::operators
