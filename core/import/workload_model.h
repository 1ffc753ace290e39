// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "import/json_reader.h"
#include "import/workload.h"

namespace tilescope::import {

/// Reads `model` or `graph`: the model's text, how it was compiled, where its weights are, and its shards.
/// Problems, those of the model's file too, are left in `reading`.
void read_model(ObjectReader& root, Reading& reading, Workload& workload);

/// Reads `pipeline`: the schedule, the stages of the model, which has been read, and their IPUs.
void read_pipeline(const Json& object, Reading& reading, Workload& workload);

} // namespace tilescope::import
