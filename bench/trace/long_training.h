// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>

namespace tilescope::bench {

/// Estimates a training of a sample over at least so many steps, as `tilescope profile --estimate` does, and
/// writes its profile.
Result<void> estimate_training(const std::string& sample, std::int64_t steps, const std::string& path);

} // namespace tilescope::bench
