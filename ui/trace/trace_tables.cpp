// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_tables.h"

#include "analyse/device_program.h"
#include "analyse/pipeline.h"
#include "analyse/stage_ipus.h"
#include "analyse/updates_of_run.h"
#include "base/try.h"
#include "trace_text.h"
#include "ui/session/format.h"

#include <algorithm>
#include <set>

namespace tilescope::ui {
namespace {

/// The row of that id of rows in order of their ids, which mostly are numbered from 0 on; null: there is
/// none.
template<class Rows>
const typename Rows::value_type* row_of(const Rows& rows, std::int64_t id) {
    const auto index = static_cast<std::size_t>(id);
    if (id >= 0 && index < rows.size() && rows[index].id == id)
        return &rows[index];
    const auto found = std::lower_bound(rows.begin(), rows.end(), id,
                                        [](const auto& row, std::int64_t wanted) { return row.id < wanted; });
    return found != rows.end() && found->id == id ? &*found : nullptr;
}

template<class Row>
QString name_of(const Row* row) {
    return row == nullptr ? QString() : QString::fromUtf8(row->name.data(), std::ssize(row->name));
}

} // namespace

Result<TraceTables> TraceTables::read(const profile::Profile& file) {
    TraceTables t;
    TRY(const auto target, file.target());
    TRY(t.range, file.time_range());
    TRY(t.main_kind, analyse::main_kind(file));
    TRY(t.ipus, file.ipus());
    TRY(t.executions, file.execution_groups());
    TRY(t.schedule_ipus, file.schedule_ipus());
    TRY(t.schedules, file.schedule_spans());
    TRY(t.layers_, file.layers());
    TRY(t.operations_, file.operations());
    TRY(t.program_, file.program());
    TRY(t.further_, file.further_steps());
    TRY(const auto programs, analyse::read_device_programs(file));
    std::set<std::int64_t> ids{0};
    for (const analyse::DeviceProgram& one : programs)
        ids.insert(t.device_programs[one.key] = one.id);
    for (const std::int64_t id : ids) {
        TRY(auto slots, file.pipeline_slots(id));
        if (const std::int64_t cycles = analyse::update_cycles(slots); cycles > 0)
            t.pipelines[id] = {std::move(slots), {}, cycles};
    }
    t.stage_ipus = analyse::stage_ipus(t.operations_, t.ipus);
    for (auto& [id, pipeline] : t.pipelines)
        for (const profile::IpuRecord& ipu : t.ipus)
            if (const auto stages = analyse::stages_on(ipu, t.stage_ipus); stages.size() > 1)
                if (const auto [merged, fresh] = pipeline.merged.try_emplace(ipu.shard); fresh)
                    merged->second = analyse::slots_on(pipeline.slots, stages);
    TRY(t.balances, analyse::step_balances(file, t.program_, t.further_));
    TRY(t.traffic, analyse::StepTraffic::read(file));
    TRY(t.links, file.link_traffic());
    TRY(const auto run, file.run());
    TRY(const auto tiles, file.oversize_tiles());
    t.clock_hz = target.clock_hz;
    t.tiles_per_ipu = target.tiles_per_ipu;
    for (const profile::ExecutionGroupRecord& group : t.executions)
        if (const profile::ScheduleSpan* span = t.schedule(group.schedule_id);
            span != nullptr && span->updates > 0) {
            t.steps_per_update = analyse::updates_of_run(*span, group.cycles, group.steps).steps;
            break;
        }
    t.addSteps();
    for (const profile::ProgramRecord& row : t.program_)
        if (row.kind == profile::StepKind::StreamCopy)
            for (const profile::IpuRecord& ipu : t.ipus)
                if (ipu.replica == 0 && (row.ipu < 0 || row.ipu == ipu.shard) &&
                    std::find(t.fed.begin(), t.fed.end(), ipu.id) == t.fed.end())
                    t.fed.push_back(ipu.id);
    std::sort(t.fed.begin(), t.fed.end());
    if (run.status == profile::RunStatus::OutOfMemory && tiles.empty()) {
        t.never_run = text("This program was never run: %1.").arg(QString::fromStdString(run.error));
    } else if (run.status == profile::RunStatus::OutOfMemory) {
        const profile::OversizeTileRecord& worst = tiles.front(); // the one that needs most
        t.never_run =
            text(
                "This program was never run: IPU %1 tile %2 needs %3 of %4 at step %5. Summary (G, S) tells "
                "what would make it fit, Memory (G, M) what fills the tile, Program (G, P) what it would do.")
                .arg(worst.ipu)
                .arg(worst.tile)
                .arg(formatBytes(static_cast<double>(worst.bytes)),
                     formatBytes(static_cast<double>(target.bytes_per_tile)), t.step(worst.program_id).name);
    }
    return t;
}

void TraceTables::addSteps() {
    std::vector<std::int64_t> parents;
    steps_.reserve(program_.size() + further_.size());
    parents.reserve(steps_.capacity());
    const auto add = [&](const auto& rows) {
        for (const auto& row : rows) {
            const std::string_view kind = spelling(row.kind).values.at(static_cast<std::size_t>(row.kind));
            parents.push_back(row.parent_id);
            steps_.push_back({row.id, row.operation_id, row.name.empty() ? kind : std::string_view(row.name),
                              is_leaf(row.kind)});
        }
    };
    add(program_);
    add(further_);
    for (StoredStep& step : steps_) {
        // A step without an operation of its own belongs to the nearest ancestor's.
        const StoredStep* ancestor = &step;
        for (std::size_t depth = 0; depth < steps_.size() && ancestor != nullptr; ++depth) {
            if (ancestor->operation >= 0) {
                step.operation = ancestor->operation;
                break;
            }
            ancestor = row_of(steps_, parents[static_cast<std::size_t>(ancestor - steps_.data())]);
        }
    }
}

TraceTables::Step TraceTables::step(std::int64_t id) const {
    const StoredStep* found = row_of(steps_, id);
    return found == nullptr ? Step{} : Step{name_of(found), found->operation, layerOf(found->operation)};
}

QString TraceTables::operationName(std::int64_t id) const {
    return name_of(row_of(operations_, id));
}

std::int64_t TraceTables::layerOf(std::int64_t operation) const {
    const auto* found = row_of(operations_, operation);
    return found == nullptr ? -1 : found->layer_id;
}

QString TraceTables::layerName(std::int64_t id) const {
    return name_of(row_of(layers_, id));
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

QStringList TraceTables::operationNames() const {
    std::set<std::int64_t> runs;
    for (const StoredStep& step : steps_)
        if (step.leaf)
            runs.insert(step.operation);
    QStringList names;
    for (const profile::OperationRecord& operation : operations_)
        if (runs.contains(operation.id))
            names << name_of(&operation);
    return names;
}

std::vector<std::int64_t> TraceTables::stepsOf(std::int64_t operation) const {
    std::vector<std::int64_t> found;
    for (const StoredStep& step : steps_)
        if (step.leaf && step.operation == operation)
            found.push_back(step.id);
    return found;
}

std::int64_t TraceTables::operationNamed(const QString& name) const {
    const std::string wanted = name.toStdString();
    const auto found = std::find_if(operations_.begin(), operations_.end(),
                                    [&](const auto& operation) { return operation.name == wanted; });
    return found == operations_.end() ? -1 : found->id;
}

QString TraceTables::executionName(std::int64_t id) const {
    const auto e = execution(id);
    if (!e)
        return {};
    const QString steps = e->steps == 1
                              ? text("step %1").arg(e->first_step + 1)
                              : text("steps %1-%2").arg(e->first_step + 1).arg(e->first_step + e->steps);
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

std::vector<std::int64_t> TraceTables::find(const QString& wanted) const {
    std::vector<std::int64_t> hits;
    if (wanted.isEmpty())
        return hits;
    const auto named = [&](const auto* row) {
        return row != nullptr && name_of(row).contains(wanted, Qt::CaseInsensitive);
    };
    std::map<std::int64_t, bool> of_operations; // those of which the name, or that of the layer, has it
    for (const StoredStep& step : steps_) {
        if (!step.leaf)
            continue;
        const auto [operation, fresh] = of_operations.try_emplace(step.operation, false);
        if (fresh)
            operation->second =
                named(row_of(operations_, step.operation)) || named(row_of(layers_, layerOf(step.operation)));
        if (operation->second || named(&step))
            hits.push_back(step.id);
    }
    return hits;
}

} // namespace tilescope::ui
