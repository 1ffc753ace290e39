// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "base/error.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// A figure of one profile.
struct HistoryEntry {
    std::string path;
    std::string workload; ///< its name
    std::string label;    ///< what it is of, as its user calls it; "": not told
    std::string tool_version;
    std::int64_t started_unix_ms = 0; ///< wall clock
    profile::RunStatus status = profile::RunStatus::Complete;
    std::optional<double> value;
    std::string why_absent; ///< where it has no value
    /// The entry before it of the same workload that has a value; none: it is the first.
    std::optional<std::size_t> before;
    bool changed = false; ///< from that one, by more than the tolerance
    std::string cause;    ///< what likely changed it, where it did
};

/// A figure over many profiles, the oldest first.
struct History {
    std::string metric;
    FigureUnit unit = FigureUnit::None;
    std::vector<HistoryEntry> entries;
    /// The first profile in which the figure changed; none: it never did.
    std::optional<std::size_t> first_change() const;
};

struct HistoryOptions {
    std::string metric = "timing.step_us"; ///< as limits of a budget name it; one figure
    std::string workload;                  ///< pattern of the names of workloads; "": of all
    double tolerance_percent = 0;          ///< changes up to this are none
};

/// Reads the figure from each profile, and compares those between which it changed. The value of a run that
/// did not complete is absent. Errors: BadInput for a file that is no profile, for a figure that none has
/// (with the nearest name), for a pattern that names several, and where no profile is of such a workload.
Result<History> read_history(const std::vector<std::string>& paths, const HistoryOptions& options);

/// Puts the oldest first, and fills in what each entry follows and whether the figure changed from that.
void mark_changes(History& history, double tolerance_percent);
/// What likely changed the figure from the entry before, which there must be. Errors: those of reading both.
Result<std::string> cause_of(const History& history, const HistoryEntry& entry);

/// {metric, unit, first_change, runs[{file, label, workload, started, tool_version, status, value, absent,
/// change_percent, changed, cause}]}; `first_change` is a position in `runs`.
nlohmann::ordered_json document(const History& history);

/// A label as tables have it: the hash of a commit in short.
std::string label_text(const std::string& label);

/// Wall clock time, milliseconds since 1970, in UTC: "2026-11-22 07:44:05"; "" for 0.
std::string date_text(std::int64_t unix_ms);

} // namespace tilescope::analyse
