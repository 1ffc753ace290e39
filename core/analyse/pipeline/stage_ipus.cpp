// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/stage_ipus.h"

#include "analyse/pipeline.h"
#include "base/try.h"
#include "profile/lookup.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

namespace tilescope::analyse {

using profile::PipelineSlotRecord;

namespace {

bool rests(const PipelineSlotRecord& slot) {
    return slot.activity == profile::PipelineActivity::Idle ||
           slot.activity == profile::PipelineActivity::Waiting;
}

} // namespace

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

std::string stage_numbers(const std::vector<std::int64_t>& stages) {
    if (stages.size() > 2 && stages.back() - stages[0] + 1 == static_cast<std::int64_t>(stages.size()))
        return std::to_string(stages[0]) + " to " + std::to_string(stages.back());
    std::string text;
    for (const std::int64_t stage : stages)
        text += (text.empty() ? "" : ", ") + std::to_string(stage);
    return text;
}

std::string stages_text(const std::vector<std::int64_t>& stages) {
    if (stages.empty())
        return {};
    return (stages.size() == 1 ? "stage " : "stages ") + stage_numbers(stages);
}

std::vector<PipelineSlotRecord> slots_on(const std::vector<PipelineSlotRecord>& slots,
                                         const std::vector<std::int64_t>& stages) {
    std::vector<PipelineSlotRecord> result;
    for (const PipelineSlotRecord& slot : slots)
        if (std::find(stages.begin(), stages.end(), slot.stage) != stages.end() &&
            (stages.size() == 1 || !rests(slot)))
            result.push_back(slot);
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.start_cycle < b.start_cycle; });
    return result;
}

namespace {

/// Where slots of several stages of an IPU overlap, it does what comes first here.
int rank_of(profile::PipelineActivity activity) {
    switch (activity) {
    case profile::PipelineActivity::Update:
        return 1;
    case profile::PipelineActivity::Copy:
        return 2;
    case profile::PipelineActivity::Waiting:
        return 3;
    case profile::PipelineActivity::Idle:
        return 4;
    default:
        return 0;
    }
}

/// Appends what the IPU does from 0 to `end`, each cycle once, given all slots of its stages.
void append_shared_time(std::int64_t ipu, const std::vector<PipelineSlotRecord>& slots, std::int64_t end,
                        std::vector<PipelineSlotRecord>& to) {
    const auto append = [&](const PipelineSlotRecord& next) {
        if (next.end_cycle <= next.start_cycle)
            return;
        if (!to.empty() && to.back().stage == ipu && to.back().activity == next.activity &&
            to.back().slot == next.slot && to.back().micro_batch == next.micro_batch)
            to.back().end_cycle = next.end_cycle;
        else
            to.push_back(next);
    };
    std::multimap<std::int64_t, std::size_t> begins;
    std::multimap<std::int64_t, std::size_t> ends;
    std::set<std::int64_t> borders{0, end};
    for (std::size_t i = 0; i < slots.size(); ++i) {
        begins.emplace(slots[i].start_cycle, i);
        ends.emplace(slots[i].end_cycle, i);
        borders.insert({slots[i].start_cycle, slots[i].end_cycle});
    }
    std::set<std::pair<int, std::size_t>> open; // the first is what the IPU does
    const auto key = [&](std::size_t slot) { return std::pair(rank_of(slots[slot].activity), slot); };
    for (auto border = borders.begin(); std::next(border) != borders.end(); ++border) {
        for (auto [at, last] = ends.equal_range(*border); at != last; ++at)
            open.erase(key(at->second));
        for (auto [at, last] = begins.equal_range(*border); at != last; ++at)
            open.insert(key(at->second));
        PipelineSlotRecord piece{ipu, *border, *std::next(border), -1, profile::PipelineActivity::Idle};
        if (!open.empty()) {
            const PipelineSlotRecord& slot = slots[open.begin()->second];
            piece.activity = slot.activity;
            if (!rests(slot)) {
                piece.slot = slot.slot;
                piece.micro_batch = slot.micro_batch;
            }
        }
        append(piece);
    }
}

} // namespace

std::vector<PipelineSlotRecord> slots_by_ipu(const std::vector<PipelineSlotRecord>& slots,
                                             const std::map<std::int64_t, std::int64_t>& stage_ipus) {
    std::map<std::int64_t, std::size_t> stages; // how many it has
    for (const auto& [stage, ipu] : stage_ipus)
        ++stages[ipu];
    if (stages.size() == stage_ipus.size())
        return slots;
    std::vector<std::pair<std::int64_t, std::size_t>> order; // an IPU, and the place of a slot of it
    order.reserve(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (const auto on = stage_ipus.find(slots[i].stage); on != stage_ipus.end())
            order.emplace_back(on->second, i);
    std::sort(order.begin(), order.end());
    const std::int64_t end = update_cycles(slots);
    std::vector<PipelineSlotRecord> result;
    result.reserve(order.size());
    for (auto first = order.cbegin(); first != order.cend();) {
        const std::int64_t ipu = first->first;
        std::vector<PipelineSlotRecord> own;
        for (; first != order.cend() && first->first == ipu; ++first)
            own.push_back(slots[first->second]);
        if (stages[ipu] > 1) {
            append_shared_time(ipu, own, end, result);
            continue;
        }
        std::stable_sort(own.begin(), own.end(),
                         [](const auto& a, const auto& b) { return a.start_cycle < b.start_cycle; });
        for (PipelineSlotRecord& slot : own) {
            slot.stage = ipu;
            result.push_back(slot);
        }
    }
    return result;
}

} // namespace tilescope::analyse
