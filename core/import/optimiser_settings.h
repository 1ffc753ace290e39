// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "import/json_reader.h"
#include "import/workload.h"

namespace tilescope::import {

/// Reads "compile.optimizer": a name, or an object of settings whose learning rate may be a schedule.
/// Problems are kept in `reading`.
void read_optimiser(const Json& json, Reading& reading, Workload& workload);

/// The same with every default filled in.
Json optimiser_json(const Workload& workload);

} // namespace tilescope::import
