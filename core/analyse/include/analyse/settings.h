// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"

namespace tilescope::analyse {

/// In what two runs differ before any figure is looked at: status, target, and every key of the workload.
std::vector<SettingDifference> setting_differences(const Summary& base, const Summary& now);

/// A side of a difference as a person writes it: "64", "1.33 GHz", "Grouped", "–" where it has none.
std::string setting_text(const std::string& json, const std::string& unit);

} // namespace tilescope::analyse
