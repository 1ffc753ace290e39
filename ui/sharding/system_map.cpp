// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sharding/system_map.h"

#include "analyse/operation_figures.h"
#include "analyse/replicas.h"
#include "analyse/stage_ipus.h"
#include "base/share.h"
#include "base/try.h"
#include "sharding_text.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/detail_table.h"
#include "ui/widgets/phase_look.h"

#include <QStringList>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilescope::ui {
namespace {

/// Layers by the shard that runs them: the operations name the IPUs of the first replica.
using LayersByShard = std::map<std::int64_t, std::vector<MappedLayer>>;

Result<LayersByShard> layersOf(const profile::Profile& file, const analyse::Parts& parts,
                               const analyse::Costs& costs, analyse::Basis basis) {
    std::map<std::int64_t, analyse::LiveVariables> live; // by IPU
    std::map<std::int64_t, const profile::LayerRecord*> layer_of_id;
    for (const profile::LayerRecord& layer : parts.layers)
        layer_of_id[layer.id] = &layer;
    LayersByShard found;
    std::set<std::pair<std::int64_t, std::int64_t>> listed; // by IPU, and layer or operation
    const bool alone = parts.layers.empty();                // a small graph: each operation for itself
    for (const profile::OperationRecord& op : parts.operations) {
        if (!listed.insert({op.ipu, alone ? op.id : op.layer_id}).second)
            continue;
        const analyse::Cost cost = alone ? costs.operation(op.id, op.ipu) : costs.layer(op.layer_id, op.ipu);
        const auto layer = layer_of_id.find(op.layer_id);
        MappedLayer row;
        row.id = alone ? op.id : op.layer_id;
        row.name = alone                        ? QString::fromStdString(op.name)
                   : layer == layer_of_id.end() ? shardingText("(no layer)")
                                                : QString::fromStdString(layer->second->name);
        row.kind = alone                        ? QString::fromStdString(op.kind)
                   : layer == layer_of_id.end() ? shardingText("loss, metrics")
                                                : QString::fromStdString(layer->second->kind);
        row.cycles = costs.in(basis, cost.cycles).total();
        row.share = costs.share_or_planned(cost);
        if (const auto lost = analyse::lost_cycles(cost))
            row.lost = costs.in(basis, static_cast<double>(*lost));
        const auto [on_ipu, fresh] = live.try_emplace(op.ipu);
        if (fresh) {
            TRY(on_ipu->second, analyse::live_variables(file, op.ipu));
        }
        const auto& held = alone ? on_ipu->second.by_operation : on_ipu->second.by_layer;
        if (const auto of = held.find(row.id); of != held.end())
            row.bytes = of->second.at_peak;
        found[op.ipu].push_back(std::move(row));
    }
    return found;
}

Result<void> readMemory(const profile::Profile& file, MappedIpu& ipu) {
    TRY(const auto memory, analyse::ipu_memory(file, ipu.record.id));
    if (!memory)
        return {};
    ipu.fullest_tile = memory->fullest.tile;
    ipu.fullest_bytes = memory->fullest.bytes;
    ipu.fullest_always_live = memory->fullest_always_live;
    ipu.total_bytes = memory->total_bytes;
    ipu.total_always_live = memory->always_live_bytes;
    return {};
}

} // namespace

Result<SystemMap> SystemMap::read(const profile::Profile& file, const analyse::Parts& parts, const Per& per) {
    TRY(const auto ipus, file.ipus());
    TRY(const auto target, file.target());
    TRY(const auto run, file.run());
    TRY(const auto costs, analyse::Costs::read(file));
    TRY(auto links, file.link_traffic());
    TRY(const auto kind, analyse::main_kind(file));
    SystemMap map;
    map.bytes_per_tile = target.bytes_per_tile;
    map.tiles_per_ipu = target.tiles_per_ipu;
    map.clock_hz = target.clock_hz;
    map.trimmed = run.trimmed;
    map.ipus_run = target.ipus;
    map.planned = costs.planned() > 0;
    map.layers_named = !parts.layers.empty();
    map.traffic = {std::move(links), costs.loops(),
                   analyse::common_basis(per.base ? &*per.base : nullptr, costs.loops(), per.wanted),
                   map.planned ? costs.planned() : costs.elapsed()};
    const std::map<std::int64_t, std::int64_t> stage_ipus = analyse::stage_ipus(parts.operations, ipus);
    map.stages = static_cast<std::int64_t>(stage_ipus.size());
    TRY(const LayersByShard by_shard, layersOf(file, parts, costs, map.basis()));
    TRY(const auto tensors, file.tensors());
    map.cuts = analyse::cuts(parts.operations, parts.layers, tensors);
    for (const profile::IpuRecord& record : ipus) {
        map.replicas = std::max(map.replicas, record.replica + 1);
        map.shards = std::max(map.shards, record.shard + 1);
    }
    std::vector<analyse::FullestTile> fullest;
    for (const profile::IpuRecord& record : ipus) {
        MappedIpu ipu;
        ipu.record = record;
        ipu.stages = analyse::stages_on(record, stage_ipus);
        if (const auto found = by_shard.find(analyse::first_like(record, ipus)); found != by_shard.end())
            ipu.layers = found->second;
        TRY(readMemory(file, ipu));
        if (map.planned) {
            ipu.phases = costs.planned_phases(record.id);
        } else {
            TRY(ipu.phases, file.phase_cycles(kind, record.id));
        }
        if (ipu.fullest_tile >= 0)
            fullest.push_back({record.id, ipu.fullest_tile, ipu.fullest_bytes});
        map.ipus.push_back(std::move(ipu));
    }
    map.fullest = analyse::fullest_of(fullest);
    if (map.planned) {
        map.phases = costs.planned_phases();
    } else {
        TRY(map.phases, file.phase_cycles(kind));
    }
    return map;
}

