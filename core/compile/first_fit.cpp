// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/first_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
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
            const bool meets = (begin[i] < high) & (end[i] > low) & (to[i] >= from);
            highest = std::max(highest, meets ? end[i] : 0);
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

/// Ranks cut into chunks, each of about as many intervals that begin or end in it.
class Chunks {
  public:
    void cut(const std::vector<Range>& ranges) {
        const std::size_t count = ranges.size();
        ends_.assign(count, 0);
        for (const Range& range : ranges)
            ++ends_[range.last - 1];
        const auto size =
            2 * std::max<std::size_t>(64, static_cast<std::size_t>(std::sqrt(static_cast<double>(count))));
        of_.resize(count);
        begins_.clear();
        std::size_t load = 0;
        for (std::size_t r = 0; r < count; ++r) {
            load += 1 + ends_[r];
            if (begins_.empty() || load > size) {
                begins_.push_back(r);
                load = 1 + ends_[r];
            }
            of_[r] = static_cast<std::uint32_t>(begins_.size() - 1);
        }
        begins_.push_back(count);
    }
    std::size_t count() const { return begins_.size() - 1; }
    std::size_t of(std::size_t rank) const { return of_[rank]; }
    std::size_t begin(std::size_t chunk) const { return begins_[chunk]; }
    std::size_t end(std::size_t chunk) const { return begins_[chunk + 1]; }

  private:
    std::vector<std::uint32_t> ends_, of_; ///< by rank
    std::vector<std::size_t> begins_;
};

/// A height for each rank, with the highest of each chunk. They only grow.
class Heights {
  public:
    void fill(const Chunks& chunks, std::size_t count, std::int32_t height) {
        heights_.assign(count, height);
        highest_.assign(chunks.count(), height);
        written_.assign(chunks.count(), height);
    }
    std::int32_t highest(const Chunks& chunks, const Range& range) {
        std::int32_t result = 0;
        for (std::size_t begin = range.first, c = chunks.of(begin); begin < range.last;
             begin = chunks.end(c++)) {
            const std::size_t end = std::min(range.last, chunks.end(c));
            if (highest_[c] <= result)
                continue;
            if (whole(chunks, c, begin, end)) {
                result = highest_[c];
                continue;
            }
            settle(chunks, c);
            for (std::size_t r = begin; r < end; ++r)
                result = std::max(result, heights_[r]);
        }
        return result;
    }
    /// Makes those that are `from` be `to`, but of whole chunks only the highest: the others may stay as low
    /// as they are.
    void grow(const Chunks& chunks, const Range& range, std::int32_t from, std::int32_t to) {
        for (std::size_t begin = range.first, c = chunks.of(begin); begin < range.last;
             begin = chunks.end(c++)) {
            const std::size_t end = std::min(range.last, chunks.end(c));
            if (whole(chunks, c, begin, end)) {
                highest_[c] = highest_[c] == from ? to : highest_[c];
                continue;
            }
            if (highest_[c] < from)
                continue;
            settle(chunks, c);
            std::int32_t grown = 0;
            for (std::size_t r = begin; r < end; ++r) {
                grown |= heights_[r] == from ? 1 : 0;
                heights_[r] = heights_[r] == from ? to : heights_[r];
            }
            if (grown != 0)
                written_[c] = highest_[c] = std::max(highest_[c], to);
        }
    }

  private:
    static bool whole(const Chunks& chunks, std::size_t c, std::size_t begin, std::size_t end) {
        return begin == chunks.begin(c) && end == chunks.end(c);
    }
    /// Writes the highest of a chunk into those ranks that have it.
    void settle(const Chunks& chunks, std::size_t c) {
        if (written_[c] == highest_[c])
            return;
        for (std::size_t r = chunks.begin(c); r < chunks.end(c); ++r)
            heights_[r] = heights_[r] == written_[c] ? highest_[c] : heights_[r];
        written_[c] = highest_[c];
    }

    std::vector<std::int32_t> heights_; ///< by rank
    std::vector<std::int32_t> highest_; ///< by chunk
    std::vector<std::int32_t> written_; ///< by chunk: what stands for the highest in `heights_`
};

