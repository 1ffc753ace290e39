// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::profile {

/// Metrics as far as they were read, those of executions thinned out: while a run grows, only what came since
/// is read.
struct KeptMetrics {
    struct Series {
        std::int64_t next = 0;                               ///< execution up to which it was read
        std::vector<std::pair<std::int64_t, double>> values; ///< by execution
    };
    struct Within {
        std::int64_t index = 0; ///< among those of its name
        MetricWithinRecord row;
    };
    std::int64_t most = 0;                     ///< for which it was thinned out
    std::map<std::string, Series> series;      ///< by metric
    std::int64_t last_row = 0;                 ///< of `metric_within`
    std::vector<Within> within;                ///< in order
    std::map<std::string, std::int64_t> count; ///< of these by name, with those that were not kept
    std::int64_t last_epoch_row = 0;           ///< of `epoch_metric`
    std::vector<EpochMetricRecord> epochs;
};

} // namespace tilescope::profile
