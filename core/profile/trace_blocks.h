// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "step_kinds.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>

namespace tilescope::profile {

/// Rows of `trace` that one block of level 1, 2 … stands for, or fewer where an execution ends. A reader that
/// wants a picture of the whole time line reads blocks, and rows only where they are long enough to be seen.
inline constexpr std::array<std::int64_t, 2> trace_block_rows = {32, 1024};

/// Table `trace_block`: neighbouring rows of `trace` of one execution on one IPU, added up.
struct TraceBlockRecord {
    std::int64_t ipu = 0;
    std::int64_t level = 1;
    std::int64_t block = 0; ///< its number within IPU and level
    TraceSlice sum;         ///< of `merged` rows: none at first
    TraceBlockRecord() { sum.merged = 0; }
};

/// Adds up trace rows as they are written. The rows of an IPU must come in the order of their start; where
/// they do not, its blocks would not cover the time line and `withdraw` asks to remove them.
class TraceBlocks {
  public:
    /// `complete` takes each block that is full, or whose execution has ended; `withdraw` an IPU that shall
    /// have none.
    void add(const TraceRecord& row, const StepKinds& kinds,
             const std::function<void(const TraceBlockRecord&)>& complete,
             const std::function<void(std::int64_t)>& withdraw);

  private:
    struct Ipu {
        std::array<TraceBlockRecord, trace_block_rows.size()> open;
        std::int64_t last_end = INT64_MIN;
        bool ordered = true;
    };
    std::map<std::int64_t, Ipu> ipus_;
};

} // namespace tilescope::profile
