// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <string>
#include <vector>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::exports {

inline const std::vector<std::string> report_formats{"text", "json", "markdown", "html"};

/// What a profile says, as one document. `sections`: these alone; none: all that have something to say.
/// Errors: those of `profile`, and a section that there is not.
Result<std::string> report(const profile::Profile& profile, const std::string& format,
                           const std::vector<std::string>& sections = {});

} // namespace tilescope::exports
