// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/first_fit.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace tilescope::compile {
namespace {

constexpr std::int32_t nowhere = std::numeric_limits<std::int32_t>::max();

/// Bytes that are taken: disjoint runs in the order of their addresses, those that touch made one.
class Runs {
  public:
    void clear() { runs_.clear(); }
    void add(std::int32_t begin, std::int32_t end) {
        const auto first = reaching(begin);
        auto last = first;
        while (last != runs_.end() && last->begin <= end)
            end = std::max(end, (last++)->end);
        if (first == last) {
            runs_.insert(first, {begin, end});
            return;
        }
        if (first->begin <= begin && first->end == end)
            return;
        *first = {std::min(begin, first->begin), end};
        runs_.erase(first + 1, last);
    }
    /// The lowest address from `address` on with so many bytes that are not taken.
    std::int32_t free_from(std::int32_t address, std::int32_t bytes) const {
        for (auto run = reaching(address + 1); run != runs_.end() && run->begin < address + bytes; ++run)
            address = run->end;
        return address;
    }

  private:
    struct Run {
        std::int32_t begin, end;
    };
    /// The first run that ends at `address` or later.
    std::vector<Run>::const_iterator reaching(std::int32_t address) const {
        return std::lower_bound(runs_.begin(), runs_.end(), address,
                                [](const Run& run, std::int32_t a) { return run.end < a; });
    }
    std::vector<Run>::iterator reaching(std::int32_t address) {
        return runs_.begin() + (std::as_const(*this).reaching(address) - runs_.cbegin());
    }
    std::vector<Run> runs_;
};

/// The blocks of some intervals, as arrays that are searched whole.
struct Blocks {
    std::vector<std::int32_t> begin, end, to; ///< bytes [begin, end), live up to step `to`

    void assign(std::size_t count) { // all nowhere
        begin.assign(count, nowhere);
        end.assign(count, 0);
        to.assign(count, 0);
    }
    void clear() { assign(0); }
    void push(std::int32_t first, std::int32_t last, std::int32_t until) {
        begin.push_back(first);
        end.push_back(last);
        to.push_back(until);
    }
    /// The highest end among those that lie on bytes [low, high) at step `from` or later; 0 where none does.
    std::int32_t highest_on(std::size_t first, std::size_t last, std::int32_t low, std::int32_t high,
                            std::int32_t from) const {
        std::int32_t highest = 0;
        for (std::size_t i = first; i < last; ++i) {
            const int meets = static_cast<int>(begin[i] < high) & static_cast<int>(end[i] > low) &
                              static_cast<int>(to[i] >= from); // without a jump
            highest = std::max(highest, meets != 0 ? end[i] : 0);
        }
        return highest;
    }
    std::int32_t free_from(std::size_t first, std::size_t last, std::int32_t address, std::int32_t bytes,
                           std::int32_t from) const {
        while (const std::int32_t end_of = highest_on(first, last, address, address + bytes, from))
            address = end_of;
        return address;
    }
};

/// Ranks [first, last): those of the intervals that begin in a range of steps.
struct Range {
    std::size_t first, last;
};

/// Ranks cut into chunks of about as many intervals that begin or end in them, and chunks into groups of
/// sixteen, groups into groups of sixteen, and so on: a node is a chunk or such a group.
class Chunks {
  public:
    void cut(const std::vector<Range>& ranges) {
        constexpr std::size_t size = 64;
        ends_.assign(ranges.size(), 0);
        for (const Range& range : ranges)
            ++ends_[range.last - 1];
        of_.resize(ranges.size());
        begins_.clear();
        std::size_t load = 0;
        for (std::size_t r = 0; r < ranges.size(); ++r) {
            load += 1 + ends_[r];
            if (begins_.empty() || load > size) {
                begins_.push_back(r);
                load = 1 + ends_[r];
            }
            of_[r] = static_cast<std::uint32_t>(begins_.size() - 1);
        }
        levels_.assign(1, 0);
        std::size_t count = begins_.size();
        for (; count > together; count = (count + together - 1) / together)
            levels_.push_back(levels_.back() + count);
        nodes_ = levels_.back() + count;
        begins_.push_back(ranges.size());
    }
    std::size_t count() const { return begins_.size() - 1; }
    std::size_t of(std::size_t rank) const { return of_[rank]; }
    std::size_t begin(std::size_t chunk) const { return begins_[chunk]; }
    std::size_t end(std::size_t chunk) const { return begins_[chunk + 1]; }

