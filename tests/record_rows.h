// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/recorder.h"

#include <cstdint>
#include <vector>

namespace tilescope::tests {

/// Where the cycles of one execution went on one IPU.
struct ExecutionOnIpu {
    std::int64_t execution_id = 0;
    std::int64_t ipu = 0;
    std::int64_t compute = 0;
    std::int64_t exchange = 0;
    std::int64_t sync = 0;
    std::int64_t inter_ipu = 0;
    std::int64_t host = 0;
    std::int64_t waiting = 0;
};

/// Records executions that are told one by one, each with its phases on each IPU and the program steps in it.
/// All are of one device program. Where steps are of an execution that is not told, it goes from the first of
/// them to the last.
void record_rows(profile::Recorder& recorder, std::vector<profile::ExecutionRecord> executions,
                 const std::vector<ExecutionOnIpu>& phases,
                 const std::vector<profile::TraceRecord>& steps = {}, std::int64_t device_program = 0);

} // namespace tilescope::tests
