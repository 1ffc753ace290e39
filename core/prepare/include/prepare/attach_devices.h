// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "ipu/system.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace tilescope::prepare {

/// The system of a workload, with the streaming memory that it gives its machines. Errors: BadInput for an
/// unknown name, and for streaming memory of a system that has none.
Result<ipu::System> system_of(const workload::Workload& workload);

/// The devices of the system that /device:IPU:0, 1, … attach to: those selected by id, or for each number of
/// IPUs the first of that size with no IPU that others or an earlier device have. Errors: BadInput for an
/// unknown or busy id (naming the busy IPU), a number of IPUs that no device has (with the nearest that one
/// has), and where none of that size is free.
Result<std::vector<ipu::Device>> attach_devices(const workload::Workload& workload,
                                                const ipu::System& system);

/// "/device:IPU:1".
std::string virtual_name(std::int64_t index);

/// What IPU TensorFlow logs of an attachment (compiler/plugin/poplar/driver/poplar_executor.cc).
std::string attach_message(std::size_t virtual_device, const ipu::Device& device);

} // namespace tilescope::prepare
