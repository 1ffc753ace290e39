// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

namespace tilescope::ui {

/// Whether the process that a profile names still writes it. It has the file open: a process that only
/// happens to have the same number has not.
enum class Writer {
    Writing,
    Gone,   ///< no such process, or another one by now
    Unknown ///< a process of that number exists, but its files may not be looked at
};
/// By /proc/PID/fd (proc(5)).
Writer writerOf(const QString& profile_path, std::int64_t pid);

/// Asks the writer to end cleanly (SIGINT), which leaves a profile of status cancelled. False: it is not
/// certain that the process is the writer, or it may not be asked.
bool interruptWriter(const QString& profile_path, std::int64_t pid);

} // namespace tilescope::ui
