// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/progress.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::run {

/// Follows a run, for progress bars. This one watches nothing.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual void compiling(const std::string& /*program*/, const std::string& /*pass*/,
                           std::size_t /*number*/, std::size_t /*count*/) {}
    virtual void within_pass(const compile::WorkDone& /*progress*/) {}
    /// The program is compiled, and recorded.
    virtual void compiled(const std::string& /*program*/) {}
    virtual void epoch_started(std::int64_t /*epoch*/, std::int64_t /*epochs*/, std::int64_t /*steps*/) {}
    /// Means over the epoch so far; `device_us` is the simulated time of one step.
    virtual void steps_done(std::int64_t /*done*/, std::int64_t /*steps*/, double /*device_us*/,
                            const std::vector<std::pair<std::string, double>>& /*metrics*/) {}
    virtual void epoch_ended() {}
    virtual void evaluated(const std::vector<std::pair<std::string, double>>& /*metrics*/) {}
    virtual void note(const std::string& /*level*/, const std::string& /*message*/) {}
};

} // namespace tilescope::run
