// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tilescope::profile {

/// Gives blocks and schedules their ids, the same to equal ones: each distinct one is written once.
class ScheduleBook {
  public:
    /// The id, and whether the block is new; then its parts have their `block_id` and `position`.
    std::pair<std::int64_t, bool> add(std::vector<BlockPartRecord>& parts);
    /// The same for a schedule of a device program: where the cycles go on each IPU, and its rounds.
    std::pair<std::int64_t, bool> add(std::vector<ScheduleIpuRecord>& ipus,
                                      std::vector<ScheduleRoundRecord>& rounds,
                                      std::int64_t device_program_id = 0, ScheduleOfIo* io = nullptr);

  private:
    using Schedule = std::tuple<std::int64_t, std::vector<ScheduleIpuRecord>,
                                std::vector<ScheduleRoundRecord>, ScheduleOfIo>;
    std::map<std::vector<BlockPartRecord>, std::int64_t> blocks_; ///< by their parts without ids
    std::map<Schedule, std::int64_t> schedules_;
};

/// Adds executions one by one; those that go on as the ones before them become one group.
class ExecutionGrouping {
  public:
    /// The group that `execution` does not belong to any more, where it begins a new one.
    std::optional<ExecutionGroupRecord> add(const ExecutionRecord& execution);
    /// A group of its own; the same.
    std::optional<ExecutionGroupRecord> add(const ExecutionGroupRecord& group);
    /// The last one where it has changed since the last call.
    std::optional<ExecutionGroupRecord> changed();

  private:
    bool extend(const ExecutionRecord& execution);
    std::optional<ExecutionGroupRecord> last_;
    bool changed_ = false;
};

} // namespace tilescope::profile
