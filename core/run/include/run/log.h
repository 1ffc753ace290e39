// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/recorder.h"

#include <chrono>
#include <string>

namespace tilescope::run {

using WallClock = std::chrono::steady_clock;
std::int64_t microseconds_since(WallClock::time_point start);

/// The log of a run in its profile: each line with the wall time since the run started.
class Log {
  public:
    explicit Log(profile::Recorder& recorder, WallClock::time_point start = WallClock::now())
        : recorder_(recorder), start_(start) {}

    WallClock::time_point start() const { return start_; }
    void add(profile::Severity level, const std::string& message);
    /// The last line: how the run of that name ended.
    void close(const std::string& run, profile::RunStatus status);

  private:
    profile::Recorder& recorder_;
    WallClock::time_point start_;
};

} // namespace tilescope::run
