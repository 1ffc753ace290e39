// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pipeline/pipeline_data.h"

#include "analyse/costs.h"
#include "analyse/device_program.h"
#include "analyse/replicas.h"
#include "analyse/stage_ipus.h"
#include "base/share.h"
#include "base/try.h"
#include "ui/session/format.h"
#include "ui/widgets/detail_table.h"

#include <QCoreApplication>
#include <QHash>
#include <QStringList>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;

QString tr(const char* source) {
    return QCoreApplication::translate("Pipeline", source);
}

using HostShares = std::map<PipelineActivity, std::vector<std::pair<double, double>>>;

/// The host's stretches in the passes of a stage.
HostShares hostShares(const analyse::HostedPasses& hosted, std::int64_t stage) {
    HostShares shares;
    for (const auto& [which, pass] : hosted)
        for (const auto& [from, to] : pass.host)
            if (which.first == stage)
                shares[which.second].emplace_back(static_cast<double>(from) /
                                                      static_cast<double>(pass.cycles),
                                                  static_cast<double>(to) / static_cast<double>(pass.cycles));
    return shares;
}

/// A lane for each stage.
SharedLanes lanesOf(const PipelineData& data) {
    std::vector<TimelineLane> lanes;
    QHash<std::int64_t, QString> numbers; // of micro-batches: all passes of one share the text
    const auto label = [&](std::int64_t number) {
        QString& text = numbers[number];
        if (text.isEmpty())
            text = formatCount(number);
        return text;
    };
    for (std::size_t i = 0; i < data.records.size(); ++i) {
        const profile::PipelineSlotRecord& r = data.records[i];
        if (lanes.empty() || lanes.back().key != r.stage) {
            lanes.push_back({LaneKind::Activity, tr("Stage %1").arg(r.stage), {}, {}, r.stage});
            lanes.back().host = hostShares(data.hosted, r.stage);
        }
        TimelineSlice slice = pipelineSlice(r);
        slice.hosted = i < data.is_hosted.size() && data.is_hosted[i];
        if (slice.activity == PipelineActivity::Update)
            slice.label = tr("update");
        else if (r.micro_batch >= 0 && slice.activity != PipelineActivity::Copy)
            slice.label = label(r.micro_batch);
        lanes.back().slices.push_back(std::move(slice));
    }
    for (TimelineLane& lane : lanes)
        lane.slices.shrink_to_fit();
    return SharedLanes(std::move(lanes));
}

} // namespace

Result<PipelineData> PipelineData::read(const profile::Profile& file, const std::string& key) {
    TRY(const auto programs, analyse::read_device_programs(file));
    const analyse::DeviceProgram* const program = analyse::program_of(programs, key);
    TRY(auto records, file.pipeline_slots(program == nullptr ? 0 : program->id));
    TRY(const auto run, file.run());
    TRY(const auto target, file.target());
    TRY(auto ipus, file.ipus());
    TRY(const auto operations, file.operations());
    TRY(const auto executions, file.execution_groups());
    PipelineData data;
    data.planned = executions.empty();
    TRY(data.too_full, tooFull(file));
    if (program != nullptr) {
        data.program = text(program->key);
        data.described = program->id == 0;
    }
    if (run.schedule)
        data.schedule = QString::fromStdString(to_string(*run.schedule));
    data.clock_hz = target.clock_hz;
    data.stage_ipus = analyse::stage_ipus(operations, ipus);
    if (data.described) {
        TRY(data.hosted, analyse::hosted_passes(file));
    }
    for (const profile::PipelineSlotRecord& record : records)
        data.is_hosted.push_back(analyse::host_in(data.hosted, record) != nullptr);
    data.takeRecords(std::move(records));
    data.ipus = std::move(ipus);
    data.compiled = !programs.empty();
    for (const profile::IpuRecord& ipu : data.ipus)
        data.replicas = std::max(data.replicas, ipu.replica + 1);
    data.takeSlots();
    for (const auto& [stage, on] : data.stage_ipus)
        if (const profile::IpuRecord* ipu = data.ipuOf(stage, 0); ipu != nullptr && data.any()) {
            TRY(const auto phases, file.program_phases(program == nullptr ? 0 : program->id, ipu->id));
            if (phases.total() > 0)
                data.ipu_phases[data.stagesShareIpus() ? on : stage] = phases;
        }
    if (!data.any() && data.described) {
        TRY(const auto costs, analyse::Costs::read(file));
        const analyse::Basis basis = costs.loops().shown(analyse::Basis::Step);
        for (const std::int64_t ipu : costs.ipus()) {
            const profile::PhaseCycles cycles =
                costs.planned() > 0 ? costs.planned_phases(ipu) : costs.with_beside(ipu);
            if (cycles.total() > 0)
                data.phases.push_back({analyse::all_like(ipu, data.ipus), costs.in(basis, cycles)});
        }
        std::erase_if(data.phases, [](const IpuPhases& row) { return row.ipus.empty(); });
    }
    if (!data.any() || !data.described)
        return data;
    TRY(data.host, analyse::stage_host_cycles(file));
    TRY(const auto variables, file.variables());
    TRY(const auto tensors, file.tensors());
    for (analyse::Stash& stash : analyse::stashes(variables, tensors, operations))
        if (const profile::IpuRecord* ipu = data.ipu(stash.ipu); ipu != nullptr && ipu->replica == 0)
            data.stashes.push_back(std::move(stash));
    return data;
}

