// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/budget.h"

#include <string>
#include <vector>

namespace tilescope::exports {

/// Verdicts on a budget as a JUnit test suite: one test case per limit.
std::string junit(const std::vector<analyse::Verdict>& verdicts, const std::string& suite);
/// The same as a Markdown table under a headline.
std::string markdown(const std::vector<analyse::Verdict>& verdicts, const std::string& title);

} // namespace tilescope::exports
