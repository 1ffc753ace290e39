// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_hits.h"

#include "base/try.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tilescope::ui {
namespace {

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

/// One past the start of the `count`-th step on the first IPU that has any; `forever` where it has fewer.
Result<std::int64_t> end_of(std::size_t count, const profile::Profile& file,
                            const std::vector<profile::IpuRecord>& ipus,
                            const std::vector<std::int64_t>& wanted) {
    std::size_t found = 0;
    std::int64_t last = 0;
    for (const profile::IpuRecord& ipu : ipus) {
        TRY(file.trace_steps(ipu.id, 0, forever, &wanted, [&](const profile::TraceSlice& slice) {
            last = slice.start_cycle;
            return ++found < count;
        }));
        if (found > 0)
            break;
    }
    return found < count ? forever : last + 1;
}

/// The first `most` hits in order of time, given those of one IPU after the other. What is moved as they are
/// put in order is their starts: a hit is large.
class FirstHits {
  public:
    explicit FirstHits(std::size_t most) : most_(most) {}
    bool full() const { return hits_.size() == most_; }
    /// False: neither it nor what starts later on that IPU is among them.
    bool add(std::int64_t ipu, const profile::TraceSlice& slice) {
        const Place place{slice.start_cycle, given_++, full() ? latest_.front().hit : hits_.size()};
        if (!full()) {
            hits_.push_back({ipu, slice});
        } else {
            if (!(place < latest_.front()))
                return false;
            std::pop_heap(latest_.begin(), latest_.end());
            latest_.pop_back();
            hits_[place.hit] = {ipu, slice};
        }
        latest_.push_back(place);
        std::push_heap(latest_.begin(), latest_.end());
        return true;
    }
    std::vector<TraceHit> take() {
        std::sort_heap(latest_.begin(), latest_.end());
        std::vector<TraceHit> ordered;
        ordered.reserve(hits_.size()); // they stay until the next search
        for (const Place& place : latest_)
            ordered.push_back(hits_[place.hit]);
        return ordered;
    }

  private:
    struct Place {
        std::int64_t start = 0;
        std::size_t given = 0; ///< of two that start at once, which comes first
        std::size_t hit = 0;
        bool operator<(const Place& other) const {
            return std::tie(start, given) < std::tie(other.start, other.given);
        }
    };
    std::size_t most_;
    std::size_t given_ = 0;
    std::vector<TraceHit> hits_;
    std::vector<Place> latest_; ///< a heap
};

} // namespace

Result<std::vector<TraceHit>> find_hits(const profile::Profile& file,
                                        const std::vector<profile::IpuRecord>& ipus,
                                        const std::vector<std::int64_t>& wanted, std::size_t most) {
    std::vector<std::int64_t> sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    FirstHits hits(most);
    // Stretches of time, each twice as long, until there are enough: few are found that are not given.
    TRY(std::int64_t to, end_of(most / std::max<std::size_t>(1, ipus.size()) + 1, file, ipus, sorted));
    for (std::int64_t from = 0; !hits.full(); to = to > forever / 4 ? forever : 3 * to) {
        for (const profile::IpuRecord& ipu : ipus)
            TRY(file.trace_steps(ipu.id, from, to, &sorted, [&](const profile::TraceSlice& slice) {
                return slice.start_cycle < from || hits.add(ipu.id, slice); // those before `from` were found
            }));
        if (to == forever)
            break;
        from = to;
    }
    return hits.take();
}

Result<std::optional<TraceHit>> first_pass(const profile::Profile& file,
                                           const std::vector<profile::IpuRecord>& ipus,
                                           const std::vector<std::int64_t>& wanted) {
    constexpr std::int64_t most_steps = 100000; // a whole program is as well seen by its beginning
    std::vector<std::int64_t> sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    for (const profile::IpuRecord& ipu : ipus) {
        std::optional<TraceHit> pass;
        TRY(file.trace_steps(ipu.id, 0, forever, &sorted, [&](const profile::TraceSlice& slice) {
            pass = {ipu.id, slice};
            return false;
        }));
        if (!pass)
            continue;
        profile::TraceSlice& all = pass->slice;
        const profile::TraceSlice first = all;
        bool begun = false;
        TRY(file.trace_steps(
            ipu.id, first.start_cycle, forever, nullptr, [&](const profile::TraceSlice& slice) {
                if (!begun) { // what ends there, then the first one itself
                    begun = slice.start_cycle == first.start_cycle && slice.program_id == first.program_id;
                    return true;
                }
                const bool goes_on = slice.start_cycle == all.end_cycle && slice.step == first.step &&
                                     slice.execution_id == first.execution_id &&
                                     std::binary_search(sorted.begin(), sorted.end(), slice.program_id);
                if (goes_on)
                    profile::join(all, slice);
                return goes_on && all.merged < most_steps;
            }));
        return pass;
    }
    return std::nullopt;
}

} // namespace tilescope::ui