void PipelineData::takeRecords(std::vector<profile::PipelineSlotRecord> of_stages) {
    records = std::move(of_stages);
    update = analyse::pipeline_update(records);
    lanes = lanesOf(*this).sortedBy([&](const TimelineLane& lane) { // those of an IPU beneath each other
        const auto on = stage_ipus.find(lane.key);
        return std::pair(on == stage_ipus.end() ? lane.key : on->second, lane.key);
    });
    ipu_records = analyse::slots_by_ipu(records, stage_ipus);
    ipu_update = analyse::pipeline_update(ipu_records);
}

void PipelineData::takeSlots() {
    auto of_slots = std::make_shared<const analyse::SlotScale>(update);
    if (of_slots->width() == 0)
        return;
    auto placed = std::make_shared<PipelineData>(*this);
    auto at_places = records;
    for (profile::PipelineSlotRecord& record : at_places) {
        record.start_cycle = of_slots->place(record.start_cycle);
        record.end_cycle = of_slots->place(record.end_cycle);
    }
    placed->scale = std::move(of_slots);
    placed->takeRecords(std::move(at_places));
    slots = std::move(placed);
}

std::vector<analyse::ActivityStretch> PipelineData::hostStretches() const {
    std::vector<analyse::ActivityStretch> stretches;
    for (std::size_t i = 0; i < is_hosted.size(); ++i) {
        const profile::PipelineSlotRecord& r = records[i];
        const auto pass = is_hosted[i] ? hosted.find({r.stage, r.activity}) : hosted.end();
        if (pass == hosted.end())
            continue;
        const auto place = [&](std::int64_t since) { // in a record that is drawn wider, or narrower
            return r.start_cycle + since * (r.end_cycle - r.start_cycle) / pass->second.cycles;
        };
        for (const auto& [from, to] : pass->second.host)
            stretches.push_back({r.activity, place(from), place(to)});
    }
    return stretches;
}

std::optional<std::int64_t> PipelineData::hostCycles(std::int64_t stage) const {
    std::optional<std::int64_t> cycles;
    for (const auto& [each, of_each] : host)
        if (stage < 0 || each == stage)
            cycles = cycles.value_or(0) + of_each;
    return cycles;
}

const profile::IpuRecord* PipelineData::ipuOf(std::int64_t stage, std::int64_t replica) const {
    const auto on = stage_ipus.find(stage);
    const auto found = std::find_if(ipus.begin(), ipus.end(), [&](const profile::IpuRecord& ipu) {
        return on != stage_ipus.end() && ipu.shard == on->second && ipu.replica == replica;
    });
    return found == ipus.end() ? nullptr : &*found;
}

const profile::IpuRecord* PipelineData::ipu(std::int64_t id) const {
    const auto found =
        std::find_if(ipus.begin(), ipus.end(), [id](const profile::IpuRecord& ipu) { return ipu.id == id; });
    return found == ipus.end() ? nullptr : &*found;
}

QString PipelineData::ipuNames(std::int64_t stage) const {
    constexpr qsizetype most = 4;
    QStringList names;
    if (const auto on = stage_ipus.find(stage); on != stage_ipus.end())
        for (const std::int64_t id : analyse::all_like(on->second, ipus))
            names << QString::number(id);
    if (names.size() > most)
        names = names.mid(0, most - 1) << QStringLiteral("…") << names.last();
    return names.join(QStringLiteral(", "));
}

