// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <map>

namespace tilescope::analyse {

/// Bytes of variables, over all tiles, as far as they are memory: those of variables that never live together
/// are not added up.
struct LiveBytes {
    std::int64_t always = 0;  ///< live during the whole run
    std::int64_t at_peak = 0; ///< live at the program step at which their IPU holds most, `always` included
    LiveBytes& operator+=(const LiveBytes& other);
    bool operator==(const LiveBytes&) const = default;
};

/// By what the variables belong to; -1: to none.
struct LiveVariables {
    std::map<std::int64_t, LiveBytes> by_layer;
    std::map<std::int64_t, LiveBytes> by_operation; ///< that makes them
    std::map<std::int64_t, LiveBytes> by_tensor;    ///< that they hold
    LiveBytes all;
};

/// Of an IPU of the run; -1: of all those of one replica.
Result<LiveVariables> live_variables(const profile::Profile& profile, std::int64_t ipu = -1);

} // namespace tilescope::analyse
