// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_lane.h"
#include "ui/trace/trace_tables.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// The way of one micro-batch through the stages of one replica, in one weight update of the time line, with
/// one of its passes chosen.
class MicroBatchFlow {
  public:
    /// That of a slice of the lane of micro-batches; of a copy, or waiting, its pass before it. nullopt: it
    /// is of no micro-batch.
    static std::optional<MicroBatchFlow> through(const TraceTables& tables, std::int64_t ipu,
                                                 const TimelineSlice& slice);
    /// That of the pass during which an engine run is at a cycle on an IPU. nullopt: it is in none.
    static std::optional<MicroBatchFlow> during(const TraceTables& tables, std::int64_t ipu,
                                                std::int64_t execution, std::int64_t cycle);
    /// The pass of a micro-batch of a device program on an IPU in the first weight update in which it begins
    /// at `cycle` or later, else in the last one. nullopt: there is no such pass, or nothing was run.
    static std::optional<MicroBatchFlow> of(const TraceTables& tables, std::int64_t program, std::int64_t ipu,
                                            std::int64_t micro_batch, analyse::PipelineActivity pass,
                                            double cycle);

    std::int64_t ipu() const { return ipuOf(at_); } ///< of the chosen pass
    std::int64_t microBatch() const { return passes_[at_].micro_batch; }
    analyse::PipelineActivity pass() const { return passes_[at_].activity; }
    TimelineSlice slice() const { return slice(at_); } ///< of the chosen pass
    std::int64_t begin() const { return begin_; }      ///< cycle of its weight update
    bool step(int direction);                          ///< to the next or previous one; false: there is none
    const std::vector<profile::PipelineSlotRecord>& passes() const { return passes_; }
    std::size_t chosen() const { return at_; } ///< of passes()
    std::int64_t ipuOf(std::size_t pass) const { return ipu_of_stage_.at(passes_[pass].stage); }
    TimelineSlice slice(std::size_t pass) const;
    std::vector<TimelineFlow> arrows() const;

  private:
    MicroBatchFlow(const TraceTables& tables, std::int64_t program, std::int64_t ipu,
                   std::int64_t micro_batch);

    std::vector<profile::PipelineSlotRecord> passes_;
    std::map<std::int64_t, std::int64_t> ipu_of_stage_; ///< of the replica
    std::int64_t begin_ = 0;                            ///< of the weight update
    std::int64_t execution_ = -1;
    std::int64_t update_ = -1;
    std::size_t at_ = 0;
};

} // namespace tilescope::ui
