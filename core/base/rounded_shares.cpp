// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/rounded_shares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace tilescope {

std::vector<std::string> rounded_shares(const std::vector<std::int64_t>& parts) {
    constexpr std::int64_t tenths = 1000;
    std::vector<std::string> texts(parts.size());
    const auto whole = static_cast<double>(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}));
    if (whole <= 0)
        return texts;
    std::vector<std::int64_t> rounded;
    std::vector<std::pair<double, std::size_t>> rests; // what was cut off
    std::int64_t left = tenths;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double exact = static_cast<double>(parts[i]) / whole * static_cast<double>(tenths);
        rounded.push_back(static_cast<std::int64_t>(exact));
        rests.emplace_back(exact - std::floor(exact), i);
        left -= rounded.back();
    }
    std::stable_sort(rests.begin(), rests.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < rests.size() && left > 0; ++i, --left)
        ++rounded[rests[i].second];
    for (std::size_t i = 0; i < parts.size(); ++i)
        texts[i] = std::to_string(rounded[i] / 10) + "." + std::to_string(rounded[i] % 10) + " %";
    return texts;
}

} // namespace tilescope
