// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule_book.h"

namespace tilescope::profile {

std::pair<std::int64_t, bool> ScheduleBook::add(std::vector<BlockPartRecord>& parts) {
    for (BlockPartRecord& part : parts)
        part.block_id = part.position = 0;
    const auto [found, made] = blocks_.try_emplace(parts, static_cast<std::int64_t>(blocks_.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].block_id = found->second;
        parts[i].position = static_cast<std::int64_t>(i);
    }
    return {found->second, made};
}

std::pair<std::int64_t, bool> ScheduleBook::add(std::vector<ScheduleIpuRecord>& ipus,
                                                std::vector<ScheduleRoundRecord>& rounds,
                                                std::int64_t device_program_id, ScheduleOfIo* io) {
    ScheduleOfIo none;
    ScheduleOfIo& beside = io == nullptr ? none : *io;
    for (ScheduleIoRecord& ipu : beside.ipus)
        ipu.schedule_id = 0;
    for (ScheduleIoRoundRecord& round : beside.rounds)
        round.schedule_id = 0;
    for (ScheduleIpuRecord& ipu : ipus)
        ipu.schedule_id = 0;
    for (ScheduleRoundRecord& round : rounds)
        round.schedule_id = 0;
    const auto [found, made] = schedules_.try_emplace(Schedule{device_program_id, ipus, rounds, beside},
                                                      static_cast<std::int64_t>(schedules_.size()));
    for (ScheduleIpuRecord& ipu : ipus)
        ipu.schedule_id = found->second;
    for (ScheduleRoundRecord& round : rounds)
        round.schedule_id = found->second;
    for (ScheduleIoRecord& ipu : beside.ipus)
        ipu.schedule_id = found->second;
    for (ScheduleIoRoundRecord& round : beside.rounds)
        round.schedule_id = found->second;
    return {found->second, made};
}

/// Whether `e` is what comes next, where an epoch may end if no other has yet.
bool ExecutionGrouping::extend(const ExecutionRecord& e) {
    if (!last_)
        return false;
    ExecutionGroupRecord& g = *last_;
    if (e.id != g.id + g.count || e.kind != g.kind || e.steps != g.steps || e.steps < 1 ||
        e.cycles != g.cycles || e.schedule_id != g.schedule_id)
        return false;
    const std::int64_t period = g.count == 1 ? e.start_cycle - g.start_cycle : g.period_cycles;
    if (period < g.cycles || (period == 0 && e.schedule_id >= 0) ||
        e.start_cycle != g.start_cycle + g.count * period)
        return false;
    ExecutionGroupRecord longer = g;
    longer.period_cycles = period;
    if (g.executions_per_epoch == 0 && e.epoch == g.epoch + 1 && e.first_step == 0 &&
        g.first_step % g.steps == 0)
        longer.executions_per_epoch = g.first_step / g.steps + g.count;
    const ExecutionRecord next = longer.at(g.count);
    if (next.epoch != e.epoch || next.first_step != e.first_step)
        return false;
    ++longer.count;
    longer.wall_us += e.wall_us.value_or(0);
    g = longer;
    return true;
}

std::optional<ExecutionGroupRecord> ExecutionGrouping::add(const ExecutionRecord& e) {
    if (extend(e)) {
        changed_ = true;
        return std::nullopt;
    }
    return add(ExecutionGroupRecord{e.id, 1, e.kind, e.epoch, 0, e.first_step, e.steps, e.start_cycle,
                                    e.cycles, e.cycles, e.wall_us.value_or(0), e.schedule_id});
}

std::optional<ExecutionGroupRecord> ExecutionGrouping::add(const ExecutionGroupRecord& group) {
    auto before = changed();
    last_ = group;
    changed_ = true;
    return before;
}

std::optional<ExecutionGroupRecord> ExecutionGrouping::changed() {
    if (!changed_)
        return std::nullopt;
    changed_ = false;
    return last_;
}

} // namespace tilescope::profile