    std::size_t nodes() const { return nodes_; } ///< a chunk's number is its node, too
    /// The nodes that have this chunk: itself first.
    template<class Visit>
    void each_with(std::size_t chunk, const Visit& visit) const {
        for (const std::size_t level : levels_) {
            visit(level + chunk);
            chunk /= together;
        }
    }
    /// As few nodes as together are the chunks [first, last).
    template<class Visit>
    void each_of(std::size_t first, std::size_t last, const Visit& visit) const {
        std::size_t level = 0;
        for (; level + 1 < levels_.size() && first < last; ++level) {
            for (; first % together != 0 && first < last; ++first)
                visit(levels_[level] + first);
            for (; last % together != 0 && first < last; --last)
                visit(levels_[level] + last - 1);
            first /= together;
            last /= together;
        }
        for (; first < last; ++first)
            visit(levels_[level] + first);
    }
    /// The groups that have this chunk, with the range of nodes that each is of: the largest first.
    template<class Visit>
    void each_group_down(std::size_t chunk, const Visit& visit) const {
        for (std::size_t level = levels_.size() - 1; level > 0; --level)
            visit_group(chunk, level, visit);
    }
    /// The same, the smallest first.
    template<class Visit>
    void each_group_up(std::size_t chunk, const Visit& visit) const {
        for (std::size_t level = 1; level < levels_.size(); ++level)
            visit_group(chunk, level, visit);
    }

  private:
    static constexpr std::size_t bits = 4;
    static constexpr std::size_t together = 1U << bits;
    template<class Visit>
    void visit_group(std::size_t chunk, std::size_t level, const Visit& visit) const {
        const std::size_t group = chunk >> (bits * level);
        const std::size_t first = levels_[level - 1] + group * together;
        visit(levels_[level] + group, Range{first, std::min(first + together, levels_[level])});
    }

    std::vector<std::uint32_t> ends_, of_; ///< by rank
    std::vector<std::size_t> begins_;
    std::vector<std::size_t> levels_; ///< the first node of each: chunks, groups of chunks, groups of groups
    std::size_t nodes_ = 0;
};

/// A height for each rank, with the highest of each node. They only grow.
class Heights {
  public:
    void fill(const Chunks& chunks, std::size_t count, std::int32_t height) {
        heights_.assign(count, height);
        highest_.assign(chunks.nodes(), height);
        written_.assign(chunks.nodes(), height);
    }
    std::int32_t highest(const Chunks& chunks, const Range& range) {
        const std::size_t first = chunks.of(range.first);
        const std::size_t last = chunks.of(range.last - 1);
        settle(chunks, first);
        std::int32_t result = highest_of(heights_, {range.first, std::min(range.last, chunks.end(first))});
        if (first == last)
            return result;
        settle(chunks, last);
        chunks.each_of(first + 1, last, [&](std::size_t node) { result = std::max(result, highest_[node]); });
        return std::max(result, highest_of(heights_, {chunks.begin(last), range.last}));
    }
    /// Makes those `to` that are `from`, which is the highest of the range, as it was just found.
    void grow(const Chunks& chunks, const Range& range, std::int32_t from, std::int32_t to) {
        const std::size_t first = chunks.of(range.first);
        const std::size_t last = chunks.of(range.last - 1);
        if (first == last) {
            replace(heights_, range, from, to);
            chunks.each_with(first, [&](std::size_t node) {
                written_[node] = highest_[node] = std::max(highest_[node], to);
            });
            return;
        }
        grow_ranks(first, {range.first, chunks.end(first)}, from, to);
        chunks.each_of(first + 1, last, [&](std::size_t node) {
            highest_[node] = highest_[node] == from ? to : highest_[node];
        });
        grow_ranks(last, {chunks.begin(last), range.last}, from, to);
        tell_groups(chunks, last);
        tell_groups(chunks, first);
    }

