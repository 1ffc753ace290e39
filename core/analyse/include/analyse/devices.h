// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <string>

namespace tilescope::analyse {

/// How a device stands. A run that has ended holds none any more.
profile::DeviceState device_state(const profile::DeviceRecord& device, const profile::RunRecord& run);

} // namespace tilescope::analyse
