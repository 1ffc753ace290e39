// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::analyse {

/// Something worth knowing about a run, computed from its profile.
struct Insight {
    std::string code;     ///< stable: "host_bound"
    std::string severity; ///< "info", "warning", "error"
    std::string title;
    std::string detail; ///< with the numbers
};

struct EpochResult {
    std::int64_t epoch = 0;                              ///< 1-based, as it is shown
    std::vector<std::pair<std::string, double>> metrics; ///< "loss" first
};

/// What one layer costs in a step and holds in memory. Operations of no layer are one row without a name.
struct LayerCost {
    std::string name;
    std::string kind;
    std::int64_t parameters = 0;
    std::int64_t sync = 0, exchange = 0, compute = 0; ///< cycles of one step
    std::int64_t flops = 0;                           ///< of one step
    std::int64_t memory_bytes = 0;                    ///< of its variables, over all tiles
    std::int64_t cycles() const { return sync + exchange + compute; }
};

struct IpuSummary {
    std::int64_t id = 0, replica = 0, stage = -1;
    double utilisation = 0; ///< compute cycles / all cycles
    std::int64_t memory_bytes = 0;
};

/// The headline figures of a run: everything that the report shows.
struct Summary {
    profile::RunRecord run;
    profile::TargetRecord target;
    std::vector<profile::OutputRecord> outputs;
    std::vector<EpochResult> epochs;
    std::vector<std::pair<std::string, double>> evaluation;

    std::int64_t cycles_total = 0;
    std::int64_t executions = 0; ///< engine runs of the main kind: training, or else what there is
    std::int64_t steps = 0;
    double step_us = 0; ///< simulated; wall time where the device is the host
    double samples_per_s = 0;
    profile::PhaseCycles by_phase; ///< of those engine runs

    std::int64_t total_bytes = 0; ///< sum over tiles of the most live at once
    std::int64_t total_bytes_with_gaps = 0;
    std::int64_t max_tile_bytes = 0; ///< the most live at once on one tile
    std::int64_t max_tile = 0;
    std::int64_t highest_tile_bytes = 0; ///< the highest end of a tile's allocations, gaps included
    std::int64_t highest_tile = 0;
    std::int64_t always_live_bytes = 0;
    std::vector<profile::CategoryBytes> categories; ///< at each tile's own peak step
    std::vector<IpuSummary> ipus;
    std::vector<LayerCost> layers;
    std::vector<Insight> insights;
};

Result<Summary> summarise(const profile::Profile& profile);

/// The document of `report --format json`; its keys are stable.
nlohmann::ordered_json document(const Summary& summary);

/// The insights alone, from figures that are known already.
Result<std::vector<Insight>> find_insights(const profile::Profile& profile, const Summary& summary);

} // namespace tilescope::analyse
