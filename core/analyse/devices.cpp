// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/devices.h"

namespace tilescope::analyse {

profile::DeviceState device_state(const profile::DeviceRecord& device, const profile::RunRecord& run) {
    const bool held =
        device.state == profile::DeviceState::Attached && run.status != profile::RunStatus::Running;
    return held ? profile::DeviceState::Free : device.state;
}

profile::PhaseCycles sum_of(const std::vector<profile::PhaseCycles>& of_ipus) {
    profile::PhaseCycles sum;
    for (const profile::PhaseCycles& cycles : of_ipus)
        sum += cycles;
    return sum;
}

std::map<std::int64_t, profile::PhaseCycles>
cycles_by_device(const std::vector<profile::IpuRecord>& ipus,
                 const std::vector<profile::PhaseCycles>& of_ipus) {
    std::map<std::int64_t, profile::PhaseCycles> by_device;
    for (std::size_t i = 0; i < ipus.size(); ++i)
        by_device[ipus[i].device_id] += of_ipus[i];
    return by_device;
}

} // namespace tilescope::analyse
