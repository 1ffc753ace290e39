// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/command_fixture.h"

namespace tilescope::tests {

/// The warning that digits stand in for a data set, where an outcome has it: a run that ends at once has not.
inline std::vector<std::string> digits_stand_in(const Outcome& outcome) {
    const std::string warning = "built-in synthetic digits stand in for";
    return holds(outcome.err, warning) ? std::vector{warning} : std::vector<std::string>{};
}

} // namespace tilescope::tests
