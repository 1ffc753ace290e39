// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/setting_curve.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilescope::analyse {
namespace {

constexpr std::size_t least_values = 4;
constexpr double far_apart = 10;
constexpr double least_height = 0.1; ///< of what is gained from the first value to the last

/// `values` and `gains` by value, the last the best.
std::optional<std::size_t> knee_of(std::vector<double> values, const std::vector<double>& gains) {
    if (values.size() < least_values || gains.back() <= gains.front() ||
        *std::max_element(gains.begin(), gains.end()) > gains.back())
        return {};
    if (values.front() > 0 && values.back() > far_apart * values.front())
        for (double& value : values)
            value = std::log(value);
    std::size_t knee = 0;
    double highest = least_height;
    for (std::size_t i = 1; i + 1 < values.size(); ++i) {
        const double along = (values[i] - values.front()) / (values.back() - values.front());
        const double up = (gains[i] - gains.front()) / (gains.back() - gains.front());
        if (up - along >= highest) {
            highest = up - along;
            knee = i;
        }
    }
    return knee > 0 ? std::optional(knee) : std::nullopt;
}

} // namespace

SettingCurve setting_curve(const std::vector<RunEntry>& runs, const std::string& workload,
                           const std::string& setting, RunFigure figure) {
    const double sign = more_is_better(figure) ? 1 : -1;
    std::map<double, std::size_t> best; // by value of the setting
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto value = runs[i].number(setting);
        if (runs[i].workload != workload || !value || !runs[i][figure] || runs[i].fit == Fit::DoesNotFit)
            continue;
        const auto [found, fresh] = best.try_emplace(*value, i);
        if (!fresh && sign * *runs[i][figure] > sign * *runs[found->second][figure])
            found->second = i;
    }
    SettingCurve curve;
    std::vector<double> values, gains;
    for (const auto& [value, run] : best) {
        curve.runs.push_back(run);
        values.push_back(value);
        gains.push_back(sign * *runs[run][figure]);
    }
    if (const auto at = knee_of(std::move(values), gains)) {
        const double there = *runs[curve.runs[*at]][figure], last = *runs[curve.runs.back()][figure];
        curve.knee = Knee{*at, more_is_better(figure) ? there / last : last / there};
    }
    return curve;
}

} // namespace tilescope::analyse
