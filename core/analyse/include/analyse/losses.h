// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope::analyse {

/// The loss of the model, or of one of its outputs; others are metrics.
inline bool is_loss(const std::string& name) {
    return name == "loss" || name.ends_with("_loss");
}

} // namespace tilescope::analyse
