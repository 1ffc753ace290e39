// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/matching.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// A layer that two runs have on other IPUs of their first replica.
struct MovedLayer {
    std::int64_t id = -1;           ///< in the new run
    std::string name;               ///< there
    std::vector<std::int64_t> from; ///< IPUs of the base, in order
    std::vector<std::int64_t> to;
};

/// Layers of both runs whose operations lie on other IPUs than in the base, in the new run's order.
std::vector<MovedLayer> moved_layers(const Parts& base, const Parts& now, const Matching& matching);

/// "IPU 2 → 1", "IPU 2 → 0, 1"
std::string move_text(const MovedLayer& layer);

} // namespace tilescope::analyse
