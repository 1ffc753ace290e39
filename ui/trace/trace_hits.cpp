// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_hits.h"

#include "base/try.h"

#include <algorithm>
#include <limits>

namespace tilescope::ui {

Result<std::vector<TraceHit>> find_hits(const profile::Profile& file, const std::vector<std::int64_t>& wanted,
                                        std::size_t most) {
    TRY(const auto ipus, file.ipus());
    std::vector<TraceHit> hits;
    std::vector<std::int64_t> sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    for (const profile::IpuRecord& ipu : ipus) {
        std::size_t found = 0; // the first ones of all are among the first ones of each
        TRY(file.trace_steps(ipu.id, 0, std::numeric_limits<std::int64_t>::max(), &sorted,
                             [&](const profile::TraceSlice& slice) {
                                 hits.push_back({ipu.id, slice});
                                 return ++found < most;
                             }));
    }
    std::stable_sort(hits.begin(), hits.end(), [](const TraceHit& a, const TraceHit& b) {
        return a.slice.start_cycle < b.slice.start_cycle;
    });
    if (hits.size() > most)
        hits.resize(most);
    return hits;
}

} // namespace tilescope::ui
