// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Memory that values share where they are not needed at the same time.
namespace tilescope::operators {

/// Memory that is needed from one step to another, both included.
struct MemoryBlock {
    std::int64_t bytes = 0;
    std::size_t first = 0, last = 0;
};

/// Where blocks lie in one piece of memory. Blocks that are needed in the same step lie apart.
struct MemoryPlan {
    std::vector<std::int64_t> offsets; ///< of each block, multiples of 64
    std::int64_t bytes = 0;            ///< of all that memory
};

/// The largest block first, each in the smallest gap that holds it among those that are needed when it is
/// ("greedy by size" of Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020).
MemoryPlan plan_memory(const std::vector<MemoryBlock>& blocks);

/// The most that is needed in one step, each block rounded up to whole 64 bytes: no plan takes less.
std::int64_t most_needed_at_once(const std::vector<MemoryBlock>& blocks);

} // namespace tilescope::operators
