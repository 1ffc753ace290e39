// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/json_reader.h"
#include "workload/workload.h"

namespace tilescope::workload {

/// Reads "ipu_config": one configuration, or a list of them of which each resets those before it. Wants
/// `workload.system` read. Problems are kept in `reading`.
void read_ipu_config(const formats::Json& config, formats::Reading& reading, Workload& workload);

/// The configuration that applies, with every default filled in.
formats::Json ipu_config_json(const Workload& workload);

} // namespace tilescope::workload