  private:
    static std::int32_t highest_of(const std::vector<std::int32_t>& heights, const Range& range) {
        std::int32_t result = 0;
        for (std::size_t i = range.first; i < range.last; ++i)
            result = std::max(result, heights[i]);
        return result;
    }
    /// Makes those `to` that are `from`; whether there were any.
    static bool replace(std::vector<std::int32_t>& heights, const Range& range, std::int32_t from,
                        std::int32_t to) {
        std::int32_t any = 0;
        for (std::size_t i = range.first; i < range.last; ++i) {
            any |= heights[i] == from ? 1 : 0;
            heights[i] = heights[i] == from ? to : heights[i];
        }
        return any != 0;
    }
    void grow_ranks(std::size_t chunk, const Range& ranks, std::int32_t from, std::int32_t to) {
        if (highest_[chunk] >= from && replace(heights_, ranks, from, to))
            written_[chunk] = highest_[chunk] = std::max(highest_[chunk], to);
    }
    /// Writes the highest of a node into what it is of: a node that grew as a whole has only its own.
    void settle(std::size_t node, std::vector<std::int32_t>& parts, const Range& range) {
        if (written_[node] == highest_[node])
            return;
        replace(parts, range, written_[node], highest_[node]);
        written_[node] = highest_[node];
    }
    void settle(const Chunks& chunks, std::size_t chunk) {
        chunks.each_group_down(
            chunk, [&](std::size_t group, const Range& nodes) { settle(group, highest_, nodes); });
        settle(chunk, heights_, {chunks.begin(chunk), chunks.end(chunk)});
    }
    void tell_groups(const Chunks& chunks, std::size_t chunk) {
        chunks.each_group_up(chunk, [&](std::size_t group, const Range& nodes) {
            written_[group] = highest_[group] = highest_of(highest_, nodes);
        });
    }

    std::vector<std::int32_t> heights_; ///< by rank
    std::vector<std::int32_t> highest_; ///< by node
    std::vector<std::int32_t> written_; ///< by node: what stands for the highest in what it is of
};

/// Where intervals lie, searched by the steps in which they live. They are ranked by their first step: a
/// search looks at single blocks only in the chunks in which its range of steps begins and ends, and at the
/// few nodes that are the chunks between.
class Placed {
  public:
    /// `ranked`: the intervals in the order of their first steps.
    void reset(const std::vector<Interval>& intervals, const std::vector<std::uint32_t>& ranked) {
        starts_.resize(ranked.size());
        for (std::size_t r = 0; r < ranked.size(); ++r)
            starts_[r] = intervals[ranked[r]].from;
        ranges_.resize(ranked.size());
        for (std::size_t r = 0; r < ranked.size(); ++r)
            ranges_[r] = ranks_of(r, intervals[ranked[r]]);
        chunks_.cut(ranges_);
        blocks_.assign(ranked.size());
        summaries_.resize(std::max(summaries_.size(), chunks_.nodes()));
        for (std::size_t n = 0; n < chunks_.nodes(); ++n)
            summaries_[n].clear();
    }
    /// All that is placed from here on lies at `base` or above.
    void begin_at(std::int32_t base) { full_.fill(chunks_, starts_.size(), base); }

    /// Has the interval of this rank where it lies.
    void keep(std::size_t rank, const Interval& interval) { add(rank, interval, interval.address); }

    /// Puts the interval of this rank at the lowest address that is free while it lives.
    std::int32_t place(std::size_t rank, const Interval& interval) {
        const std::int32_t lowest = full_.highest(chunks_, ranges_[rank]);
        std::int32_t address = lowest;
        for (std::int32_t before = -1; before != address;) {
            before = address;
            address = free_from(address, ranges_[rank], interval);
        }
        add(rank, interval, address);
        if (address == lowest)
            full_.grow(chunks_, ranges_[rank], address, address + interval.bytes);
        return address;
    }

  private:
    /// What is told of blocks for a node as a whole.
    struct Summary {
        Runs starting; ///< of its ranks
        Runs through;  ///< of earlier ranks, live beyond its last one, and not through a larger node
        Blocks into;   ///< of earlier ranks, whose life ends in it, where it is a chunk
        void clear() {
            starting.clear();
            through.clear();
            into.clear();
        }
    };

    /// Those of lower ranks have their ranges already.
    Range ranks_of(std::size_t rank, const Interval& interval) const {
        const bool same = rank > 0 && starts_[rank - 1] == interval.from;
        std::size_t step = 1; // most live for a short time
        std::size_t last = rank;
        while (last + step < starts_.size() && starts_[last + step] <= interval.to) {
            last += step;
            step *= 2;
        }
        const auto at = [&](std::size_t r) { return starts_.begin() + static_cast<std::ptrdiff_t>(r); };
        const auto after = std::upper_bound(at(last), at(std::min(last + step, starts_.size())), interval.to);
        return {same ? ranges_[rank - 1].first : rank, static_cast<std::size_t>(after - starts_.begin())};
    }

