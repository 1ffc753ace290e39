// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/roofline.h"

#include <algorithm>

namespace tilescope::analyse {

double Roofline::roof(double flops_per_byte, double flops_per_cycle) const {
    return std::min(flops_per_cycle, flops_per_byte * exchange_bytes_per_cycle);
}

std::optional<Roofline> roofline(const profile::TargetRecord& target,
                                 const std::vector<OperationFigures>& operations) {
    if (!target.half_flops_per_cycle || !target.float_flops_per_cycle || !target.exchange_bytes_per_cycle)
        return std::nullopt;
    const auto of_ipu = [&](std::int64_t of_tile) {
        return static_cast<double>(of_tile) * static_cast<double>(target.tiles_per_ipu);
    };
    Roofline roofline{of_ipu(*target.half_flops_per_cycle),
                      of_ipu(*target.float_flops_per_cycle),
                      of_ipu(*target.exchange_bytes_per_cycle),
                      {}};
    for (const OperationFigures& op : operations) {
        const auto rate = op.flops_per_cycle();
        if (!rate)
            continue;
        RooflinePoint point{
            op.record.id,   op.record.name, *rate, {}, static_cast<double>(op.cost.cycles.total()),
            op.record.phase};
        if (op.exchanged_bytes > 0)
            point.flops_per_byte = op.cost.flops / static_cast<double>(op.exchanged_bytes);
        roofline.points.push_back(std::move(point));
    }
    std::stable_sort(roofline.points.begin(), roofline.points.end(),
                     [](const RooflinePoint& a, const RooflinePoint& b) { return a.cycles > b.cycles; });
    return roofline;
}

} // namespace tilescope::analyse
