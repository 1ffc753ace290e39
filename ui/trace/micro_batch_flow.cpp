// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/micro_batch_flow.h"

#include "analyse/stage_ipus.h"
#include "ui/timeline/pipeline_slice.h"

#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

const profile::IpuRecord* record_of(const TraceTables& tables, std::int64_t ipu) {
    const auto found = std::find_if(tables.ipus.begin(), tables.ipus.end(),
                                    [&](const profile::IpuRecord& r) { return r.id == ipu; });
    return found == tables.ipus.end() || found->stage < 0 ? nullptr : &*found;
}

struct Update {
    std::int64_t begin = 0;
    std::int64_t execution = -1;
    std::int64_t number = 0;
};

/// The first weight update of a device program with a pipeline whose cycle `offset` is at `cycle` or later,
/// else the last one.
std::optional<Update> update_at(const TraceTables& tables, std::int64_t program, std::int64_t offset,
                                double cycle) {
    std::optional<Update> last;
    for (const profile::ExecutionGroupRecord& group : tables.executions) {
        const profile::ScheduleSpan* span = tables.schedule(group.schedule_id);
        if (span == nullptr || span->device_program_id != program || span->updates <= 0)
            continue;
        const std::int64_t length = analyse::updates_of_run(*span, group.cycles, group.steps).cycles;
        if (length < tables.pipelines.at(program).cycles)
            continue;
        const auto wanted = static_cast<std::int64_t>(std::ceil(cycle)) - span->first_step_cycle - offset;
        const std::int64_t index = group.index_at(wanted);
        for (std::int64_t i = index; i < std::min(group.count, index + 2); ++i) {
            const std::int64_t start = group.at(i).start_cycle;
            const std::int64_t rest = wanted - start;
            const std::int64_t number =
                std::clamp<std::int64_t>(rest <= 0 ? 0 : (rest + length - 1) / length, 0, span->updates - 1);
            last = Update{start + span->first_step_cycle + number * length, group.id + i, number};
            if (static_cast<double>(last->begin + offset) >= cycle)
                return last;
        }
    }
    return last;
}

} // namespace

MicroBatchFlow::MicroBatchFlow(const TraceTables& tables, std::int64_t program, std::int64_t ipu,
                               std::int64_t micro_batch)
    : passes_(analyse::passes_of(tables.pipelines.at(program).slots, micro_batch)) {
    const profile::IpuRecord* own = record_of(tables, ipu);
    for (const auto& [stage, shard] : tables.stage_ipus)
        for (const profile::IpuRecord& other : tables.ipus)
            if (own != nullptr && other.replica == own->replica && other.shard == shard)
                ipu_of_stage_[stage] = other.id;
    std::erase_if(passes_, [&](const profile::PipelineSlotRecord& pass) {
        return !ipu_of_stage_.contains(pass.stage);
    });
}

std::optional<MicroBatchFlow> MicroBatchFlow::through(const TraceTables& tables, std::int64_t ipu,
                                                      const TimelineSlice& slice) {
    const profile::IpuRecord* own = record_of(tables, ipu);
    const auto pipeline = tables.pipelines.find(tables.programOf(slice.execution));
    if (own == nullptr || slice.micro_batch < 0 || slice.label.isEmpty() ||
        pipeline == tables.pipelines.end())
        return std::nullopt;
    const auto& slots = pipeline->second.slots;
    const auto has = [&](const profile::IpuRecord& on, const profile::PipelineSlotRecord& r) {
        const auto place = tables.stage_ipus.find(r.stage);
        return place != tables.stage_ipus.end() && place->second == on.shard;
    };
    const auto record = std::find_if(slots.begin(), slots.end(), [&](const profile::PipelineSlotRecord& r) {
        return has(*own, r) && r.micro_batch == slice.micro_batch && r.slot == slice.slot &&
               r.activity == slice.activity && r.end_cycle - r.start_cycle == slice.end - slice.start;
    });
    if (record == slots.end())
        return std::nullopt;
    MicroBatchFlow flow(tables, pipeline->first, ipu, slice.micro_batch);
    flow.begin_ = slice.start - record->start_cycle;
    flow.execution_ = slice.execution;
    flow.update_ = slice.step;
    bool found = false;
    for (std::size_t i = 0; i < flow.passes_.size(); ++i)
        if (flow.ipuOf(i) == ipu && flow.passes_[i].start_cycle <= record->start_cycle) {
            flow.at_ = i;
            found = true;
        }
    return found ? std::optional(std::move(flow)) : std::nullopt;
}

