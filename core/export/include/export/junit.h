// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/budget.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::exports {

/// What was judged.
struct JunitSuite {
    std::string name;                 ///< the workload's
    std::string budget;               ///< the file
    std::string profile;              ///< the file
    std::int64_t started_unix_ms = 0; ///< of the run
    std::int64_t wall_ms = 0;         ///< that the run took on the host, compilation included
};

/// Verdicts on a budget as a JUnit test suite: one test case each, named by its figure and limit, no two
/// alike. A broken limit is a failure, with its likely cause; a run that did not complete is an error. The
/// time of the suite is the run's, wall time, and that of the case of its status; the limits take none.
/// Simulated figures stand in system-out.
std::string junit(const std::vector<analyse::Verdict>& verdicts, const JunitSuite& suite);

} // namespace tilescope::exports