const MappedIpu* SystemMap::ipu(std::int64_t id) const {
    const auto found =
        std::find_if(ipus.begin(), ipus.end(), [id](const MappedIpu& i) { return i.record.id == id; });
    return found == ipus.end() ? nullptr : &*found;
}

std::string SystemMap::cutOf(const profile::LinkTrafficRecord& link) const {
    const MappedIpu* from = ipu(link.ipu);
    const MappedIpu* to = ipu(link.peer);
    if (link.kind != profile::LinkKind::Copy || from == nullptr || to == nullptr)
        return {};
    std::vector<profile::IpuRecord> records;
    for (const MappedIpu& each : ipus)
        records.push_back(each.record);
    for (const analyse::Cut& cut : cuts)
        if (cut.from_ipu == analyse::first_like(from->record, records) &&
            cut.to_ipu == analyse::first_like(to->record, records))
            return cut.text();
    return {};
}

std::vector<analyse::ReplicaFigures> SystemMap::replicaFigures() const {
    std::vector<analyse::IpuOfReplica> all;
    for (const MappedIpu& each : ipus)
        all.push_back({each.record,
                       each.fullest_tile < 0 ? std::nullopt
                                             : std::optional(analyse::FullestTile{
                                                   each.record.id, each.fullest_tile, each.fullest_bytes}),
                       each.total_bytes, each.phases});
    return analyse::replica_figures(all, traffic);
}

const MappedIpu* SystemMap::before(const MappedIpu& ipu) const {
    return base ? base->ipu(ipu.record.id) : nullptr;
}

void SystemMap::compareWith(std::shared_ptr<const SystemMap> other, const analyse::Matching& matching,
                            std::vector<analyse::MovedLayer> moved_layers) {
    base = std::move(other);
    moved = std::move(moved_layers);
    const auto& matches = layers_named ? matching.layers : matching.operations;
    for (MappedIpu& ipu : ipus)
        for (MappedLayer& layer : ipu.layers) {
            const auto match = matches.find(layer.id);
            if (layer.id >= 0 && match == matches.end()) {
                const bool split = layers_named && matching.split.contains(layer.id);
                layer.moved = split ? shardingText("split off") : shardingText("new");
                continue;
            }
            const auto move = std::find_if(moved.begin(), moved.end(),
                                           [&](const auto& each) { return each.id == layer.id; });
            if (layers_named && move != moved.end())
                layer.moved = QString::fromStdString(analyse::move_text(*move));
            const MappedIpu* there = before(ipu);
            const std::int64_t id = layer.id < 0 ? layer.id : match->second;
            for (std::size_t l = 0; comparesTime() && there != nullptr && l < there->layers.size(); ++l)
                if (there->layers[l].id == id)
                    layer.share_before = there->layers[l].share;
        }
}

QString stagesName(const MappedIpu& ipu) {
    return QString::fromStdString(analyse::stages_text(ipu.stages));
}

QString shardName(const SystemMap& map, const MappedIpu& ipu) {
    QStringList parts;
    if (!ipu.stages.empty()) {
        parts << asHead(stagesName(ipu));
    } else if (map.shards > 1) {
        parts << shardingText("Shard %1").arg(ipu.record.shard);
    }
    if (map.replicas > 1)
        parts << (parts.isEmpty() ? shardingText("Replica %1") : shardingText("replica %1"))
                     .arg(ipu.record.replica);
    return parts.isEmpty() ? shardingText("The whole model") : parts.join(QStringLiteral(", "));
}

QString linkPeriod(const SystemMap& map) {
    return QString::fromStdString(analyse::per(map.basis()));
}

QString linkKindName(profile::LinkKind kind) {
    return kind == profile::LinkKind::AllReduce ? shardingText("collective") : shardingText("copy");
}

