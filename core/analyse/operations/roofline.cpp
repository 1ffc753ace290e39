// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/roofline.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::analyse {

double Roofline::roof(double flops_per_byte, double flops_per_cycle) const {
    return std::min(flops_per_cycle, flops_per_byte * exchange_bytes_per_cycle);
}

double Roofline::radius_share(const RooflinePoint& point) const {
    double longest = point.cycles;
    for (const auto* each : {&points, &without_flops})
        longest = each->empty() ? longest : std::max(longest, each->front().cycles);
    return longest > 0 ? std::sqrt(point.cycles / longest) : 0;
}

std::optional<Headroom> Roofline::headroom(const RooflinePoint& point) const {
    if (point.flops_per_cycle <= 0 || point.peak_flops_per_cycle <= 0)
        return std::nullopt;
    double most = point.peak_flops_per_cycle;
    Roof lowest = Roof::Arithmetic;
    if (point.flops_per_byte && roof(*point.flops_per_byte, most) < most) {
        most = roof(*point.flops_per_byte, most);
        lowest = Roof::Exchange;
    }
    // What comes over links takes its time there however fast the rest is.
    if (const double flops = point.flops_per_cycle * point.cycles; flops < most * point.link_cycles) {
        most = flops / point.link_cycles;
        lowest = Roof::Links;
    }
    return Headroom{most, std::max(1.0, most / point.flops_per_cycle), lowest};
}

namespace {

/// Without points.
std::optional<Roofline> roofs_of(const profile::TargetRecord& target) {
    if (!target.half_flops_per_cycle || !target.float_flops_per_cycle || !target.exchange_bytes_per_cycle)
        return std::nullopt;
    const auto of_ipu = [&](std::int64_t of_tile) {
        return static_cast<double>(of_tile) * static_cast<double>(target.tiles_per_ipu);
    };
    constexpr std::int64_t half_bytes = 2, float_bytes = 4;
    constexpr std::int64_t of_multiply_add = 2; // FLOPs
    const auto vector = [&](std::int64_t element_bytes) {
        return target.data_path_bytes
                   ? std::optional(of_ipu(of_multiply_add * (*target.data_path_bytes / element_bytes)))
                   : std::nullopt;
    };
    return Roofline{of_ipu(*target.half_flops_per_cycle),
                    of_ipu(*target.float_flops_per_cycle),
                    of_ipu(*target.exchange_bytes_per_cycle),
                    vector(half_bytes),
                    vector(float_bytes),
                    target.ipus > 1 ? target.link_bytes_per_cycle : std::nullopt,
                    {},
                    {}};
}

void add_point(Roofline& roofline, const OperationFigures& op, std::optional<profile::Phase> phase) {
    const auto rate = op.flops_per_cycle();
    RooflinePoint point{op.record.id,
                        op.record.name,
                        rate.value_or(0),
                        {},
                        static_cast<double>(op.cost.cycles.total()),
                        static_cast<double>(op.cost.cycles.inter_ipu),
                        phase,
                        op.cost.peak_cycles > 0 ? op.cost.flops / op.cost.peak_cycles : 0};
    if (rate && op.exchanged_bytes > 0)
        point.flops_per_byte = op.cost.flops / static_cast<double>(op.exchanged_bytes);
    if (rate)
        roofline.points.push_back(std::move(point));
    else if (point.cycles > 0)
        roofline.without_flops.push_back(std::move(point));
}

void longest_first(Roofline& roofline) {
    for (auto* points : {&roofline.points, &roofline.without_flops})
        std::stable_sort(points->begin(), points->end(),
                         [](const RooflinePoint& a, const RooflinePoint& b) { return a.cycles > b.cycles; });
}

} // namespace

std::optional<Roofline> roofline(const profile::TargetRecord& target,
                                 const std::vector<OperationFigures>& operations) {
    auto roofline = roofs_of(target);
    if (!roofline)
        return std::nullopt;
    for (const OperationFigures& op : operations)
        add_point(*roofline, op, op.record.phase);
    longest_first(*roofline);
    return roofline;
}

std::optional<Roofline> roofline(const profile::TargetRecord& target,
                                 const std::vector<OperationGroup>& groups) {
    auto roofline = roofs_of(target);
    if (!roofline)
        return std::nullopt;
    for (const OperationGroup& group : groups)
        add_point(*roofline, group.all,
                  group.phases.size() == 1 ? std::optional(*group.phases.begin()) : std::nullopt);
    longest_first(*roofline);
    return roofline;
}

} // namespace tilescope::analyse
