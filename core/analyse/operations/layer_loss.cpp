// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/layer_loss.h"

#include <algorithm>
#include <cmath>

namespace tilescope::analyse {

std::optional<std::int64_t> lost_by(const LayerCost& layer) {
    const std::int64_t cycles = layer.cycles.total();
    if (layer.flops == 0)
        return cycles;
    if (!layer.peak_share)
        return std::nullopt;
    return std::max<std::int64_t>(0, cycles - std::llround(*layer.peak_share * static_cast<double>(cycles)));
}

std::vector<LayerCost> by_loss(std::vector<LayerCost> layers) {
    std::stable_sort(layers.begin(), layers.end(), [](const LayerCost& a, const LayerCost& b) {
        return lost_by(a).value_or(-1) > lost_by(b).value_or(-1);
    });
    return layers;
}

} // namespace tilescope::analyse
