// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/spelling.h"

#include <string>
#include <vector>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::exports {

enum class ReportFormat { Text, Json, Markdown, Html };
constexpr auto spelling(ReportFormat) {
    return spelled("format of a report", "text", "json", "markdown", "html");
}

/// As they are spelled.
std::vector<std::string> report_formats();

/// What a profile says, as one document. `sections`: these alone; none: all that have something to say.
/// Errors: those of `profile`, and a section that there is not.
Result<std::string> report(const profile::Profile& profile, ReportFormat format,
                           const std::vector<std::string>& sections = {});

} // namespace tilescope::exports
