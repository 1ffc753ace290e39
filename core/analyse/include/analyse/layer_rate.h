// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <optional>

namespace tilescope::analyse {

/// Floating-point operations a second of a layer while it computes, of one IPU where several run it; nullopt
/// where it does none.
std::optional<double> flops_per_s(const LayerCost& layer, const profile::TargetRecord& target);

} // namespace tilescope::analyse
