// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"
#include "ui/timeline/timeline_lane.h"

#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// What a time line needs to know of a file besides its slices: the names behind their ids.
class TraceTables {
  public:
    /// Reads everything that is small; `trace` rows are asked for by range later.
    static Result<TraceTables> read(const profile::Profile& file);

    struct Step { ///< a program step with its surroundings
        QString name;
        std::int64_t operation = -1;
        std::int64_t layer = -1;
        bool host = false;
        bool inter_ipu = false;
    };
    /// An id out of range (an untraced execution) is a step without name.
    const Step& step(std::int64_t program_id) const;
    QString operationName(std::int64_t id) const;
    std::int64_t layerOf(std::int64_t operation) const; ///< -1: none
    QString layerName(std::int64_t id) const;
    QString executionName(std::int64_t id) const;
    const profile::ExecutionRecord* execution(std::int64_t id) const;

    const profile::ExecutionIpuRecord* executionOnIpu(std::int64_t id,
                                                      std::int64_t ipu) const; ///< null: none

    double clock_hz = 0;
    std::pair<std::int64_t, std::int64_t> range; ///< cycles of the whole time line
    std::vector<profile::IpuRecord> ipus;
    std::vector<profile::ExecutionRecord> executions; ///< by id
    std::vector<profile::ExecutionIpuRecord> execution_ipus;

    /// What Profile::trace was asked for, and gave.
    struct Window {
        std::int64_t ipu = 0;
        std::int64_t from = 0;
        std::int64_t to = 0;
        std::int64_t resolution = 0;
        std::vector<profile::TraceSlice> slices;
    };
    /// Lanes of one IPU: execution, step, layer, operation, program step, phases. Neighbours that belong to
    /// the same step, layer or operation become one slice; the host's time before an execution's first
    /// program step is a slice of the phases.
    std::vector<TimelineLane> lanes(const Window& window) const;
    /// The strip over the whole time line, in at most `pieces` pieces.
    std::vector<OverviewPiece> overview(std::size_t pieces) const;
    /// Program steps whose own, operation's or layer's name contains `text` (case ignored), in program order.
    std::vector<std::int64_t> find(const QString& text) const;

  private:
    TimelineLane executionLane(const Window& window) const;
    TimelineLane phaseLane(const Window& window) const;
    TimelineSlice phaseSlice(const profile::TraceSlice& row) const;

    std::vector<Step> steps_;                                  // by program id
    std::vector<std::pair<QString, std::int64_t>> operations_; // name, layer; by operation id
    std::vector<QString> layers_;
    std::vector<bool> leaf_;
};

} // namespace tilescope::ui
