// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_lanes.h"

#include "ui/timeline/lane_items.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;

QString text(const char* source) {
    return QCoreApplication::translate("TraceLanes", source);
}

/// Executions, steps and micro-batches narrower than this many pixels are told as a number of them.
constexpr std::int64_t least_pixels = 2;

TimelineLane execution_lane(const TraceTables& tables, const TraceWindow& window) {
    TimelineLane lane{LaneKind::Execution, text("Execution"), {}, {}, -1, text("executions")};
    const auto& all = tables.executions;
    auto e = std::upper_bound(
        all.begin(), all.end(), window.from,
        [](std::int64_t v, const profile::ExecutionRecord& x) { return v < x.start_cycle + x.cycles; });
    for (; e != all.end() && e->start_cycle < window.to; ++e) {
        TimelineSlice slice;
        slice.start = e->start_cycle;
        slice.end = e->start_cycle + e->cycles;
        slice.execution = e->id;
        slice.traced = e->traced;
        if (const profile::ExecutionIpuRecord* i = tables.executionOnIpu(e->id, window.ipu); i != nullptr)
            slice.cycles = {i->compute, i->exchange, i->sync, i->inter_ipu, i->host, i->waiting};
        if (!lane.slices.empty() && slice.end - lane.slices.back().start < least_pixels * window.resolution) {
            join(lane.slices.back(), slice);
            lane.slices.back().label.clear();
        } else {
            slice.label = tables.executionName(slice.execution);
            lane.slices.push_back(std::move(slice));
        }
    }
    return lane;
}

/// Calls `update(execution, number, start, end)` for each weight update (or step) of the traced executions
/// within the window, or once with number -1 and all of an execution where they are too short to be seen.
template<class Update>
void each_update(const TraceTables& tables, const TraceWindow& window, std::int64_t shortest,
                 const Update& update) {
    for (const profile::TracedExecution& traced : tables.traced) {
        const profile::ExecutionRecord* e = tables.execution(traced.id);
        if (e == nullptr || traced.end_cycle <= window.from || traced.start_cycle >= window.to)
            continue;
        const std::int64_t updates = std::max<std::int64_t>(1, traced.updates);
        const std::int64_t begin = traced.first_step_cycle;
        const std::int64_t length = (traced.end_cycle - begin) / updates;
        if (length < shortest || length == 0) {
            update(*e, std::int64_t{-1}, begin, traced.end_cycle);
            continue;
        }
        const std::int64_t first = std::max<std::int64_t>(0, (window.from - begin) / length);
        for (std::int64_t u = first; u < updates && begin + u * length < window.to; ++u)
            update(*e, u, begin + u * length, u + 1 == updates ? traced.end_cycle : begin + (u + 1) * length);
    }
}

TimelineLane step_lane(const TraceTables& tables, const TraceWindow& window) {
    const std::int64_t per_update = tables.steps_per_update;
    TimelineLane lane{LaneKind::Step,
                      per_update > 1 ? text("Weight update") : text("Step"),
                      {},
                      {},
                      -1,
                      per_update > 1 ? text("weight updates") : text("steps")};
    each_update(
        tables, window, least_pixels * window.resolution,
        [&](const profile::ExecutionRecord& e, std::int64_t number, std::int64_t start, std::int64_t end) {
            TimelineSlice slice;
            slice.start = start;
            slice.end = end;
            slice.execution = e.id;
            slice.step = number;
            if (number < 0) {
                slice.merged = e.steps / per_update;
            } else {
                const std::int64_t first = e.first_step + number * per_update + 1;
                slice.label = per_update == 1 ? text("step %1").arg(first)
                                              : text("update %1, steps %2–%3")
                                                    .arg(e.first_step / per_update + number + 1)
                                                    .arg(first)
                                                    .arg(first + per_update - 1);
            }
            lane.slices.push_back(std::move(slice));
        });
    return lane;
}

QString micro_batch_text(const profile::PipelineSlotRecord& slot) {
    switch (slot.activity) {
    case PipelineActivity::Forward:
        return text("%1 F").arg(slot.micro_batch);
    case PipelineActivity::Recompute:
        return text("%1 R").arg(slot.micro_batch);
    case PipelineActivity::Backward:
        return text("%1 B").arg(slot.micro_batch);
    case PipelineActivity::Copy:
        return text("copy");
    case PipelineActivity::Update:
        return text("update");
    case PipelineActivity::Waiting:
        return text("waiting");
    case PipelineActivity::Idle:
        break;
    }
    return text("idle");
}

/// What the stage of the IPU does in each weight update: every one repeats the pipeline's slots. Where a
/// whole update is too short to be seen, each stretch of a few pixels has the activities' shares of it.
class MicroBatches {
  public:
    MicroBatches(const TraceTables& tables, const TraceWindow& window) : tables_(tables), window_(window) {
        const auto ipu = std::find_if(tables.ipus.begin(), tables.ipus.end(),
                                      [&](const profile::IpuRecord& r) { return r.id == window.ipu; });
        for (const profile::PipelineSlotRecord& slot : tables.pipeline_slots)
            if (ipu != tables.ipus.end() && slot.stage == ipu->stage) {
                shares_[slot.activity] += slot.end_cycle - slot.start_cycle;
                slots_.push_back({slot.start_cycle, slot.end_cycle, slot.slot, slot.activity,
                                  slot.micro_batch, micro_batch_text(slot)});
            }
    }
    TimelineLane lane() const {
        TimelineLane lane{LaneKind::MicroBatch, text("Micro-batch"), {}, {}, -1, text("passes and copies")};
        if (!slots_.empty())
            each_update(tables_, window_, least_pixels * window_.resolution,
                        [&](const profile::ExecutionRecord& e, std::int64_t number, std::int64_t start,
                            std::int64_t end) {
                            if (number < 0)
                                blend(lane, e.id, std::max(start, window_.from), std::min(end, window_.to));
                            else if (end - start >= tables_.pipeline_cycles)
                                add(lane, e.id, number, start);
                        });
        return lane;
    }

