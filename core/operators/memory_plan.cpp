// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/memory_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace tilescope::operators {
namespace {

std::int64_t aligned(std::int64_t bytes) {
    constexpr std::int64_t alignment = 64;
    return std::max((bytes + alignment - 1) / alignment * alignment, alignment);
}

/// Indices of the blocks, the largest first, those that are needed longer first among equals.
std::vector<std::size_t> by_size(const std::vector<MemoryBlock>& blocks) {
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::int64_t bytes_a = aligned(blocks[a].bytes);
        const std::int64_t bytes_b = aligned(blocks[b].bytes);
        return bytes_a != bytes_b ? bytes_a > bytes_b
                                  : blocks[a].last - blocks[a].first > blocks[b].last - blocks[b].first;
    });
    return order;
}

struct Placed {
    std::int64_t offset, end;
    std::size_t first, last;
};

/// The start of the smallest gap that holds `bytes` between the placed blocks that are needed with `block`;
/// the end of them all where there is none. `placed` by offset.
std::int64_t best_gap(const std::vector<Placed>& placed, const MemoryBlock& block, std::int64_t bytes) {
    std::int64_t best = -1;
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = 0; // of those looked at
    for (const Placed& other : placed) {
        if (other.first > block.last || other.last < block.first)
            continue;
        const std::int64_t gap = other.offset - end;
        if (gap >= bytes && gap < smallest) {
            smallest = gap;
            best = end;
        }
        end = std::max(end, other.end);
    }
    return best >= 0 ? best : end;
}

} // namespace

MemoryPlan plan_memory(const std::vector<MemoryBlock>& blocks) {
    MemoryPlan plan{std::vector<std::int64_t>(blocks.size()), 0};
    std::vector<Placed> placed;
    placed.reserve(blocks.size());
    for (const std::size_t i : by_size(blocks)) {
        const MemoryBlock& block = blocks[i];
        const std::int64_t bytes = aligned(block.bytes);
        const std::int64_t offset = best_gap(placed, block, bytes);
        const auto after =
            std::upper_bound(placed.begin(), placed.end(), offset,
                             [](std::int64_t at, const Placed& other) { return at < other.offset; });
        placed.insert(after, {offset, offset + bytes, block.first, block.last});
        plan.offsets[i] = offset;
        plan.bytes = std::max(plan.bytes, offset + bytes);
    }
    return plan;
}

std::int64_t most_needed_at_once(const std::vector<MemoryBlock>& blocks) {
    std::map<std::size_t, std::int64_t> changes; // by the step in which they show
    for (const MemoryBlock& block : blocks) {
        changes[block.first] += aligned(block.bytes);
        changes[block.last + 1] -= aligned(block.bytes);
    }
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const auto& [step, change] : changes)
        most = std::max(most, now += change);
    return most;
}

} // namespace tilescope::operators
