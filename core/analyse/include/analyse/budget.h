// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// One limit of a budget file. `metric` is a dotted path into the report's JSON document
/// ("memory.max_tile_bytes", "result.epochs.-1.metrics.accuracy").
struct Limit {
    std::string metric;
    std::optional<double> most;             ///< "max"
    std::optional<double> least;            ///< "min"
    std::optional<double> increase_percent; ///< "max_increase_percent": over the baseline
    std::optional<double> decrease_percent; ///< "max_decrease_percent": under the baseline
};

/// How one limit came out.
struct Verdict {
    Limit limit;
    double value = 0;
    std::optional<double> baseline;
    bool met = true;
    std::string detail; ///< "memory.max_tile_bytes is 70,000, more than 65,536"
};

/// {"limits": [{"metric": …, "max": …}, …]}. Errors: BadInput for syntax, unknown keys, a limit without a
/// bound.
Result<std::vector<Limit>> parse_budget(const std::string& text, const std::string& path);

/// Errors: BadInput for a metric that the report does not have (the nearest one), or a relative limit
/// without a baseline.
Result<std::vector<Verdict>> check(const std::vector<Limit>& limits, const nlohmann::ordered_json& report,
                                   const nlohmann::ordered_json* baseline, const std::string& path);

} // namespace tilescope::analyse
