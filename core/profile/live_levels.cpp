// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/live_levels.h"

#include <algorithm>

namespace tilescope::profile {

void LiveSums::add(const VariableRecord& variable, std::int64_t bytes) {
    changes_[variable.always_live ? 0 : variable.live_from] += bytes;
    if (!variable.always_live)
        changes_[variable.live_to + 1] -= bytes;
}

std::vector<LiveLevel> LiveSums::levels() const {
    std::vector<LiveLevel> levels;
    std::int64_t live = 0;
    for (const auto& [step, change] : changes_) {
        live += change;
        if (change != 0 || levels.empty())
            levels.push_back({step, live});
    }
    return levels;
}

LiveLevel LiveSums::peak() const {
    const std::vector<LiveLevel> all = levels();
    return *std::max_element(all.begin(), all.end(),
                             [](const LiveLevel& a, const LiveLevel& b) { return a.bytes < b.bytes; });
}

bool live_at(const VariableRecord& variable, std::int64_t step) {
    return variable.always_live || (variable.live_from <= step && step <= variable.live_to);
}

} // namespace tilescope::profile
