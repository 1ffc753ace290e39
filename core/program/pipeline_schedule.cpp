// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/pipeline_schedule.h"

#include <algorithm>

namespace tilescope::program {

std::vector<std::vector<PipelineWork>> pipeline_slots(PipelineSchedule schedule, std::int64_t stages,
                                                      std::int64_t micro_batches, bool training) {
    if (!training) {
        std::vector<std::vector<PipelineWork>> slots;
        for (std::int64_t m = 0; m < micro_batches; ++m)
            for (std::int64_t s = 0; s < stages; ++s) {
                const auto slot =
                    static_cast<std::size_t>(s + m * (schedule == PipelineSchedule::Sequential ? stages : 1));
                slots.resize(std::max(slots.size(), slot + 1));
                slots[slot].push_back({static_cast<std::int32_t>(s), m, false});
            }
        return slots;
    }
    // Slot of the forward and of the backward pass of micro-batch m on stage s.
    const auto forward = [&](std::int64_t m, std::int64_t s) {
        switch (schedule) {
        case PipelineSchedule::Grouped:
            return 2 * (m + s);
        case PipelineSchedule::PopART:
            return m + s;
        case PipelineSchedule::Interleaved:
            return 2 * m + s;
        case PipelineSchedule::Sequential:
            break;
        }
        return 2 * stages * m + s;
    };
    const auto backward = [&](std::int64_t m, std::int64_t s) {
        switch (schedule) {
        case PipelineSchedule::Grouped:
            return 2 * (m + 2 * (stages - 1) - s) + 1;
        case PipelineSchedule::PopART:
            return m + 2 * (stages - 1) - s;
        case PipelineSchedule::Interleaved:
            return 2 * m + 2 * stages - 1 - s;
        case PipelineSchedule::Sequential:
            break;
        }
        return 2 * stages * m + 2 * stages - 1 - s;
    };
    std::vector<std::vector<PipelineWork>> slots(
        static_cast<std::size_t>(backward(micro_batches - 1, 0) + 1));
    for (std::int64_t m = 0; m < micro_batches; ++m)
        for (std::int64_t s = 0; s < stages; ++s) {
            const auto stage = static_cast<std::int32_t>(s);
            slots[static_cast<std::size_t>(forward(m, s))].push_back({stage, m, false});
            slots[static_cast<std::size_t>(backward(m, s))].push_back({stage, m, true});
        }
    if (schedule == PipelineSchedule::PopART) // an IPU's stages in their order, forward and back
        for (std::vector<PipelineWork>& works : slots)
            std::sort(works.begin(), works.end(), [&](const PipelineWork& a, const PipelineWork& b) {
                const auto place = [&](const PipelineWork& work) {
                    return work.backward ? 2 * stages - 1 - work.stage : std::int64_t{work.stage};
                };
                return place(a) < place(b);
            });
    return slots;
}

std::int64_t pipeline_overlap(PipelineSchedule schedule, std::int64_t stages, bool training) {
    switch (schedule) {
    case PipelineSchedule::Grouped:
        return training ? 2 * stages : stages;
    case PipelineSchedule::Interleaved:
        return stages;
    case PipelineSchedule::PopART:
        return training ? 1 : stages;
    case PipelineSchedule::Sequential:
        break;
    }
    return 1;
}

std::int64_t least_micro_batches(PipelineSchedule schedule, std::int64_t stages, bool training) {
    return schedule == PipelineSchedule::PopART && training ? 2 * stages - 1
                                                            : pipeline_overlap(schedule, stages, training);
}

std::int64_t stash_depth(PipelineSchedule schedule, std::int64_t stages, std::int64_t stage) {
    const std::int64_t later = stages - 1 - stage;
    switch (schedule) {
    case PipelineSchedule::Grouped:
        return 2 * later;
    case PipelineSchedule::Interleaved:
        return later;
    case PipelineSchedule::PopART:
        return later == 0 ? 0 : 2 * later + 1;
    case PipelineSchedule::Sequential:
        break;
    }
    return 0;
}

} // namespace tilescope::program
