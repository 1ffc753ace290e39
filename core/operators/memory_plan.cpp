// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_plan.h"

#include <algorithm>
#include <iterator>

namespace tilescope::operators {
namespace {

constexpr std::int64_t alignment = 64;

} // namespace

std::int64_t MemoryPlan::take(std::int64_t bytes) {
    bytes = std::max<std::int64_t>((bytes + alignment - 1) / alignment * alignment, alignment);
    auto best = gaps_.end();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap)
        if (gap->second >= bytes && (best == gaps_.end() || gap->second < best->second))
            best = gap;
    if (best == gaps_.end() && !gaps_.empty()) { // the last gap grows, rather than leaving it
        const auto last = std::prev(gaps_.end());
        if (last->first + last->second == end_) {
            end_ = last->first + bytes;
            last->second = bytes;
            best = last;
        }
    }
    std::int64_t offset = end_;
    if (best != gaps_.end()) {
        offset = best->first;
        const std::int64_t rest = best->second - bytes;
        gaps_.erase(best);
        if (rest > 0)
            gaps_.emplace(offset + bytes, rest);
    } else {
        end_ += bytes;
    }
    blocks_.emplace(offset, bytes);
    return offset;
}

void MemoryPlan::release(std::int64_t offset) {
    const auto block = blocks_.find(offset);
    auto gap = gaps_.emplace(offset, block->second).first;
    blocks_.erase(block);
    if (const auto next = std::next(gap); next != gaps_.end() && gap->first + gap->second == next->first) {
        gap->second += next->second;
        gaps_.erase(next);
    }
    if (gap == gaps_.begin())
        return;
    const auto before = std::prev(gap);
    if (before->first + before->second != gap->first)
        return;
    before->second += gap->second;
    gaps_.erase(gap);
}

} // namespace tilescope::operators
