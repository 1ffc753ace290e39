// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/run_list.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// Where more of a setting begins to give little more of a figure.
struct Knee {
    std::size_t at = 0; ///< place in SettingCurve::runs
    double share = 0; ///< of the figure at the last value that it has there; of times, turned over: at most 1
};

/// How a figure follows a setting that is a number.
struct SettingCurve {
    std::vector<std::size_t> runs; ///< the best one of each value, by value; none that does not fit
    /// nullopt: there is none, as where the figure grows evenly, or has its best within.
    std::optional<Knee> knee;
};

/// Of the runs of a workload. The knee is where the curve lies highest above the line from its first value to
/// its last (Satopää et al., "Finding a Kneedle in a Haystack", 2011), by a tenth of what is gained at least;
/// of four values and more. Values that are more than tenfold apart count by their logarithms.
SettingCurve setting_curve(const std::vector<RunEntry>& runs, const std::string& workload,
                           const std::string& setting, RunFigure figure);

} // namespace tilescope::analyse
