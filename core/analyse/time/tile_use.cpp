// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_use.h"

#include "base/text.h"
#include "base/try.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace tilescope::analyse {
bool is_code(profile::MemoryCategory category) {
    switch (category) {
    case profile::MemoryCategory::VertexCode:
    case profile::MemoryCategory::ControlCode:
    case profile::MemoryCategory::InternalExchangeCode:
    case profile::MemoryCategory::GlobalExchangeCode:
    case profile::MemoryCategory::HostExchangeCode:
        return true;
    default:
        return false;
    }
}

std::int64_t sum_of(const BytesByCategory& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& row) { return sum + row.second; });
}

std::string categories_text(const BytesByCategory& bytes, bool differences) {
    std::vector<std::pair<MemoryCategory, std::int64_t>> rows(bytes.begin(), bytes.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
    constexpr std::size_t most = 2;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
        const auto amount = static_cast<double>(rows[i].second);
        text += (text.empty() ? "" : ", ") + to_string(rows[i].first) + " " +
                (differences ? signed_text(amount, bytes_text(amount)) : bytes_text(amount));
    }
    return text;
}

Result<std::optional<TileUse>> fullest_use(const profile::Profile& profile) {
    TRY(const auto fullest, fullest_tile(profile));
    if (!fullest)
        return std::optional<TileUse>();
    TRY(auto variables, profile.variables_on_tiles(fullest->ipu, {fullest->tile}));
    TileUse use{*fullest, {}, std::move(variables), {}, fullest->bytes};
    use.peak = live_peak(use.variables);
    for (const auto& [variable, bytes] : use.variables)
        if (live_at(variable, use.peak.step)) {
            use.by_layer[variable.layer_id][variable.category] += bytes;
            use.gaps -= bytes;
        }
    return std::optional(use);
}

} // namespace tilescope::analyse