TimelineGroup pipelineGroup(const PipelineData& data, const QString& name, bool base, std::int64_t replica) {
    TimelineGroup group;
    group.base = base;
    group.name = data.schedule.isEmpty() ? name : QStringLiteral("%1  ·  %2").arg(name, data.schedule);
    group.lanes = data.lanes;
    group.scale = data.scale;
    for (const auto& [stage, shard] : data.stage_ipus)
        if (const profile::IpuRecord* ipu = data.ipuOf(stage, replica))
            group.remarks[stage] = tr("IPU %1").arg(ipu->id);
    return group;
}

std::vector<TimelineSection> pipelineSections(const PipelineData& data) {
    std::vector<TimelineSection> sections;
    for (const analyse::PipelineSlot& slot : data.update.schedule)
        sections.push_back({slot.start, slot.end, QString::number(slot.slot), slot.backward_half});
    if (!sections.empty() && sections.back().end < data.update.cycles)
        sections.push_back({sections.back().end, data.update.cycles, tr("update"), -1});
    return sections;
}

std::vector<OverviewPiece> pipelineOverview(const PipelineData& data, std::int64_t pieces) {
    std::vector<OverviewPiece> result;
    for (const analyse::UpdatePiece& piece :
         analyse::update_pieces(data.ipu_records, data.update.cycles, data.ipu_update.stages.size(), pieces,
                                data.hostStretches()))
        result.push_back({piece.start, piece.end, {}, piece.activities, piece.host});
    return result;
}

namespace {

QString sliceTitle(const TimelineSlice& slice) {
    switch (slice.activity) {
    case PipelineActivity::Forward:
        return tr("Forward pass of micro-batch %1").arg(slice.micro_batch);
    case PipelineActivity::Recompute:
        return tr("Recomputation for micro-batch %1").arg(slice.micro_batch);
    case PipelineActivity::Backward:
        return tr("Backward pass of micro-batch %1").arg(slice.micro_batch);
    case PipelineActivity::Copy:
        return tr("Copy between IPUs");
    case PipelineActivity::Update:
        return tr("Update of the weights");
    case PipelineActivity::Waiting:
        return tr("Waiting for a slower stage");
    case PipelineActivity::Idle:
        break;
    }
    return tr("Idle: nothing to do");
}

} // namespace

QString sliceText(const PipelineData& data, const TimelineSlice& slice, std::int64_t stage) {
    DetailTable table;
    const std::int64_t cycles = slice.end - slice.start;
    table.row(tr("Stage"), QString::number(stage));
    if (const profile::IpuRecord* ipu = data.ipuOf(stage, 0)) {
        table.row(tr("IPU"), data.ipuNames(stage));
        table.row(tr("Device"), tr("%1 of the system").arg(ipu->device_id));
    }
    table.row(tr("Micro-batch"), slice.micro_batch >= 0 ? QString::number(slice.micro_batch) : QString());
    table.row(tr("Slot"), slice.slot >= 0 ? QString::number(slice.slot) : tr("after the last"));
    table.row(tr("Activity"), activityName(slice.activity));
    table.row(tr("Start"), formatCyclesAndTime(slice.start, data.clock_hz));
    table.row(tr("Length"), formatCyclesAndTime(cycles, data.clock_hz));
    if (const auto pass = slice.hosted ? data.hosted.find({stage, slice.activity}) : data.hosted.end();
        pass != data.hosted.end())
        table.row(tr("Of it the host's"), formatCyclesAndTime(pass->second.host_cycles(), data.clock_hz));
    for (const analyse::PipelineSlot& slot : data.update.schedule)
        if (slot.slot == slice.slot && slot.end > slot.start)
            table.row(tr("Of the slot"), formatPercent(*share_of(cycles, slot.end - slot.start)));
    if (const auto share = share_of(cycles, data.update.cycles))
        table.row(tr("Of the update"), formatPercent(*share));
    const auto [from, to] = analyse::micro_batch_span(data.records, slice.micro_batch);
    if (slice.micro_batch >= 0 && to > from)
        table.row(tr("Micro-batch takes"), formatCyclesAndTime(to - from, data.clock_hz));
    return table.html(sliceTitle(slice));
}

} // namespace tilescope::ui
