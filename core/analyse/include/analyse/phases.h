// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <array>

namespace tilescope::analyse {

struct NamedPhase {
    const char* name;
    std::int64_t profile::PhaseCycles::*cycles;
};

/// What a device's time is made of, in the order in which it is told; together they are all of it.
inline constexpr std::array<NamedPhase, 6> phases{{{"compute", &profile::PhaseCycles::compute},
                                                   {"exchange", &profile::PhaseCycles::exchange},
                                                   {"inter-IPU", &profile::PhaseCycles::inter_ipu},
                                                   {"sync", &profile::PhaseCycles::sync},
                                                   {"host", &profile::PhaseCycles::host},
                                                   {"waiting", &profile::PhaseCycles::waiting}}};

} // namespace tilescope::analyse
