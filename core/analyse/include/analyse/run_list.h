// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/figures.h"
#include "analyse/headline.h"
#include "analyse/history.h"
#include "analyse/settings.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// A figure by which one run is chosen among many.
enum class RunFigure { StepTime, Throughput, FullestTile, Compilation };
inline constexpr std::array run_figures = {RunFigure::StepTime, RunFigure::Throughput, RunFigure::FullestTile,
                                           RunFigure::Compilation};
const Figure& figure(RunFigure of); ///< its name, key and unit
bool more_is_better(RunFigure of);

/// A profile among many: what was asked for, and what came of it.
struct RunEntry {
    std::string path;
    std::string workload; ///< its name
    std::string label;    ///< what it is of, as its user calls it; "": not told
    profile::RunStatus status = profile::RunStatus::Complete;
    bool estimate = false;
    std::int64_t started_unix_ms = 0; ///< wall clock
    Fit fit = Fit::Unknown;
    std::optional<double> tile_share; ///< of its memory that the fullest tile takes, gaps included
    std::array<std::optional<double>, run_figures.size()> figures; ///< absent where they were not measured
    std::vector<Setting> settings;
    std::string error; ///< one line, where the file cannot be read: then there is only its path

    const std::optional<double>& operator[](RunFigure of) const {
        return figures[static_cast<std::size_t>(of)];
    }
    const Setting* setting(const std::string& key) const; ///< null where it has none of that key
    /// The value of a setting that is a number.
    std::optional<double> number(const std::string& key) const;
};

/// Reads the head of a profile and its tiles' bytes. A run that ended before its end has no figures of time.
RunEntry read_run(const std::string& path);

/// The profiles in a folder and in the folders below it, by path; those that may not be entered are left out.
/// `go_on`: asked between files; none any more once it says no.
std::vector<std::string> profiles_below(const std::string& folder, const std::function<bool()>& go_on = {});

/// The settings of which not all runs have the same value, what weighs most first. `json` is not filled.
std::vector<Setting> differing_settings(const std::vector<RunEntry>& runs);

/// What was asked for of one run and not of the other, or otherwise: what weighs most first.
std::vector<SettingDifference> setting_differences(const RunEntry& base, const RunEntry& now);

/// The newest run of the same workload that was recorded before it, of those that can be read; nullopt: none
/// was.
std::optional<std::size_t> run_before(const std::vector<RunEntry>& runs, std::size_t run);

/// Losses and metrics of a profile. Errors: those of reading it.
Result<RunResults> read_results(const std::string& path);

/// A figure of the runs that can be read, the oldest first, with its changes but not their causes.
History history_of(const std::vector<RunEntry>& runs, RunFigure of, double tolerance_percent = 0);

/// The runs of a workload that no other run of it beats in both figures, by `x`; those without one of them,
/// and those that do not fit, are none.
std::vector<std::size_t> best_runs(const std::vector<RunEntry>& runs, const std::string& workload,
                                   RunFigure x, RunFigure y);

} // namespace tilescope::analyse
