// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tiles_by_number.h"

#include <algorithm>

namespace tilescope::analyse {

TilesByNumber tiles_by_number(const MemoryParts& parts) {
    const std::vector<std::int64_t> totals = parts.totals();
    const auto per = static_cast<std::size_t>(std::max<std::int64_t>(0, parts.tiles_per_ipu));
    const std::size_t ipus = per == 0 ? 0 : std::min(parts.ipus.size(), totals.size() / per);
    TilesByNumber by;
    by.fullest = parts;
    by.fullest.ipus.clear();
    std::vector<std::size_t> from; // by number: where it stands in what is given
    for (std::size_t tile = 0; ipus > 0 && tile < per; ++tile) {
        std::size_t most = tile;
        std::int64_t least = totals[tile];
        for (std::size_t at = tile; at < ipus * per; at += per) {
            most = totals[at] > totals[most] ? at : most;
            least = std::min(least, totals[at]);
        }
        from.push_back(most);
        by.ipus.push_back(parts.ipus[most / per]);
        by.least.push_back(least);
    }
    const auto pick = [&](std::vector<std::int64_t>& values) {
        std::vector<std::int64_t> picked;
        picked.reserve(from.size());
        for (const std::size_t at : from)
            picked.push_back(at < values.size() ? values[at] : 0);
        values = std::move(picked);
    };
    for (MemoryParts::Part& part : by.fullest.parts)
        pick(part.bytes);
    pick(by.fullest.with_gaps);
    return by;
}

} // namespace tilescope::analyse
