// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "base/error.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// One limit of a budget file. `metric` is a dotted path into the report's JSON document
/// ("memory.max_tile_bytes", "result.epochs.-1.metrics.accuracy"), or into its operations
/// ("operations.dense/MatMul.cycles"). An entry of a list is named by its position or its name, in which *
/// stands for any characters: the limit holds for each that it names ("layers.conv2d*.cycles").
struct Limit {
    std::string metric;
    std::string workload;                   ///< pattern of the names of the workloads it is for; "": of all
    std::optional<double> most;             ///< "max"
    std::optional<double> least;            ///< "min"
    std::optional<double> increase_percent; ///< "max_increase_percent": over the baseline
    std::optional<double> decrease_percent; ///< "max_decrease_percent": under the baseline
    std::string reason;                     ///< why there is this limit, or ""
};

/// "at most 65,536, at most 2 % more"
std::string bound_text(const Limit& limit);

/// How one limit came out, or whether the run is one that can be judged at all.
struct Verdict {
    std::string metric; ///< "run.status" where there is no limit
    FigureUnit unit = FigureUnit::None;
    std::optional<Limit> limit;               ///< none: the run must be complete
    std::optional<profile::RunStatus> status; ///< of the run, where there is no limit
    std::optional<double> value;              ///< none: absent from the profile
    std::optional<double> baseline;
    bool met = true;
    std::string detail; ///< "memory.max_tile_bytes is 70,000, more than 65,536"
    std::string reason; ///< in short why the run cannot be judged: "the run is cancelled"; "" where it can
    std::string cause;  ///< what likely broke it (`explain`); "" where nothing is known, or it is met
};

/// What relative limits compare with.
struct Baseline {
    const nlohmann::ordered_json& report; ///< document of its Summary
    const Comparison& comparison;         ///< of it (base) with the run that is judged (new)
};

/// {"limits": [{"metric": …, "max": …}, …]}. Errors: BadInput for syntax, unknown keys, a limit without a
/// bound.
Result<std::vector<Limit>> parse_budget(const std::string& text, const std::string& path);

/// Why a run is not one whose figures can be held against others: it ended early, diverged, did not give what
/// its workload expects, or its file holds a part of it; "" where it is complete. A sentence about `run`,
/// without its full stop.
std::string why_incomplete(std::optional<profile::RunStatus> status, const std::string& error,
                           const std::string& trimmed, const std::string& run = "the run");

/// Whether a limit is on operations, which `check` finds in key "operations" of the documents.
bool needs_operations(const std::vector<Limit>& limits);

/// First the verdict on the run's status: only a complete run can meet a budget. Then one for each limit on
/// the run's workload; a limit on a figure that is absent from the report, or a relative one on what the
/// baseline does not have or on a baseline that did not complete, is broken and says why. A layer or an
/// operation has the baseline's figure by what it is, whatever its name was there. `report`: document of a
/// Summary. Errors: BadInput for a metric that reports do not have (the nearest one), a relative limit
/// without a baseline, or a budget without a limit for the workload.
Result<std::vector<Verdict>> check(const std::vector<Limit>& limits, const nlohmann::ordered_json& report,
                                   const Baseline* baseline, const std::string& path);

/// Gives each broken limit its likely cause: what the change from the baseline is made of, where the figure
/// is another one there; else what the figure is mostly made of. Errors: those of reading the profile.
Result<void> explain(std::vector<Verdict>& verdicts, const profile::Profile& profile, const Summary& summary,
                     const Comparison* against);

/// A budget that a run just meets: exact limits on its step time and its memory, as JSON.
nlohmann::ordered_json budget_of(const nlohmann::ordered_json& report);

/// What benchmark dashboards take: [{"name": "timing.step_us", "unit": "us", "value": 184.2}, …], the figures
/// that were judged, without those that are absent.
nlohmann::ordered_json benchmark_list(const std::vector<Verdict>& verdicts);

/// "all 3 limits are met", "2 of 3 limits are broken", "the run is cancelled, 2 of 3 limits are broken".
std::string outcome(const std::vector<Verdict>& verdicts);

} // namespace tilescope::analyse
