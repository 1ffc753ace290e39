// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_use.h"

#include "base/text.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilescope::analyse {
namespace {

std::map<std::int64_t, std::string> names_of(const Parts& parts) {
    std::map<std::int64_t, std::string> names;
    for (const auto& layer : parts.layers)
        names[layer.id] = layer.name;
    return names;
}

BytesByCategory difference(const BytesByCategory& base, const BytesByCategory& now) {
    BytesByCategory by = now;
    for (const auto& [category, bytes] : base)
        by[category] -= bytes;
    std::erase_if(by, [](const auto& row) { return row.second == 0; });
    return by;
}

BytesByCategory of_layer(const TileUse& use, std::int64_t layer) {
    const auto found = use.by_layer.find(layer);
    return found == use.by_layer.end() ? BytesByCategory() : found->second;
}

} // namespace

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
    TRY(const auto variables, profile.variables_on_tiles(fullest->ipu, {fullest->tile}));
    const LivePeak peak = live_peak(variables);
    TileUse use{*fullest, {}, fullest->bytes};
    for (const auto& [variable, bytes] : variables)
        if (live_at(variable, peak.step)) {
            use.by_layer[variable.layer_id][variable.category] += bytes;
            use.gaps -= bytes;
        }
    return std::optional(use);
}

std::vector<Cause> memory_causes(const TileUse& base, const TileUse& now, const Parts& base_parts,
                                 const Parts& now_parts, const Matching& matching) {
    std::vector<Cause> causes;
    const auto add = [&](const std::string& what, const BytesByCategory& by, const char* state) {
        const std::string text = categories_text(by, true);
        causes.push_back({what, state + text, {}, static_cast<double>(sum_of(by))});
    };
    auto left = names_of(base_parts); // of the base, without a partner so far
    for (const auto& layer : now_parts.layers) {
        const auto partner = matching.layers.find(layer.id);
        if (partner == matching.layers.end()) {
            add(layer.name, of_layer(now, layer.id), "a layer more: ");
            continue;
        }
        add(layer.name, difference(of_layer(base, partner->second), of_layer(now, layer.id)), "");
        left.erase(partner->second);
    }
    for (const auto& [id, name] : left)
        add(name, difference(of_layer(base, id), {}), "a layer less: ");
    for (const auto& [category, bytes] : difference(of_layer(base, -1), of_layer(now, -1)))
        causes.push_back({to_string(category), "of no layer", {}, static_cast<double>(bytes)});
    std::erase_if(causes, [](const Cause& cause) { return *cause.bytes == 0; });
    std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) {
        return std::fabs(*a.bytes) > std::fabs(*b.bytes);
    });
    if (now.gaps != base.gaps) // last, since they follow from all others
        causes.push_back({"gaps between allocations", {}, {}, static_cast<double>(now.gaps - base.gaps)});
    return causes;
}

} // namespace tilescope::analyse
