// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/stage_ipus.h"

#include "analyse/pipeline.h"
#include "base/try.h"
#include "profile/lookup.h"

#include <algorithm>
#include <utility>

namespace tilescope::analyse {

using profile::PipelineSlotRecord;

/// The first stage of each IPU, as its record says.
static std::map<std::int64_t, std::int64_t> first_stages(const std::vector<profile::IpuRecord>& ipus) {
    std::map<std::int64_t, std::int64_t> result;
    for (const profile::IpuRecord& ipu : ipus)
        if (ipu.stage >= 0 && ipu.replica == 0)
            result.emplace(ipu.stage, ipu.id);
    return result;
}

std::map<std::int64_t, std::int64_t> stage_ipus(const std::vector<profile::OperationRecord>& operations,
                                                const std::vector<profile::IpuRecord>& ipus) {
    auto result = first_stages(ipus);
    for (const profile::OperationRecord& op : operations)
        if (op.stage >= 0 && op.ipu >= 0)
            result.emplace(op.stage, op.ipu);
    return result;
}

Result<std::map<std::int64_t, std::int64_t>> stage_ipus(const profile::Profile& profile,
                                                        const std::vector<profile::IpuRecord>& ipus) {
    auto result = first_stages(ipus);
    TRY(const auto of_operations, profile::ipus_of_stages(profile));
    result.insert(of_operations.begin(), of_operations.end());
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

std::vector<PipelineSlotRecord> slots_by_ipu(const std::vector<PipelineSlotRecord>& slots,
                                             const std::map<std::int64_t, std::int64_t>& stage_ipus) {
    std::map<std::int64_t, std::vector<std::int64_t>> stages; // by IPU
    for (const auto& [stage, ipu] : stage_ipus)
        stages[ipu].push_back(stage);
    if (stages.size() == stage_ipus.size())
        return slots;
    const std::int64_t end = update_cycles(slots);
    std::vector<PipelineSlotRecord> result;
    for (const auto& [ipu, own] : stages) {
        std::vector<std::pair<std::int64_t, std::int64_t>> waits;
        for (const PipelineSlotRecord& slot : slots)
            if (slot.activity == profile::PipelineActivity::Waiting &&
                std::find(own.begin(), own.end(), slot.stage) != own.end())
                waits.emplace_back(slot.start_cycle, slot.end_cycle);
        std::sort(waits.begin(), waits.end());
        std::int64_t at = 0;
        const auto rest = [&, ipu = ipu](std::int64_t until, profile::PipelineActivity activity) {
            if (until > at)
                result.push_back({ipu, at, until, -1, activity});
            at = std::max(at, until);
        };
        auto next = waits.begin(); // the first that may not be over
        const auto rest_until = [&](std::int64_t cycle) {
            while (next != waits.end() && next->second <= at)
                ++next;
            for (auto wait = next; wait != waits.end() && wait->first < cycle; ++wait)
                if (wait->second > at) {
                    rest(wait->first, profile::PipelineActivity::Idle);
                    rest(std::min(wait->second, cycle), profile::PipelineActivity::Waiting);
                }
            rest(cycle, profile::PipelineActivity::Idle);
        };
        for (PipelineSlotRecord slot : slots_on(slots, own)) {
            if (own.size() > 1)
                rest_until(slot.start_cycle);
            at = std::max(at, slot.end_cycle);
            slot.stage = ipu;
            result.push_back(slot);
        }
        if (own.size() > 1)
            rest_until(end);
    }
    return result;
}

} // namespace tilescope::analyse
