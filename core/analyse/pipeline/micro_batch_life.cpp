// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/micro_batch_life.h"

#include "analyse/pipeline.h"

#include <algorithm>
#include <map>

namespace tilescope::analyse {
namespace {

/// Cycles of [from, to) in which a stage copies.
std::int64_t copies_of(const std::vector<profile::PipelineSlotRecord>& records, std::int64_t stage,
                       std::int64_t from, std::int64_t to) {
    std::int64_t cycles = 0;
    for (const profile::PipelineSlotRecord& record : records)
        if (record.stage == stage && record.activity == PipelineActivity::Copy)
            cycles += std::max<std::int64_t>(0, std::min(to, record.end_cycle) -
                                                    std::max(from, record.start_cycle));
    return cycles;
}

} // namespace

MicroBatchLife micro_batch_life(const std::vector<profile::PipelineSlotRecord>& records,
                                std::int64_t micro_batch) {
    MicroBatchLife life;
    std::map<std::int64_t, std::int64_t> forward_end; // by stage; erased once it is taken up again
    for (const profile::PipelineSlotRecord& pass : passes_of(records, micro_batch)) {
        LifePass part{pass, 0, 0, {}};
        if (!life.passes.empty()) {
            const profile::PipelineSlotRecord& before = life.passes.back().pass;
            const std::int64_t gap = std::max<std::int64_t>(0, pass.start_cycle - before.end_cycle);
            part.copied = copies_of(records, before.stage, before.end_cycle, pass.start_cycle);
            part.waited = gap - part.copied;
        }
        if (pass.activity == PipelineActivity::Forward) {
            forward_end[pass.stage] = pass.end_cycle;
        } else if (const auto end = forward_end.find(pass.stage); end != forward_end.end()) {
            part.kept = pass.start_cycle - end->second;
            forward_end.erase(end);
        }
        life.work += pass.end_cycle - pass.start_cycle;
        life.copies += part.copied;
        life.waiting += part.waited;
        life.passes.push_back(part);
    }
    return life;
}

} // namespace tilescope::analyse
