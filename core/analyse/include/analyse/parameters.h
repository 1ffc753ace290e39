// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace tilescope::analyse {

/// Of all layers of a model, trained and not. `layers`: LayerRecords, or LayerCosts.
inline std::int64_t parameters_of(const auto& layers) {
    std::int64_t parameters = 0;
    for (const auto& layer : layers)
        parameters += layer.parameters;
    return parameters;
}

} // namespace tilescope::analyse
