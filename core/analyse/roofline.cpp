// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/roofline.h"

#include "json_text.h"

#include <algorithm>

namespace tilescope::analyse {
namespace {

/// Bytes that a tile loads in a cycle: as the workload says, else those of all generations.
std::int64_t data_path_of(const profile::RunRecord& run) {
    constexpr std::int64_t of_all = 8;
    const nlohmann::ordered_json workload = read_json(run.workload);
    const nlohmann::ordered_json::json_pointer set("/ipu_config/ipu_model/data_path_bytes");
    return workload.is_object() && workload.contains(set) && workload[set].is_number_integer()
               ? workload[set].get<std::int64_t>()
               : of_all;
}

} // namespace

double Roofline::roof(double flops_per_byte, double flops_per_cycle) const {
    return std::min(flops_per_cycle, flops_per_byte * exchange_bytes_per_cycle);
}

std::optional<Headroom> Roofline::headroom(const RooflinePoint& point) const {
    if (point.flops_per_cycle <= 0 || point.peak_flops_per_cycle <= 0)
        return std::nullopt;
    const double most = point.flops_per_byte ? roof(*point.flops_per_byte, point.peak_flops_per_cycle)
                                             : point.peak_flops_per_cycle;
    return Headroom{most, std::max(1.0, most / point.flops_per_cycle), most < point.peak_flops_per_cycle};
}

std::optional<Roofline> roofline(const profile::TargetRecord& target, const profile::RunRecord& run,
                                 const std::vector<OperationFigures>& operations) {
    if (!target.half_flops_per_cycle || !target.float_flops_per_cycle || !target.exchange_bytes_per_cycle)
        return std::nullopt;
    const auto of_ipu = [&](std::int64_t of_tile) {
        return static_cast<double>(of_tile) * static_cast<double>(target.tiles_per_ipu);
    };
    constexpr std::int64_t half_bytes = 2, float_bytes = 4;
    constexpr std::int64_t of_multiply_add = 2; // FLOPs
    const std::int64_t data_path = data_path_of(run);
    Roofline roofline{of_ipu(*target.half_flops_per_cycle),
                      of_ipu(*target.float_flops_per_cycle),
                      of_ipu(*target.exchange_bytes_per_cycle),
                      of_ipu(of_multiply_add * (data_path / half_bytes)),
                      of_ipu(of_multiply_add * (data_path / float_bytes)),
                      target.ipus > 1 ? target.link_bytes_per_cycle : std::nullopt,
                      {},
                      {}};
    for (const OperationFigures& op : operations) {
        const auto rate = op.flops_per_cycle();
        RooflinePoint point{op.record.id,
                            op.record.name,
                            rate.value_or(0),
                            {},
                            static_cast<double>(op.cost.cycles.total()),
                            op.record.phase,
                            op.cost.peak_cycles > 0 ? op.cost.flops / op.cost.peak_cycles : 0};
        if (rate && op.exchanged_bytes > 0)
            point.flops_per_byte = op.cost.flops / static_cast<double>(op.exchanged_bytes);
        if (rate)
            roofline.points.push_back(std::move(point));
        else if (point.cycles > 0)
            roofline.without_flops.push_back(std::move(point));
    }
    for (auto* points : {&roofline.points, &roofline.without_flops})
        std::stable_sort(points->begin(), points->end(),
                         [](const RooflinePoint& a, const RooflinePoint& b) { return a.cycles > b.cycles; });
    return roofline;
}

} // namespace tilescope::analyse
