// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/first_fit.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace tilescope::compile {
namespace {

/// Bytes [begin, end) of a tile.
struct Block {
    std::int32_t begin, end;
};

/// Finds those that have their address and live in a range of steps without looking at the others: a tree
/// over all intervals by their first steps, with the last step of those placed below each node.
class Placed {
  public:
    explicit Placed(const std::vector<Interval>& intervals)
        : starts_(intervals.size()), rank_(intervals.size()), blocks_(intervals.size()),
          leaves_(std::bit_ceil(std::max<std::size_t>(intervals.size(), 1))), last_(2 * leaves_, -1) {
        std::vector<std::size_t> by_start(intervals.size());
        std::iota(by_start.begin(), by_start.end(), std::size_t{0});
        std::stable_sort(by_start.begin(), by_start.end(),
                         [&](std::size_t a, std::size_t b) { return intervals[a].from < intervals[b].from; });
        for (std::size_t r = 0; r < by_start.size(); ++r) {
            rank_[by_start[r]] = r;
            starts_[r] = intervals[by_start[r]].from;
        }
    }

    void add(std::size_t i, const Interval& interval) {
        blocks_[rank_[i]] = {interval.address, interval.address + interval.bytes};
        for (std::size_t node = leaves_ + rank_[i]; node > 0; node /= 2)
            last_[node] = std::max(last_[node], interval.to);
    }

    /// In the order of their addresses.
    const std::vector<Block>& living_with(const Interval& interval) {
        found_.clear();
        const auto after = std::upper_bound(starts_.begin(), starts_.end(), interval.to);
        collect(1, 0, leaves_, static_cast<std::size_t>(after - starts_.begin()), interval.from);
        std::sort(found_.begin(), found_.end(),
                  [](const Block& a, const Block& b) { return a.begin < b.begin; });
        return found_;
    }

  private:
    /// Of the node's leaves, which begin with `first`, those before `end` that live at `step` or later.
    void collect(std::size_t node, std::size_t first, std::size_t count, std::size_t end, std::int32_t step) {
        if (first >= end || last_[node] < step)
            return;
        if (count == 1) {
            found_.push_back(blocks_[first]);
            return;
        }
        collect(2 * node, first, count / 2, end, step);
        collect(2 * node + 1, first + count / 2, count / 2, end, step);
    }

    std::vector<std::int32_t> starts_; ///< first steps, in order
    std::vector<std::size_t> rank_;    ///< by interval, in that order
    std::vector<Block> blocks_;        ///< in that order
    std::size_t leaves_;
    std::vector<std::int32_t> last_; ///< by node; its children are 2 n and 2 n + 1
    std::vector<Block> found_;
};

} // namespace

std::int32_t first_fit(std::vector<Interval>& intervals, std::int32_t top) {
    std::vector<std::size_t> order(intervals.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(intervals[a].base, intervals[a].bytes) >
               std::pair(intervals[b].base, intervals[b].bytes);
    });
    Placed placed(intervals);
    for (const std::size_t i : order) {
        Interval& interval = intervals[i];
        interval.address = interval.base;
        for (const Block& other : placed.living_with(interval)) {
            if (interval.address + interval.bytes <= other.begin)
                break;
            interval.address = std::max(interval.address, other.end);
        }
        top = std::max(top, interval.address + interval.bytes);
        placed.add(i, interval);
    }
    return top;
}

} // namespace tilescope::compile
