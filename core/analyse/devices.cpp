// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/devices.h"

namespace tilescope::analyse {

std::string device_state(const profile::DeviceRecord& device, const profile::RunRecord& run) {
    const bool held = device.state == "attached" && run.status != profile::RunStatus::Running;
    return held ? "free" : device.state;
}

} // namespace tilescope::analyse