/// Where intervals lie, searched by the steps in which they live. They are ranked by their first step: a
/// search looks at single blocks only in the chunks in which its range of steps begins and ends.
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
        summaries_.resize(std::max(summaries_.size(), chunks_.count()));
        for (std::size_t c = 0; c < chunks_.count(); ++c)
            summaries_[c].clear();
    }
    /// All that is placed from here on lies at `base` or above.
    void begin_at(std::int32_t base) { full_.fill(chunks_, starts_.size(), base); }

    /// Puts the interval of this rank at the lowest address that is free while it lives.
    std::int32_t place(std::size_t rank, const Interval& interval) {
        std::int32_t address = full_.highest(chunks_, ranges_[rank]);
        for (std::int32_t before = -1; before != address;) {
            before = address;
            address = free_from(address, ranges_[rank], interval);
        }
        add(rank, interval, address);
        return address;
    }

  private:
    /// What is told of blocks for a chunk as a whole.
    struct Summary {
        Runs starting; ///< of its ranks
        Runs through;  ///< of earlier ranks, live beyond its last one
        Blocks into;   ///< of earlier ranks, whose life ends in it
        void clear() {
            starting.clear();
            through.clear();
            into.clear();
        }
    };

    Range ranks_of(std::size_t rank, const Interval& interval) const {
        std::size_t first = rank;
        while (first > 0 && starts_[first - 1] == interval.from)
            --first;
        std::size_t step = 1; // most live for a short time
        std::size_t last = rank;
        while (last + step < starts_.size() && starts_[last + step] <= interval.to) {
            last += step;
            step *= 2;
        }
        const auto at = [&](std::size_t r) { return starts_.begin() + static_cast<std::ptrdiff_t>(r); };
        const auto after = std::upper_bound(at(last), at(std::min(last + step, starts_.size())), interval.to);
        return {first, static_cast<std::size_t>(after - starts_.begin())};
    }

    std::int32_t free_from(std::int32_t address, const Range& range, const Interval& interval) const {
        const std::size_t first = chunks_.of(range.first);
        const std::size_t last = chunks_.of(range.last - 1);
        const std::int32_t bytes = interval.bytes;
        const std::int32_t from = interval.from;
        address = blocks_.free_from(chunks_.begin(first), std::min(range.last, chunks_.end(first)), address,
                                    bytes, from);
        const Summary& before = summaries_[first];
        address = before.through.free_from(address, bytes);
        address = before.into.free_from(0, before.into.begin.size(), address, bytes, from);
        for (std::size_t c = first + 1; c < last; ++c)
            address = summaries_[c].starting.free_from(address, bytes);
        if (last > first)
            address = blocks_.free_from(chunks_.begin(last), range.last, address, bytes, from);
        return address;
    }

    void add(std::size_t rank, const Interval& interval, std::int32_t address) {
        const std::int32_t end = address + interval.bytes;
        blocks_.begin[rank] = address;
        blocks_.end[rank] = end;
        blocks_.to[rank] = interval.to;
        const Range& range = ranges_[rank];
        full_.grow(chunks_, range, address, end);
        if (chunks_.count() == 1)
            return;
        const std::size_t own = chunks_.of(rank);
        const std::size_t last = chunks_.of(range.last - 1);
        summaries_[own].starting.add(address, end);
        for (std::size_t c = own + 1; c < last; ++c)
            summaries_[c].through.add(address, end);
        if (last > own)
            summaries_[last].into.push(address, end, interval.to);
    }

    std::vector<std::int32_t> starts_; ///< by rank: first step
    std::vector<Range> ranges_;        ///< by rank: those that begin while it lives
    Chunks chunks_;
    Blocks blocks_; ///< by rank
    Heights full_;  ///< by rank: all below is taken at its first step
    std::vector<Summary> summaries_;
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
        order[r] = {static_cast<std::uint64_t>(interval.base) << 32 |
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
        if (i % 256 == 0 && cancel != nullptr && cancel->cancelled())
            break;
        const std::uint32_t rank = order[i].rank;
        Interval& interval = intervals[ranked[rank]];
        if (interval.base != base)
            placed.begin_at(base = interval.base);
        interval.address = placed.place(rank, interval);
        top = std::max(top, interval.address + interval.bytes);
    }
    return top;
}

} // namespace tilescope::compile
