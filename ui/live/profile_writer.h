// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

namespace tilescope::ui {

/// Whether process `pid` of this machine is known to write the profile: it has the profile's lock open
/// (/proc/PID/fd, proc(5)), which a process that only happens to have the same number has not.
bool writesProfile(const QString& profile_path, std::int64_t pid);

/// Asks the writer to end cleanly (SIGINT), which leaves a profile of status cancelled. False: it is not
/// certain that the process is the writer, or it may not be asked.
bool interruptWriter(const QString& profile_path, std::int64_t pid);

} // namespace tilescope::ui