    std::int32_t free_from(std::int32_t address, const Range& range, const Interval& interval) const {
        const std::size_t first = chunks_.of(range.first);
        const std::size_t last = chunks_.of(range.last - 1);
        const std::int32_t bytes = interval.bytes;
        const std::int32_t from = interval.from;
        address = blocks_.free_from(chunks_.begin(first), std::min(range.last, chunks_.end(first)), address,
                                    bytes, from);
        chunks_.each_with(
            first, [&](std::size_t node) { address = summaries_[node].through.free_from(address, bytes); });
        const Blocks& into = summaries_[first].into;
        address = into.free_from(0, into.begin.size(), address, bytes, from);
        if (last == first)
            return address;
        chunks_.each_of(first + 1, last, [&](std::size_t node) {
            address = summaries_[node].starting.free_from(address, bytes);
        });
        return blocks_.free_from(chunks_.begin(last), range.last, address, bytes, from);
    }

    void add(std::size_t rank, const Interval& interval, std::int32_t address) {
        const std::int32_t end = address + interval.bytes;
        blocks_.begin[rank] = address;
        blocks_.end[rank] = end;
        blocks_.to[rank] = interval.to;
        if (chunks_.count() == 1)
            return;
        const std::size_t own = chunks_.of(rank);
        const std::size_t last = chunks_.of(ranges_[rank].last - 1);
        chunks_.each_with(own, [&](std::size_t node) { summaries_[node].starting.add(address, end); });
        if (last == own)
            return;
        chunks_.each_of(own + 1, last, [&](std::size_t node) { summaries_[node].through.add(address, end); });
        summaries_[last].into.push(address, end, interval.to);
    }

    std::vector<std::int32_t> starts_; ///< by rank: first step
    std::vector<Range> ranges_;        ///< by rank: those that begin while it lives
    Chunks chunks_;
    Blocks blocks_;                  ///< by rank
    Heights full_;                   ///< by rank: all below is taken at its first step
    std::vector<Summary> summaries_; ///< by node
};

} // namespace

std::int32_t first_fit(std::vector<Interval>& intervals, std::int32_t top, const CancelToken* cancel) {
    std::vector<std::uint32_t> ranked(intervals.size()); // intervals in the order of their first steps
    std::iota(ranked.begin(), ranked.end(), 0U);
    const auto starts_before = [&](std::uint32_t a, std::uint32_t b) {
        return intervals[a].from < intervals[b].from;
    };
    if (!std::is_sorted(ranked.begin(), ranked.end(), starts_before))
        std::stable_sort(ranked.begin(), ranked.end(), starts_before);
    struct Turn {
        std::uint64_t first; ///< base and bytes: the higher, the earlier
        std::size_t variable;
        std::uint32_t rank;
    };
    std::vector<Turn> order(intervals.size());
    for (std::uint32_t r = 0; r < order.size(); ++r) {
        const Interval& interval = intervals[ranked[r]];
        order[r] = {interval.fixed ? std::numeric_limits<std::uint64_t>::max()
                                   : static_cast<std::uint64_t>(interval.base) << 32 |
                                         static_cast<std::uint32_t>(interval.bytes),
                    interval.variable, r};
    }
    std::sort(order.begin(), order.end(), [](const Turn& a, const Turn& b) {
        return std::tie(b.first, a.variable) < std::tie(a.first, b.variable);
    });
    thread_local Placed placed; // its memory is used again
    placed.reset(intervals, ranked);
    std::int32_t base = nowhere;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % 256 == 0 && is_cancelled(cancel))
            break;
        const std::uint32_t rank = order[i].rank;
        Interval& interval = intervals[ranked[rank]];
        if (interval.fixed) {
            placed.keep(rank, interval);
        } else {
            if (interval.base != base)
                placed.begin_at(base = interval.base);
            interval.address = placed.place(rank, interval);
        }
        top = std::max(top, interval.address + interval.bytes);
    }
    return top;
}

} // namespace tilescope::compile
