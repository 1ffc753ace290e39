// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/slot_figures.h"

#include <algorithm>
#include <cmath>

namespace tilescope::analyse {

using profile::PipelineSlotRecord;

SlotFigures slot_figures(Slots slots) {
    SlotFigures sum;
    for (const PipelineSlotRecord& slot : slots) {
        sum.cycles[slot.activity] += slot.end_cycle - slot.start_cycle;
        ++sum.slots[static_cast<std::size_t>(slot.activity)];
    }
    return sum;
}

SlotFigures stretch_figures(Slots slots) {
    SlotFigures sum = slot_figures(slots);
    if (!slots.empty())
        sum.cycles[PipelineActivity::Idle] +=
            slots.back().end_cycle - slots.front().start_cycle - sum.cycles.total();
    return sum;
}

SlotFigures SlotFigures::between(double before, double after) const {
    SlotFigures part{cycles, {}};
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const auto of_update = static_cast<double>(slots[i]);
        part.slots[i] = std::llround(after * of_update) - std::llround(before * of_update);
    }
    return part;
}

std::vector<ActivityStretch> SlotFigures::laid_out(std::int64_t start, double length) const {
    std::vector<ActivityStretch> stretches;
    auto at = static_cast<double>(start);
    for (const PipelineActivity activity : pipeline_activities) {
        const std::int64_t from = std::llround(at);
        at += cycles.share(activity) * length;
        const ActivityStretch stretch{activity, from, std::llround(at),
                                      slots[static_cast<std::size_t>(activity)]};
        if (activity != PipelineActivity::Idle && stretch.slots > 0 && stretch.end > stretch.start)
            stretches.push_back(stretch);
    }
    return stretches;
}

std::vector<UpdatePiece> update_pieces(const std::vector<PipelineSlotRecord>& records, std::int64_t cycles,
                                       std::size_t ipus, std::int64_t pieces,
                                       const std::vector<ActivityStretch>& host) {
    pieces = std::min(pieces, cycles);
    std::vector<UpdatePiece> result(static_cast<std::size_t>(std::max<std::int64_t>(0, pieces)));
    const auto border = [&](std::int64_t piece) { return cycles * piece / pieces; };
    for (std::int64_t p = 0; p < pieces; ++p) {
        result[static_cast<std::size_t>(p)].start = border(p);
        result[static_cast<std::size_t>(p)].end = border(p + 1);
    }
    const auto all = static_cast<double>(std::max<std::size_t>(1, ipus));
    const auto spread = [&](std::int64_t start, std::int64_t end, const auto& take) {
        auto piece = std::upper_bound(result.begin(), result.end(), start,
                                      [](std::int64_t at, const UpdatePiece& p) { return at < p.end; });
        for (; piece != result.end() && piece->start < end; ++piece) {
            const std::int64_t common = std::min(piece->end, end) - std::max(piece->start, start);
            take(*piece, static_cast<double>(common) / static_cast<double>(piece->end - piece->start) / all);
        }
    };
    for (const PipelineSlotRecord& r : records)
        spread(r.start_cycle, r.end_cycle, [&](UpdatePiece& piece, double share) {
            piece.activities[static_cast<std::size_t>(r.activity)] += share;
        });
    for (const ActivityStretch& stretch : host)
        spread(stretch.start, stretch.end, [&](UpdatePiece& piece, double share) {
            piece.activities[static_cast<std::size_t>(stretch.activity)] -= share;
            piece.host += share;
        });
    return result;
}

} // namespace tilescope::analyse
