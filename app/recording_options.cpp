// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recording_options.h"

#include <cstdlib>

namespace tilescope::app {
namespace {

/// The commit that a CI service names in the environment: GITHUB_SHA (GitHub Actions), CI_COMMIT_SHA (GitLab)
/// or GIT_COMMIT (Jenkins); "" where there is none.
std::string ci_commit() {
    for (const char* const name : {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"})
        if (const char* const commit = std::getenv(name); commit != nullptr && *commit != '\0')
            return commit;
    return {};
}

} // namespace

void add_recording_options(CLI::App& command, RecordingOptions& options) {
    options.label = ci_commit();
    command.add_flag("--overwrite", options.overwrite,
                     "Drop an older profile of this name at once, not when this run is complete");
    command
        .add_option(
            "--label", options.label,
            "What the run is of, for histories: a commit, a branch (default: the commit that CI names)")
        ->type_name("TEXT");
    command.add_option("--cache", options.cache, "Keep executables in DIR and use them again")
        ->type_name("DIR");
}

} // namespace tilescope::app
