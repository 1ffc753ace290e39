// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/log.h"

namespace tilescope::run {

std::int64_t microseconds_since(WallClock::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(WallClock::now() - start).count();
}

void Log::add(profile::Severity level, const std::string& message) {
    recorder_.add(profile::LogRecord{microseconds_since(start_) / 1000, level, message});
}

void Log::close(const std::string& run, profile::RunStatus status) {
    using profile::RunStatus;
    using profile::Severity;
    const Severity level = status == RunStatus::Complete || status == RunStatus::Cancelled ? Severity::Info
                           : status == RunStatus::Diverged                                 ? Severity::Warning
                                                                                           : Severity::Error;
    add(level, "run of " + run + " ended: " + profile::words(status));
}

} // namespace tilescope::run
