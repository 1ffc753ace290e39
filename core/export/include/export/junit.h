// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/budget.h"

#include <string>
#include <vector>

namespace tilescope::exports {

/// Verdicts on a budget as a JUnit test suite: one test case each. A broken limit is a failure; a run that
/// did not complete is an error.
std::string junit(const std::vector<analyse::Verdict>& verdicts, const std::string& suite);

} // namespace tilescope::exports