namespace {

/// In one piece: a figure and its unit stay in one line.
QString percent(double share) {
    return formatPercent(share).replace(QLatin1Char(' '), QChar::Nbsp);
}

QString bytesOf(std::int64_t bytes, std::int64_t capacity) {
    return QStringLiteral("%1 of %2 (%3)")
        .arg(formatBytes(bytes), formatBytes(capacity), percent(share_of(bytes, capacity).value_or(0)));
}

} // namespace

QString ipuText(const SystemMap& map, const MappedIpu& ipu) {
    DetailTable table;
    const MappedIpu* before = map.before(ipu);
    const auto behind = [](QString text) { // a figure and its unit stay in one line
        return QStringLiteral("; ") + text.replace(QLatin1Char(' '), QChar::Nbsp);
    };
    const auto change = [&](double then, double now) { return behind(formatChange(then, now)); };
    const auto points = [&](double then, double now) { return behind(formatPoints(then, now)); };
    const auto bytes = [&](std::int64_t MappedIpu::*figure, std::int64_t capacity) {
        return bytesOf(ipu.*figure, capacity) +
               (before != nullptr && before->fullest_tile >= 0
                    ? change(static_cast<double>(before->*figure), static_cast<double>(ipu.*figure))
                    : QString());
    };
    table.row(shardingText("Runs"), shardName(map, ipu));
    table.row(shardingText("Device"), shardingText("%1 of the system").arg(ipu.record.device_id));
    if (ipu.fullest_tile >= 0) {
        table.row(shardingText("Fullest tile"), bytes(&MappedIpu::fullest_bytes, map.bytes_per_tile));
        table.richRow({}, shardingText("%1; always live %2")
                              .arg(subjectLink(Subject::Tile, ipu.fullest_tile,
                                               shardingText("tile %1").arg(ipu.fullest_tile), ipu.record.id),
                                   formatBytes(ipu.fullest_always_live)));
        table.row(shardingText("Sum of tile peaks"), bytes(&MappedIpu::total_bytes, map.capacity()));
        table.row({}, shardingText("always live %1").arg(formatBytes(ipu.total_always_live)));
    }
    for (const PhaseLook& look : phaseLooks()) {
        const auto share = analyse::phase_share(ipu.phases, look.cycles);
        const auto was = before == nullptr || !map.comparesTime()
                             ? std::nullopt
                             : analyse::phase_share(before->phases, look.cycles);
        table.row(map.planned ? shardingText("%1, planned").arg(look.title) : look.title,
                  share ? percent(*share) + (was ? points(*was, *share) : QString()) : QString());
    }
    if (!ipu.layers.empty())
        table.row(map.layers_named ? shardingText("Layers") : shardingText("Operations"),
                  (map.planned ? shardingText("planned, %1, with the share of the IPU's time")
                               : shardingText("%1, with the share of the IPU's time"))
                      .arg(QString::fromStdString(analyse::per(map.basis()))));
    for (const MappedLayer& layer : ipu.layers) {
        QString text = formatCyclesAndTime(layer.cycles, map.clock_hz);
        if (layer.share)
            text = shardingText("%1, %2").arg(text, percent(*layer.share));
        if (layer.share && layer.share_before)
            text += points(*layer.share_before, *layer.share);
        if (!layer.moved.isEmpty())
            text += QStringLiteral("; ") + layer.moved;
        table.row(subjectLink(Subject::Layer, layer.id, layer.name), text);
    }
    return table.html(shardingText("IPU %1").arg(ipu.record.id));
}

QString linkText(const SystemMap& map, const profile::LinkTrafficRecord& link) {
    DetailTable table;
    table.row(shardingText("Kind"), linkKindName(link.kind));
    for (const auto& [name, ipu] :
         {std::pair{shardingText("From"), link.ipu}, std::pair{shardingText("To"), link.peer}})
        table.richRow(name, subjectLink(Subject::Ipu, ipu, shardingText("IPU %1").arg(ipu)));
    const analyse::LinkFigures figures = map.traffic.of(link);
    table.row(shardingText("Exchanges"), formatNumber(figures.exchanges));
    table.row(shardingText("Bytes"),
              QStringLiteral("%1 (%2)").arg(formatBytes(figures.bytes), formatNumber(figures.bytes)));
    table.row(shardingText("Cycles"), formatCyclesAndTime(figures.cycles, map.clock_hz));
    table.row({}, linkPeriod(map));
    if (const auto in_use = map.traffic.in_use(link))
        table.row(shardingText("In use"), shardingText("%1 of the time").arg(formatPercent(*in_use)));
    if (const std::string cut = map.cutOf(link); !cut.empty())
        table.row(shardingText("The cut"), QString::fromStdString(cut));
    return table.html(shardingText("IPU %1 to IPU %2").arg(link.ipu).arg(link.peer));
}

} // namespace tilescope::ui
