// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <string>

namespace tilescope::profile {

/// Whether a run may be written as `path` now, which Recorder::create asks as well. Errors: as its.
Result<void> check_output(const std::string& path);

} // namespace tilescope::profile