std::optional<MicroBatchFlow> MicroBatchFlow::during(const TraceTables& tables, std::int64_t ipu,
                                                     std::int64_t execution, std::int64_t cycle) {
    const profile::IpuRecord* own = record_of(tables, ipu);
    const auto run = tables.execution(execution);
    const auto turns = run ? tables.turnsOf(*run) : std::nullopt;
    if (own == nullptr || !turns || turns->updates.cycles <= 0 || cycle < turns->begin ||
        cycle >= turns->end || !tables.pipelines.contains(turns->program))
        return std::nullopt;
    const std::int64_t update =
        std::min(turns->updates.count - 1, (cycle - turns->begin) / turns->updates.cycles);
    const std::int64_t begin = turns->start(update);
    for (const profile::PipelineSlotRecord& slot :
         tables.slotsOn(tables.pipelines.at(turns->program), own->id)) {
        if (slot.micro_batch < 0 || cycle - begin < slot.start_cycle || cycle - begin >= slot.end_cycle)
            continue;
        TimelineSlice slice = pipelineSlice(slot);
        slice.label = passText(slot);
        slice.start += begin;
        slice.end += begin;
        slice.execution = execution;
        slice.step = update;
        return through(tables, ipu, slice);
    }
    return std::nullopt;
}

std::optional<MicroBatchFlow> MicroBatchFlow::of(const TraceTables& tables, std::int64_t program,
                                                 std::int64_t ipu, std::int64_t micro_batch,
                                                 analyse::PipelineActivity pass, double cycle) {
    const profile::IpuRecord* own = record_of(tables, ipu);
    if (own == nullptr || micro_batch < 0 || !tables.pipelines.contains(program))
        return std::nullopt;
    MicroBatchFlow flow(tables, program, ipu, micro_batch);
    const auto found =
        std::find_if(flow.passes_.begin(), flow.passes_.end(), [&](const profile::PipelineSlotRecord& r) {
            return flow.ipu_of_stage_.at(r.stage) == ipu && r.activity == pass;
        });
    if (found == flow.passes_.end())
        return std::nullopt;
    flow.at_ = static_cast<std::size_t>(found - flow.passes_.begin());
    const auto update = update_at(tables, program, found->start_cycle, cycle);
    if (!update)
        return std::nullopt;
    flow.begin_ = update->begin;
    flow.execution_ = update->execution;
    flow.update_ = update->number;
    return flow;
}

TimelineSlice MicroBatchFlow::slice(std::size_t pass) const {
    TimelineSlice slice = pipelineSlice(passes_[pass]);
    slice.label = passText(passes_[pass]);
    slice.start += begin_;
    slice.end += begin_;
    slice.execution = execution_;
    slice.step = update_;
    return slice;
}

bool MicroBatchFlow::step(int direction) {
    const auto next = static_cast<std::int64_t>(at_) + direction;
    if (next < 0 || next >= static_cast<std::int64_t>(passes_.size()))
        return false;
    at_ = static_cast<std::size_t>(next);
    return true;
}

std::vector<TimelineFlow> MicroBatchFlow::arrows() const {
    std::vector<TimelineFlow> arrows;
    for (std::size_t i = 0; i + 1 < passes_.size(); ++i)
        arrows.push_back({ipuOf(i), begin_ + passes_[i].end_cycle, ipuOf(i + 1),
                          begin_ + passes_[i + 1].start_cycle, i == at_ || i + 1 == at_});
    return arrows;
}

} // namespace tilescope::ui