  private:
    struct Slot {
        std::int64_t start, end, slot;
        PipelineActivity activity;
        std::int64_t micro_batch;
        QString label;
    };

    void blend(TimelineLane& lane, std::int64_t execution, std::int64_t from, std::int64_t to) const {
        const std::int64_t stretch = least_pixels * std::max<std::int64_t>(1, window_.resolution);
        for (std::int64_t start = from; start < to; start += stretch) {
            const std::int64_t length = std::min(stretch, to - start);
            double at = static_cast<double>(start);
            for (const PipelineActivity activity : analyse::pipeline_activities) {
                TimelineSlice slice;
                slice.start = std::llround(at);
                at += shares_.share(activity) * static_cast<double>(length);
                slice.end = std::llround(at);
                slice.execution = execution;
                slice.activity = activity;
                if (activity != PipelineActivity::Idle && slice.end > slice.start)
                    lane.slices.push_back(std::move(slice));
            }
        }
    }

    void add(TimelineLane& lane, std::int64_t execution, std::int64_t update, std::int64_t begin) const {
        for (const Slot& slot : slots_) {
            const std::int64_t start = begin + slot.start;
            const std::int64_t end = begin + slot.end;
            if (end <= window_.from || start >= window_.to || slot.activity == PipelineActivity::Idle)
                continue;
            TimelineSlice slice;
            slice.start = start;
            slice.end = end;
            slice.label = slot.label;
            slice.execution = execution;
            slice.step = update;
            slice.activity = slot.activity;
            slice.slot = slot.slot;
            slice.micro_batch = slot.micro_batch;
            lane.slices.push_back(std::move(slice));
        }
    }

    const TraceTables& tables_;
    const TraceWindow& window_;
    std::vector<Slot> slots_;
    analyse::PipelineCycles shares_; ///< of a weight update
};

/// The rest of a path below `parent`, which the lane above shows.
QString within(const QString& path, const QString& parent) {
    return !parent.isEmpty() && path.startsWith(parent + QLatin1Char('/')) ? path.mid(parent.size() + 1)
                                                                           : path;
}

TimelineSlice slice_of(const TraceTables& tables, const profile::TraceSlice& row) {
    TimelineSlice slice;
    slice.start = row.start_cycle;
    slice.end = row.end_cycle;
    slice.execution = row.execution_id;
    slice.step = row.step;
    slice.layer = row.layer_id;
    slice.operation = row.operation_id;
    slice.program = row.program_id;
    slice.merged = row.merged;
    slice.longest = row.longest_program_id;
    slice.longest_cycles = row.longest_cycles;
    slice.traced = row.traced;
    slice.cycles = row.cycles;
    slice.activities = row.activities;
    if (row.merged == 1 && row.traced)
        slice.label = tables.step(row.program_id >= 0 ? row.program_id : row.longest_program_id).name;
    else if (row.merged == 0)
        slice.label = row.cycles.host > row.cycles.waiting ? text("host: launch") : text("waiting");
    return slice;
}

/// Adds `slice` to a lane of what `id` names: to the slice before it where that is of the same.
void add_named(TimelineLane& lane, TimelineSlice slice, std::int64_t TimelineSlice::*id,
               const QString& name) {
    const std::int64_t own = slice.*id;
    if (own >= 0)
        slice.label = name;
    else if (own == profile::several)
        slice.label.clear();
    if (own >= 0 && !lane.slices.empty()) {
        TimelineSlice& last = lane.slices.back();
        if (last.*id == own && last.execution == slice.execution && last.step == slice.step &&
            slice.step >= 0 && last.end == slice.start)
            return join(last, slice);
    }
    lane.slices.push_back(std::move(slice));
}

} // namespace

std::vector<TimelineLane> trace_lanes(const TraceTables& tables, const TraceWindow& window) {
    const QString steps = text("program steps");
    TimelineLane layers{LaneKind::Layer, text("Layer"), {}, {}, -1, steps};
    TimelineLane operations{LaneKind::Operation, text("Operation"), {}, {}, -1, steps};
    TimelineLane program{LaneKind::Program, text("Program step"), {}, {}, -1, steps};
    TimelineLane phases{LaneKind::Phases, text("Phases"), {}, {}, -1, steps};
    phases.slices.reserve(window.slices.size());
    for (const profile::TraceSlice& row : window.slices) {
        phases.slices.push_back(slice_of(tables, row));
        if (!row.traced || row.merged == 0)
            continue;
        TimelineSlice slice = phases.slices.back();
        slice.label = within(slice.label, tables.operationName(slice.operation));
        program.slices.push_back(slice);
        add_named(operations, slice, &TimelineSlice::operation,
                  within(tables.operationName(slice.operation), tables.layerName(slice.layer)));
        add_named(layers, slice, &TimelineSlice::layer, tables.layerName(slice.layer));
    }
    std::vector<TimelineLane> result;
    result.push_back(execution_lane(tables, window));
    result.push_back(step_lane(tables, window));
    if (TimelineLane micro_batches = MicroBatches(tables, window).lane(); !micro_batches.slices.empty())
        result.push_back(std::move(micro_batches));
    for (TimelineLane* lane : {&layers, &operations, &program, &phases})
        result.push_back(std::move(*lane));
    return result;
}

} // namespace tilescope::ui
