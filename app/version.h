// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilescope::app {

/// Of the build: "0.1.0" of a release, "0.1.0+1a2b3c4d5e" of a commit, with ".dirty" where files differ from
/// it.
extern const char* const version;

} // namespace tilescope::app
