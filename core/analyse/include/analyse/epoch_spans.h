// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/time_line.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::analyse {

/// An epoch of training, or what is evaluated or predicted at once, on the time line of the IPUs and on the
/// clock of the host that ran them.
struct EpochSpan {
    profile::ExecutionKind kind = profile::ExecutionKind::Train;
    std::int64_t epoch = 0;  ///< from 0 on; the first of them
    std::int64_t epochs = 1; ///< several, where each is too short to be told
    Range cycles{};
    std::int64_t executions = 0;
    std::int64_t steps = 0;
    /// Wall time of its engine runs, simulating among it; nullopt: it is not recorded, as of an estimate.
    std::optional<double> wall_us;
    bool mean = false; ///< wall time is known of equal epochs together only: this is their mean
};

/// Those within `range`, in order of time; epochs shorter than `shortest` cycles are told together.
std::vector<EpochSpan> epoch_spans(const std::vector<profile::ExecutionGroupRecord>& executions, Range range,
                                   std::int64_t shortest);

} // namespace tilescope::analyse
