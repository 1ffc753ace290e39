// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tilescope::analyse {

/// How a device stands. A run that has ended holds none any more.
profile::DeviceState device_state(const profile::DeviceRecord& device, const profile::RunRecord& run);

/// IPU time of several IPUs together.
profile::PhaseCycles sum_of(const std::vector<profile::PhaseCycles>& of_ipus);
/// The same by device. `of_ipus`: as `ipus`.
std::map<std::int64_t, profile::PhaseCycles>
cycles_by_device(const std::vector<profile::IpuRecord>& ipus,
                 const std::vector<profile::PhaseCycles>& of_ipus);

} // namespace tilescope::analyse
