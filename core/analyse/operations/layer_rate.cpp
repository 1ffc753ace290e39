// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/layer_rate.h"

namespace tilescope::analyse {

std::optional<double> flops_per_s(const LayerCost& layer, const profile::TargetRecord& target) {
    if (layer.cycles.compute == 0 || layer.flops == 0 || target.clock_hz == 0)
        return {};
    return static_cast<double>(layer.flops) / static_cast<double>(layer.cycles.compute) * target.clock_hz;
}

} // namespace tilescope::analyse
