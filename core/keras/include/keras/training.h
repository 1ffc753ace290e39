// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilescope::keras {

/// What `model.compile()` was told, as a model file keeps it (`training_config` of .h5, `compile_config` of
/// .keras), in the form of a workload's `compile`: optimizer, loss, from_logits, metrics. What a workload
/// cannot say stays as the file has it, and is refused by name where the workload is read.
nlohmann::json compile_settings(const std::string& training);

} // namespace tilescope::keras
