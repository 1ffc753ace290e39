// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/history.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace tilescope::analyse {
namespace {

/// Which of these values of one workload are changes, in order.
std::vector<bool> changes(const std::vector<double>& values, double tolerance_percent) {
    History history;
    for (const double value : values) {
        HistoryEntry entry;
        entry.started_unix_ms = static_cast<std::int64_t>(history.entries.size());
        entry.value = value;
        history.entries.push_back(entry);
    }
    mark_changes(history, tolerance_percent);
    std::vector<bool> changed;
    for (const HistoryEntry& entry : history.entries)
        changed.push_back(entry.changed);
    return changed;
}

TEST(History, ToAndFromWhatIsNoNumberIsAChange) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const std::vector<double> values = {1, nan, nan, 1, infinite, infinite, 1};
    EXPECT_EQ(changes(values, 5), (std::vector<bool>{false, true, false, true, true, false, true}));
}

TEST(History, AChangeIsMoreThanTheTolerance) {
    EXPECT_EQ(changes({100, 105, 99}, 5), (std::vector<bool>{false, false, true}));
}

} // namespace
} // namespace tilescope::analyse
