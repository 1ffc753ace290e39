// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_hits.h"

#include "base/try.h"

#include <algorithm>
#include <limits>

namespace tilescope::ui {

Result<std::vector<TraceHit>> find_hits(const profile::Profile& file, const std::vector<std::int64_t>& wanted,
                                        std::size_t most) {
    std::vector<TraceHit> hits;
    TRY(const auto executions, file.traced_executions(std::numeric_limits<std::int64_t>::min(),
                                                      std::numeric_limits<std::int64_t>::max()));
    TRY(const auto ipus, file.ipus());
    std::vector<std::int64_t> sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    for (const profile::TracedExecution& e : executions) {
        if (hits.size() >= most)
            break;
        const auto first = static_cast<std::ptrdiff_t>(hits.size());
        for (const profile::IpuRecord& ipu : ipus) {
            TRY(const auto slices, file.trace(ipu.id, e.start_cycle, e.end_cycle, 0));
            std::size_t found = 0; // the first ones of all are among the first ones of each
            for (const profile::TraceSlice& slice : slices)
                if (found < most && slice.execution_id == e.id &&
                    std::binary_search(sorted.begin(), sorted.end(), slice.program_id))
                    hits.push_back({ipu.id, slice}), ++found;
        }
        std::stable_sort(hits.begin() + first, hits.end(), [](const TraceHit& a, const TraceHit& b) {
            return a.slice.start_cycle < b.slice.start_cycle;
        });
    }
    if (hits.size() > most)
        hits.resize(most);
    return hits;
}

} // namespace tilescope::ui
