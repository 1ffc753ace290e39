// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope::app {

/// The commit that a CI service names in the environment: GITHUB_SHA (GitHub Actions), CI_COMMIT_SHA (GitLab)
/// or GIT_COMMIT (Jenkins); "" where there is none.
std::string ci_commit();

} // namespace tilescope::app
