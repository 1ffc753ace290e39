// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/json_reader.h"
#include "workload/workload.h"

namespace tilescope::workload {

/// A path that a workload names, from the folder of its file on; "" where it names none.
std::string beside(const formats::Reading& reading, const std::string& name);

/// Reads `model` or `graph`: the model's text, how it was compiled, where its weights are, and its shards.
/// Problems, those of the model's file too, are left in `reading`.
void read_model(formats::ObjectReader& root, formats::Reading& reading, Workload& workload);

/// Reads where the optimiser's state lives, as `pipeline` and gradient accumulation in `compile` may say.
void read_state_places(formats::ObjectReader& reader, Workload& workload);

/// The recomputation mode as IPU TensorFlow names it.
const char* recomputation_mode(bool piecewise);

/// Reads `pipeline`: the schedule, the stages of the model, which has been read, and their IPUs.
void read_pipeline(const formats::Json& object, formats::Reading& reading, Workload& workload);

} // namespace tilescope::workload
