// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training.h"

#include <string>

namespace tilescope::bench {

/// The same trainings in onnxruntime, a process of its own (onnxruntime.mjs). `settings`: members of a JSON
/// object. nullptr where node or the package `onnxruntime-node` is not there; `missing` says which.
std::unique_ptr<Training> onnxruntime(const std::string& settings, const FirstValues& first,
                                      const std::vector<Batch>& batches, const DropoutSettings& dropout,
                                      std::string& missing);

} // namespace tilescope::bench
