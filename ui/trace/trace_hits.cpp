// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_hits.h"

#include "base/try.h"

#include <algorithm>
#include <limits>

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

} // namespace

Result<std::vector<TraceHit>> find_hits(const profile::Profile& file,
                                        const std::vector<profile::IpuRecord>& ipus,
                                        const std::vector<std::int64_t>& wanted, std::size_t most) {
    std::vector<std::int64_t> sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    std::vector<TraceHit> hits;
    // Stretches of time, each twice as long, until there are enough: few are found that are not given.
    TRY(std::int64_t to, end_of(most / std::max<std::size_t>(1, ipus.size()) + 1, file, ipus, sorted));
    for (std::int64_t from = 0; hits.size() < most; to = to > forever / 4 ? forever : 3 * to) {
        const std::size_t before = hits.size();
        for (const profile::IpuRecord& ipu : ipus) {
            std::size_t found = before;
            TRY(file.trace_steps(ipu.id, from, to, &sorted, [&](const profile::TraceSlice& slice) {
                if (slice.start_cycle < from) // found before
                    return true;
                hits.push_back({ipu.id, slice});
                return ++found < most;
            }));
        }
        std::stable_sort(
            hits.begin() + static_cast<std::ptrdiff_t>(before), hits.end(),
            [](const TraceHit& a, const TraceHit& b) { return a.slice.start_cycle < b.slice.start_cycle; });
        if (to == forever)
            break;
        from = to;
    }
    if (hits.size() > most)
        hits.resize(most);
    hits.shrink_to_fit(); // they stay until the next search
    return hits;
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
