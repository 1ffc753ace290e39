// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::tests {

/// A run of which only the headline is told: one IPU of two tiles of 1,000 bytes at 1 GHz, one execution of
/// ten steps.
struct ToldRun {
    std::string workload = "cnn";
    std::int64_t batch = 10;
    std::int64_t cycles = 20000; ///< of the execution: 2 us a step
    std::int64_t bytes = 600;    ///< of the fullest tile, gaps included
    std::int64_t started_unix_ms = 1000000;
    profile::RunStatus status = profile::RunStatus::Complete;
    std::string label = {};
    std::vector<profile::EpochMetricRecord> metrics = {};
};
Result<void> record_run(const std::string& path, const ToldRun& told);

} // namespace tilescope::tests
