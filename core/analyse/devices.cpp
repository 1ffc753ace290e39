// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/devices.h"

namespace tilescope::analyse {

profile::DeviceState device_state(const profile::DeviceRecord& device, const profile::RunRecord& run) {
    const bool held =
        device.state == profile::DeviceState::Attached && run.status != profile::RunStatus::Running;
    return held ? profile::DeviceState::Free : device.state;
}

} // namespace tilescope::analyse
