// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tilescope::compile {

/// What is done to the parts of a program, one after the other.
enum class Work { Plan, Lower, Place, Record };

/// "planning".
inline const char* verb(Work work) {
    switch (work) {
    case Work::Plan:
        return "planning";
    case Work::Lower:
        return "lowering";
    case Work::Place:
        return "placing";
    case Work::Record:
        break;
    }
    return "recording";
}

/// How far the work within a pass, or within the recording of a program, has come.
struct WorkDone {
    Work work = Work::Plan;
    std::string part; ///< that it is at: "conv2d_1/Conv2D", "variables of IPU 3"
    std::size_t done = 0;
    std::size_t count = 0;
};

/// Called by one thread at a time.
using WithinPass = std::function<void(const WorkDone& progress)>;

} // namespace tilescope::compile
