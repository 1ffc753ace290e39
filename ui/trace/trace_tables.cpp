// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_tables.h"

#include "ui/widgets/first_error.h"

#include <QCoreApplication>
#include <algorithm>

namespace tilescope::ui {
namespace {

QString text(const char* source) {
    return QCoreApplication::translate("TraceTables", source);
}

/// Grows to hold `id`; ids are dense, so the table stays small.
template<class T>
T& at(std::vector<T>& table, std::int64_t id) {
    const auto index = static_cast<std::size_t>(id);
    if (table.size() <= index)
        table.resize(index + 1);
    return table[index];
}

template<class T>
bool holds(const std::vector<T>& table, std::int64_t id) {
    return id >= 0 && id < static_cast<std::int64_t>(table.size());
}

} // namespace

Result<TraceTables> TraceTables::read(const profile::Profile& file) {
    TraceTables t;
    const auto target = file.target();
    const auto range = file.time_range();
    auto ipus = file.ipus();
    auto executions = file.executions();
    auto execution_ipus = file.execution_ipus();
    const auto layers = file.layers();
    const auto operations = file.operations();
    const auto exchanges = file.exchanges();
    const auto program = file.program();
    if (const Error* error = first_error(target, range, ipus, executions, execution_ipus, layers, operations,
                                         exchanges, program))
        return Failure(*error);
    t.clock_hz = target->clock_hz;
    t.range = *range;
    t.ipus = std::move(*ipus);
    t.executions = std::move(*executions);
    t.execution_ipus = std::move(*execution_ipus);
    for (const profile::LayerRecord& layer : *layers)
        at(t.layers_, layer.id) = QString::fromStdString(layer.name);
    for (const profile::OperationRecord& op : *operations)
        at(t.operations_, op.id) = {QString::fromStdString(op.name), op.layer_id};
    std::vector<char> between;
    for (const profile::ExchangeRecord& exchange : *exchanges)
        at(between, exchange.id) = exchange.kind == "inter_ipu" ? 1 : 0;
    std::vector<std::int64_t> parents;
    for (const profile::ProgramRecord& row : *program) {
        at(parents, row.id) = row.parent_id;
        if (t.leaf_.size() < parents.size())
            t.leaf_.resize(parents.size(), false);
        t.leaf_[static_cast<std::size_t>(row.id)] =
            row.kind != "sequence" && row.kind != "repeat" && row.kind != "switch";
        Step& step = at(t.steps_, row.id);
        step.name = QString::fromStdString(row.name.empty() ? row.kind : row.name);
        step.operation = row.operation_id;
        step.host = row.kind == "stream_copy";
        step.inter_ipu =
            holds(between, row.exchange_id) && between[static_cast<std::size_t>(row.exchange_id)] != 0;
    }
    for (std::size_t i = 0; i < t.steps_.size(); ++i) {
        // A step without an operation of its own belongs to the nearest ancestor's.
        std::int64_t ancestor = static_cast<std::int64_t>(i);
        for (std::size_t depth = 0; depth < t.steps_.size() && holds(t.steps_, ancestor); ++depth) {
            if (const std::int64_t op = t.steps_[static_cast<std::size_t>(ancestor)].operation; op >= 0) {
                t.steps_[i].operation = op;
                break;
            }
            ancestor = parents[static_cast<std::size_t>(ancestor)];
        }
        if (holds(t.operations_, t.steps_[i].operation))
            t.steps_[i].layer = t.operations_[static_cast<std::size_t>(t.steps_[i].operation)].second;
    }
    return t;
}

const TraceTables::Step& TraceTables::step(std::int64_t id) const {
    static const Step none;
    return holds(steps_, id) ? steps_[static_cast<std::size_t>(id)] : none;
}

QString TraceTables::operationName(std::int64_t id) const {
    return holds(operations_, id) ? operations_[static_cast<std::size_t>(id)].first : QString();
}

std::int64_t TraceTables::layerOf(std::int64_t operation) const {
    return holds(operations_, operation) ? operations_[static_cast<std::size_t>(operation)].second : -1;
}

QString TraceTables::layerName(std::int64_t id) const {
    return holds(layers_, id) ? layers_[static_cast<std::size_t>(id)] : QString();
}

const profile::ExecutionRecord* TraceTables::execution(std::int64_t id) const {
    const auto found =
        std::lower_bound(executions.begin(), executions.end(), id,
                         [](const profile::ExecutionRecord& e, std::int64_t v) { return e.id < v; });
    return found != executions.end() && found->id == id ? &*found : nullptr;
}

QString TraceTables::executionName(std::int64_t id) const {
    const profile::ExecutionRecord* e = execution(id);
    if (e == nullptr)
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

namespace {

/// The rest of a path below `parent`, which the lane above shows.
QString within(const QString& path, const QString& parent) {
    return !parent.isEmpty() && path.startsWith(parent + QLatin1Char('/')) ? path.mid(parent.size() + 1)
                                                                           : path;
}

/// Lengthens the last slice of a lane by its neighbour.
void join(TimelineSlice& last, const TimelineSlice& slice) {
    last.end = slice.end;
    last.merged += slice.merged;
    last.sync += slice.sync;
    last.exchange += slice.exchange;
    last.compute += slice.compute;
    last.host += slice.host;
    last.inter_ipu = last.inter_ipu && slice.inter_ipu;
    if (last.program != slice.program)
        last.program = -1;
}

void add_or_join(TimelineLane& lane, const TimelineSlice& slice, bool same) {
    if (same)
        join(lane.slices.back(), slice);
    else
        lane.slices.push_back(slice);
}

} // namespace

TimelineLane TraceTables::executionLane(const Window& window) const {
    TimelineLane lane{LaneKind::Execution, text("Execution"), {}};
    auto first = std::upper_bound(
        executions.begin(), executions.end(), window.from,
        [](std::int64_t v, const profile::ExecutionRecord& e) { return v < e.start_cycle + e.cycles; });
    for (; first != executions.end() && first->start_cycle < window.to; ++first) {
        TimelineSlice slice;
        slice.start = first->start_cycle;
        slice.end = first->start_cycle + first->cycles;
        slice.execution = first->id;
        slice.whole = !first->traced;
        const bool same = !lane.slices.empty() && slice.end - lane.slices.back().start < window.resolution;
        add_or_join(lane, slice, same);
    }
    for (TimelineSlice& slice : lane.slices)
        slice.label = slice.merged == 1 ? executionName(slice.execution) : QString();
    return lane;
}

TimelineSlice TraceTables::phaseSlice(const profile::TraceSlice& row) const {
    // A merged slice counts as what most of it is: lanes keep their shape when one zooms out.
    const Step& info = step(row.program_id >= 0 ? row.program_id : row.longest_program_id);
    TimelineSlice slice;
    slice.start = row.start_cycle;
    slice.end = row.end_cycle;
    slice.label = row.merged == 1 ? info.name : QString();
    slice.execution = row.execution_id;
    slice.step = row.step;
    slice.layer = info.layer;
    slice.operation = info.operation;
    slice.program = row.program_id;
    slice.merged = row.merged;
    slice.sync = row.cycles.sync;
    slice.compute = row.cycles.compute;
    slice.inter_ipu = info.inter_ipu && row.merged == 1;
    slice.whole = !row.traced;
    slice.exchange = row.cycles.exchange + row.cycles.inter_ipu;
    slice.host = row.cycles.host;
    return slice;
}

const profile::ExecutionIpuRecord* TraceTables::executionOnIpu(std::int64_t id, std::int64_t ipu) const {
    const auto found = std::lower_bound(execution_ipus.begin(), execution_ipus.end(), std::pair(id, ipu),
                                        [](const profile::ExecutionIpuRecord& row, const auto& key) {
                                            return std::pair(row.execution_id, row.ipu) < key;
                                        });
    return found != execution_ipus.end() && found->execution_id == id && found->ipu == ipu ? &*found
                                                                                           : nullptr;
}

TimelineLane TraceTables::phaseLane(const Window& window) const {
    TimelineLane lane{LaneKind::Phases, text("Phases"), {}};
    lane.slices.reserve(window.slices.size());
    std::int64_t before = -1;
    for (const profile::TraceSlice& row : window.slices) {
        const profile::ExecutionRecord* e =
            row.execution_id == before ? nullptr : execution(row.execution_id);
        if (e != nullptr && e->traced && e->start_cycle >= window.from && row.start_cycle > e->start_cycle) {
            TimelineSlice host;
            host.start = e->start_cycle;
            host.end = row.start_cycle;
            host.execution = e->id;
            host.host = host.end - host.start;
            host.label = text("host");
            lane.slices.push_back(host);
        }
        if (row.execution_id >= 0)
            before = row.execution_id;
        lane.slices.push_back(phaseSlice(row));
    }
    return lane;
}

std::vector<TimelineLane> TraceTables::lanes(const Window& window) const {
    TimelineLane steps{LaneKind::Step, text("Step"), {}};
    TimelineLane layers{LaneKind::Layer, text("Layer"), {}};
    TimelineLane operations{LaneKind::Operation, text("Operation"), {}};
    TimelineLane program{LaneKind::Program, text("Program step"), {}};
    TimelineLane phases = phaseLane(window);
    for (const TimelineSlice& row : phases.slices) {
        if (row.whole || (row.program < 0 && row.merged == 1))
            continue;
        TimelineSlice slice = row;
        slice.label = within(slice.label, operationName(slice.operation));
        program.slices.push_back(slice);
        if (slice.step < 0) // of several steps no one layer is what most of it is
            slice.layer = slice.operation = slice.program = -1;
        const bool same_step = !steps.slices.empty() && steps.slices.back().step == slice.step &&
                               steps.slices.back().execution == slice.execution;
        slice.label = within(operationName(slice.operation), layerName(slice.layer));
        add_or_join(operations, slice,
                    same_step && !operations.slices.empty() &&
                        operations.slices.back().operation == slice.operation);
        slice.label = layerName(slice.layer);
        add_or_join(layers, slice,
                    same_step && !layers.slices.empty() && layers.slices.back().layer == slice.layer);
        slice.label = slice.step < 0 ? QString() : text("step %1").arg(slice.step + 1);
        add_or_join(steps, slice, same_step);
    }
    std::vector<TimelineLane> result;
    result.push_back(executionLane(window));
    for (TimelineLane* lane : {&steps, &layers, &operations, &program, &phases})
        result.push_back(std::move(*lane));
    return result;
}

std::vector<OverviewPiece> TraceTables::overview(std::size_t pieces) const {
    std::vector<OverviewPiece> result;
    const double whole = static_cast<double>(range.second - range.first);
    if (whole <= 0 || pieces == 0)
        return result;
    const double least = whole / static_cast<double>(pieces);
    const double share = 1.0 / static_cast<double>(std::max<std::size_t>(1, ipus.size()));
    OverviewPiece piece;
    std::int64_t covered = 0;
    std::size_t row = 0;
    const auto flush = [&] {
        if (covered > 0) {
            for (double* value : {&piece.compute, &piece.exchange, &piece.sync, &piece.host})
                *value *= share / static_cast<double>(covered);
            result.push_back(piece);
        }
        covered = 0;
    };
    for (const profile::ExecutionRecord& e : executions) {
        if (covered == 0) {
            piece = {};
            piece.start = e.start_cycle;
        }
        piece.end = e.start_cycle + e.cycles;
        covered += e.cycles;
        while (row < execution_ipus.size() && execution_ipus[row].execution_id < e.id)
            ++row;
        for (; row < execution_ipus.size() && execution_ipus[row].execution_id == e.id; ++row) {
            const profile::ExecutionIpuRecord& r = execution_ipus[row];
            piece.compute += static_cast<double>(r.compute);
            piece.exchange += static_cast<double>(r.exchange + r.inter_ipu);
            piece.sync += static_cast<double>(r.sync);
            piece.host += static_cast<double>(r.host);
        }
        if (static_cast<double>(piece.end - piece.start) >= least)
            flush();
    }
    flush();
    return result;
}

std::vector<std::int64_t> TraceTables::find(const QString& wanted) const {
    std::vector<std::int64_t> hits;
    if (wanted.isEmpty())
        return hits;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (!leaf_[i])
            continue;
        const Step& s = steps_[i];
        for (const QString& name : {s.name, operationName(s.operation), layerName(s.layer)})
            if (name.contains(wanted, Qt::CaseInsensitive)) {
                hits.push_back(static_cast<std::int64_t>(i));
                break;
            }
    }
    return hits;
}

} // namespace tilescope::ui
