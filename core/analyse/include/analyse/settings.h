// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"

namespace tilescope::analyse {

/// What a run was asked for.
struct Setting {
    std::string key;  ///< of the workload file, or of the report: "fit.batch_size", "target.clock_hz"
    std::string name; ///< "batch"; the key itself where it has no shorter one
    FigureUnit unit = FigureUnit::None;
    std::string json; ///< its value
};
/// Every setting of a run and its target but the model or graph itself: what weighs most first.
std::vector<Setting> settings(const profile::RunRecord& run, const profile::TargetRecord& target);

/// In what two runs differ before any figure is looked at: status, target, and every key of the workload.
std::vector<SettingDifference> setting_differences(const Summary& base, const Summary& now);

/// A side of a difference as a person writes it: "64", "1.33 GHz", "Grouped", "–" where it has none.
std::string setting_text(const std::string& json, FigureUnit unit);

} // namespace tilescope::analyse
