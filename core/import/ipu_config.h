// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "import/json_reader.h"
#include "import/workload.h"

namespace tilescope::import {

/// Reads "ipu_config": one configuration, or a list of them of which each resets those before it. Wants
/// `workload.system` read. Problems are kept in `reading`.
void read_ipu_config(const Json& config, Reading& reading, Workload& workload);

/// The configuration that applies, with every default filled in.
Json ipu_config_json(const Workload& workload);

} // namespace tilescope::import
