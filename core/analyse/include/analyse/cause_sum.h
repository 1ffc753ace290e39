// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"

#include <optional>
#include <vector>

namespace tilescope::analyse {

/// Several causes together.
struct CauseSum {
    double amount = 0; ///< that they change
    double share = 0;  ///< of all causes added up, whichever way they pull
};
/// `amount`: cycles or bytes.
CauseSum sum_of(const std::vector<Cause>& causes, std::optional<double> Cause::*amount);

} // namespace tilescope::analyse
