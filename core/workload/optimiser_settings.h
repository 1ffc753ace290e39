// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/json_reader.h"
#include "workload/workload.h"

namespace tilescope::workload {

/// Reads "compile.optimizer": a name, or an object of settings whose learning rate may be a schedule.
/// Problems are kept in `reading`.
void read_optimiser(const formats::Json& json, formats::Reading& reading, Workload& workload);

/// The same with every default filled in.
formats::Json optimiser_json(const Workload& workload);

} // namespace tilescope::workload
