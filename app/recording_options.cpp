// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ci_commit.h"

#include <cstdlib>

namespace tilescope::app {

std::string ci_commit() {
    for (const char* const name : {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"})
        if (const char* const commit = std::getenv(name); commit != nullptr && *commit != '\0')
            return commit;
    return {};
}

} // namespace tilescope::app
