// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_tables.h"

#include "analyse/device_program.h"
#include "analyse/pipeline.h"
#include "analyse/program_time.h"
#include "analyse/stage_ipus.h"
#include "analyse/summary.h"
#include "analyse/updates_of_run.h"
#include "base/try.h"
#include "profile/lookup.h"
#include "trace_text.h"
#include "ui/session/format.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

namespace tilescope::ui {
/// Questions read the program, one after another, while the window shows what is known of it.
struct TraceTables::Known {
    std::mutex mutex;
    std::shared_ptr<const TraceProgram> own;
    std::shared_ptr<const TraceProgram> before; ///< stays, for it may be looked into
    std::shared_ptr<const TraceProgram> latest() {
        const std::lock_guard lock(mutex);
        return own ? own : before;
    }
};

TraceTables::TraceTables() : known_(std::make_shared<Known>()) {}

Result<const TraceProgram*> TraceTables::program(const profile::Profile& file) const {
    if (!known_->own) {
        TRY(auto program, TraceProgram::read(file));
        const std::lock_guard lock(known_->mutex);
        known_->own = std::make_shared<const TraceProgram>(std::move(program));
    }
    return known_->own.get();
}

const TraceProgram& TraceTables::program() const {
    static const TraceProgram none;
    const auto latest = known_->latest(); // which stays
    return latest ? *latest : none;
}

bool TraceTables::knowsProgram() const {
    return known_->latest() != nullptr;
}

void TraceTables::keepProgramOf(const TraceTables& before) {
    known_->before = before.known_->latest();
}

Result<TraceTables> TraceTables::read(const profile::Profile& file) {
    TraceTables t;
    TRY(const auto target, file.target());
    TRY(t.range, file.time_range());
    TRY(t.main_kind, analyse::main_kind(file));
    TRY(t.ipus, file.ipus());
    TRY(t.executions, file.execution_groups());
    TRY(const auto planned, analyse::planned_execution(file));
    if (planned) {
        file.suppose(*planned);
        t.planned = true;
        t.executions = {*planned};
        t.main_kind = planned->kind;
        t.range = {0, planned->cycles};
    }
    TRY(t.schedule_ipus, file.schedule_ipus());
    TRY(t.schedules, file.schedule_spans());
    TRY(const auto programs, file.device_programs());
    const std::vector<std::string> keys = analyse::program_keys(programs);
    std::set<std::int64_t> ids{0};
    for (std::size_t i = 0; i < programs.size(); ++i)
        ids.insert(t.device_programs[keys[i]] = programs[i].id);
    for (const std::int64_t id : ids) {
        TRY(auto slots, file.pipeline_slots(id));
        if (const std::int64_t cycles = analyse::update_cycles(slots); cycles > 0)
            t.pipelines[id] = {std::move(slots), {}, cycles};
    }
    TRY(t.stage_ipus, analyse::stage_ipus(file, t.ipus));
    for (auto& [id, pipeline] : t.pipelines)
        for (const profile::IpuRecord& ipu : t.ipus)
            if (const auto stages = analyse::stages_on(ipu, t.stage_ipus); stages.size() > 1)
                if (const auto [merged, fresh] = pipeline.merged.try_emplace(ipu.shard); fresh)
                    merged->second = analyse::slots_on(pipeline.slots, stages);
    TRY(t.links, file.link_traffic());
    TRY(const auto run, file.run());
    t.clock_hz = target.clock_hz;
    TRY(const auto done, file.execution_totals(t.main_kind));
    t.samples_per_s = analyse::samples_per_s(run.batch_size, analyse::step_us(run, target, done));
    t.tiles_per_ipu = target.tiles_per_ipu;
    for (const profile::ExecutionGroupRecord& group : t.executions)
        if (const profile::ScheduleSpan* span = t.schedule(group.schedule_id);
            span != nullptr && span->updates > 0) {
            t.steps_per_update = analyse::updates_of_run(*span, group.cycles, group.steps).steps;
            break;
        }
    TRY(const auto streaming, profile::streaming_ipus(file));
    for (const profile::IpuRecord& ipu : t.ipus)
        if (ipu.replica == 0 && (streaming.contains(-1) || streaming.contains(ipu.shard)))
            t.fed.push_back(ipu.id);
    TRY(t.too_full, tooFull(file));
    if (t.too_full) {
        t.never_run = t.too_full->text();
    } else if (run.status == profile::RunStatus::OutOfMemory) {
        t.never_run = text("This program was never run: %1.").arg(QString::fromStdString(run.error));
    } else if (t.planned) {
        t.never_run = run.status == profile::RunStatus::Running
                          ? text("The program is ready; its first execution has not ended yet.")
                          : text("None ended in this run.");
    }
    return t;
}

std::optional<profile::ExecutionRecord> TraceTables::execution(std::int64_t id) const {
    auto found = std::upper_bound(
        executions.begin(), executions.end(), id,
        [](std::int64_t v, const profile::ExecutionGroupRecord& group) { return v < group.id; });
    if (found == executions.begin())
        return std::nullopt;
    --found;
    return id < found->id + found->count ? std::optional(found->at(id - found->id)) : std::nullopt;
}

std::span<const profile::PipelineSlotRecord> TraceTables::slotsOn(const Pipeline& pipeline,
                                                                  std::int64_t ipu) const {
    const auto found = std::find_if(ipus.begin(), ipus.end(), [ipu](const auto& r) { return r.id == ipu; });
    if (found == ipus.end())
        return {};
    if (const auto merged = pipeline.merged.find(found->shard); merged != pipeline.merged.end())
        return merged->second;
    const auto stages = analyse::stages_on(*found, stage_ipus);
    if (stages.empty())
        return {};
    const auto [first, last] = std::equal_range(
        pipeline.slots.begin(), pipeline.slots.end(), profile::PipelineSlotRecord{.stage = stages.front()},
        [](const auto& a, const auto& b) { return a.stage < b.stage; });
    return {first, last};
}

const profile::ScheduleSpan* TraceTables::schedule(std::int64_t id) const {
    const auto found = std::lower_bound(
        schedules.begin(), schedules.end(), id,
        [](const profile::ScheduleSpan& span, std::int64_t v) { return span.schedule_id < v; });
    return found != schedules.end() && found->schedule_id == id ? &*found : nullptr;
}

std::int64_t TraceTables::programOf(std::int64_t execution) const {
    const auto e = this->execution(execution);
    const profile::ScheduleSpan* span = e ? schedule(e->schedule_id) : nullptr;
    return span == nullptr ? -1 : span->device_program_id;
}

std::optional<TraceTables::Turns> TraceTables::turnsOf(const profile::ExecutionRecord& e) const {
    const profile::ScheduleSpan* span = schedule(e.schedule_id);
    if (span == nullptr)
        return std::nullopt;
    const analyse::UpdatesOfRun updates = analyse::updates_of_run(*span, e.cycles, e.steps);
    Turns turns{e.start_cycle + span->first_step_cycle, e.start_cycle + e.cycles, updates,
                span->device_program_id, span->turns};
    for (profile::ScheduleSpan::Turns& alike : turns.alike) {
        alike.start_cycle += e.start_cycle;
        if (alike.cycles <= 0)
            alike.cycles = turns.end - alike.start_cycle;
    }
    return turns;
}

std::int64_t TraceTables::Turns::start(std::int64_t turn) const {
    if (turn >= updates.count)
        return end;
    const auto behind = std::upper_bound(alike.begin(), alike.end(), turn,
                                         [](std::int64_t t, const auto& of) { return t < of.first; });
    if (behind == alike.begin())
        return begin;
    const profile::ScheduleSpan::Turns& of = *(behind - 1);
    return of.start_cycle + (turn - of.first) * of.cycles;
}

std::int64_t TraceTables::Turns::at(std::int64_t cycle) const {
    const auto behind = std::upper_bound(alike.begin(), alike.end(), cycle,
                                         [](std::int64_t c, const auto& of) { return c < of.start_cycle; });
    if (behind == alike.begin())
        return 0;
    const profile::ScheduleSpan::Turns& of = *(behind - 1);
    const std::int64_t within = of.cycles > 0 ? (cycle - of.start_cycle) / of.cycles : 0;
    return of.first + std::min(within, of.count - 1);
}

std::optional<std::pair<std::int64_t, std::int64_t>> TraceTables::stepCycles(std::int64_t epoch,
                                                                             std::int64_t step) const {
    for (const profile::ExecutionGroupRecord& group : executions) {
        if (group.kind != main_kind || group.steps < 1)
            continue;
        const std::int64_t per_epoch = group.executions_per_epoch;
        if (per_epoch == 0 ? epoch != group.epoch || step < group.first_step : epoch < group.epoch)
            continue;
        const std::int64_t index = per_epoch == 0 ? (step - group.first_step) / group.steps
                                                  : (epoch - group.epoch) * per_epoch + step / group.steps -
                                                        group.first_step / group.steps;
        if (index < 0 || index >= group.count)
            continue;
        const profile::ExecutionRecord e = group.at(index);
        if (e.epoch != epoch || step < e.first_step || step >= e.first_step + e.steps)
            continue;
        const auto turns = turnsOf(e);
        if (!turns)
            return std::nullopt;
        const std::int64_t turn = (step - e.first_step) / turns->updates.steps;
        return std::pair(turns->start(turn), turns->start(turn + 1));
    }
    return std::nullopt;
}

std::int64_t TraceTables::epochs() const {
    std::int64_t last = 0;
    for (const profile::ExecutionGroupRecord& group : executions)
        if (group.kind == main_kind)
            last = std::max(last, group.at(group.count - 1).epoch);
    return last + 1;
}

std::int64_t TraceTables::steps() const {
    std::int64_t most = 1;
    for (const profile::ExecutionGroupRecord& group : executions)
        if (group.kind == main_kind)
            most =
                std::max(most, group.executions_per_epoch > 0 ? group.executions_per_epoch * group.steps
                                                              : group.first_step + group.count * group.steps);
    return most;
}

bool TraceTables::updates(std::int64_t id) const {
    const auto e = execution(id);
    return e && e->kind == profile::ExecutionKind::Train && steps_per_update > 1;
}

std::int64_t TraceTables::stepsOfTurn(std::int64_t id) const {
    const auto e = execution(id);
    const auto turns = e ? turnsOf(*e) : std::nullopt;
    return turns ? turns->updates.steps : 1;
}

QString TraceTables::executionName(std::int64_t id) const {
    const auto e = execution(id);
    if (!e)
        return {};
    const QString steps = formatSteps(e->first_step + 1, e->first_step + e->steps);
    if (planned)
        return text("planned, %1").arg(steps);
    switch (e->kind) {
    case profile::ExecutionKind::Train:
        return text("train, epoch %1, %2").arg(e->epoch + 1).arg(steps);
    case profile::ExecutionKind::Evaluate:
        return text("evaluate, %1").arg(steps);
    case profile::ExecutionKind::Predict:
        break;
    }
    return text("predict, %1").arg(steps);
}

const profile::ScheduleIpuRecord* TraceTables::scheduleOnIpu(std::int64_t schedule, std::int64_t ipu) const {
    const auto found = std::lower_bound(schedule_ipus.begin(), schedule_ipus.end(), std::pair(schedule, ipu),
                                        [](const profile::ScheduleIpuRecord& row, const auto& key) {
                                            return std::pair(row.schedule_id, row.ipu) < key;
                                        });
    return found != schedule_ipus.end() && found->schedule_id == schedule && found->ipu == ipu ? &*found
                                                                                               : nullptr;
}

} // namespace tilescope::ui
