// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/stage_ipus.h"

#include <algorithm>

namespace tilescope::analyse {

using profile::PipelineSlotRecord;

std::map<std::int64_t, std::int64_t> stage_ipus(const std::vector<profile::OperationRecord>& operations,
                                                const std::vector<profile::IpuRecord>& ipus) {
    std::map<std::int64_t, std::int64_t> result;
    for (const profile::IpuRecord& ipu : ipus)
        if (ipu.stage >= 0 && ipu.replica == 0)
            result.emplace(ipu.stage, ipu.id);
    for (const profile::OperationRecord& op : operations)
        if (op.stage >= 0 && op.ipu >= 0)
            result.emplace(op.stage, op.ipu);
    return result;
}

std::vector<std::int64_t> stages_on(const profile::IpuRecord& ipu,
                                    const std::map<std::int64_t, std::int64_t>& stage_ipus) {
    std::vector<std::int64_t> stages;
    for (const auto& [stage, of_first_replica] : stage_ipus)
        if (of_first_replica == ipu.shard)
            stages.push_back(stage);
    return stages;
}

std::string stages_text(const std::vector<std::int64_t>& stages) {
    if (stages.empty())
        return {};
    if (stages.size() == 1)
        return "stage " + std::to_string(stages[0]);
    if (stages.size() > 2 && stages.back() - stages[0] + 1 == static_cast<std::int64_t>(stages.size()))
        return "stages " + std::to_string(stages[0]) + " to " + std::to_string(stages.back());
    std::string text;
    for (const std::int64_t stage : stages)
        text += (text.empty() ? "stages " : ", ") + std::to_string(stage);
    return text;
}

std::vector<PipelineSlotRecord> slots_on(const std::vector<PipelineSlotRecord>& slots,
                                         const std::vector<std::int64_t>& stages) {
    const auto rests = [](const PipelineSlotRecord& slot) {
        return slot.activity == profile::PipelineActivity::Idle ||
               slot.activity == profile::PipelineActivity::Waiting;
    };
    std::vector<PipelineSlotRecord> result;
    for (const PipelineSlotRecord& slot : slots)
        if (std::find(stages.begin(), stages.end(), slot.stage) != stages.end() &&
            (stages.size() == 1 || !rests(slot)))
            result.push_back(slot);
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.start_cycle < b.start_cycle; });
    return result;
}

} // namespace tilescope::analyse
