// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/spelling.h"

namespace tilescope {

/// What cycles of a plan go to.
enum class CostKind { Compute, Exchange, Sync };
constexpr auto spelling(CostKind) {
    return spelled("kind of cost", "compute", "exchange", "sync");
}

} // namespace tilescope
