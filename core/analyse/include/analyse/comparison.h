// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// One figure of two runs. A side that lacks it is nullopt.
struct Difference {
    std::string name;
    std::string unit; ///< "bytes", "cycles", "us", "samples/s", "s" or ""
    std::optional<double> base;
    std::optional<double> now;
    /// Wall time of the computer that compiled: equal runs differ in it, so it has no change.
    bool wall_time = false;
    std::optional<double> change() const;  ///< now - base
    std::optional<double> percent() const; ///< of the base; nullopt where the base is 0
};

/// A layer (or operation) in both runs, matched by name.
struct CostDifference {
    std::string name;
    Difference cycles;
    Difference memory;
};

/// What was asked for, or how it ended, in one run and not in the other.
struct SettingDifference {
    std::string key;  ///< of the workload file, or of the report: "fit.batch_size", "target.clock_hz"
    std::string name; ///< "batch"; the key itself where it has no shorter one
    std::string unit; ///< "bytes", "Hz" or ""
    std::string base; ///< JSON; "null" where the run has no such setting
    std::string now;
};

/// One side of a comparison.
struct ComparedRun {
    profile::RunStatus status = profile::RunStatus::Complete;
    std::string error;           ///< one line, where it failed
    std::vector<Absence> absent; ///< why figures are absent
};

struct Comparison {
    ComparedRun base;
    ComparedRun now;
    std::vector<SettingDifference> settings; ///< what weighs most first; empty: the runs are alike
    std::vector<Difference> headline;
    std::vector<CostDifference> layers; ///< largest change of cycles first
    std::vector<std::string> added_operations;
    std::vector<std::string> removed_operations;
};

Result<Comparison> compare(const profile::Profile& base, const profile::Profile& now);
/// The document of `compare --format json`.
nlohmann::ordered_json document(const Comparison& comparison);

} // namespace tilescope::analyse
