// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_lanes.h"

#include "analyse/slot_figures.h"
#include "base/try.h"
#include "each_execution.h"
#include "trace_text.h"
#include "ui/session/format.h"
#include "ui/timeline/lane_items.h"
#include "ui/timeline/pipeline_slice.h"
#include "ui/trace/lane_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <unordered_map>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;

/// Executions, steps and micro-batches narrower than this many pixels are told as a number of them.
constexpr std::int64_t least_pixels = 2;

TimelineLane execution_lane(const TraceTables& tables, const TraceWindow& window) {
    TimelineLane lane{LaneKind::Execution, laneKindName(LaneKind::Execution, false), {}, {}, -1,
                      text("executions")};
    const std::int64_t shortest = least_pixels * window.resolution;
    each_execution(tables, window, shortest,
                   [&](const profile::ExecutionGroupRecord& group, std::int64_t first, std::int64_t count) {
                       TimelineSlice slice;
                       slice.start = group.start_cycle + first * group.period_cycles;
                       slice.end = slice.start + (count - 1) * group.period_cycles + group.cycles;
                       slice.execution = count == 1 ? group.id + first : -1;
                       slice.merged = count;
                       slice.traced = tables.schedule(group.schedule_id) != nullptr;
                       if (const auto* i = tables.scheduleOnIpu(group.schedule_id, window.ipu); i != nullptr)
                           slice.cycles = profile::PhaseCycles{i->compute,   i->exchange, i->sync,
                                                               i->inter_ipu, i->host,     i->waiting}
                                              .times(count);
                       if (!lane.slices.empty() && slice.end - lane.slices.back().start < shortest) {
                           join(lane.slices.back(), slice);
                           lane.slices.back().label.clear();
                       } else {
                           if (count == 1)
                               slice.label = tables.executionName(slice.execution);
                           lane.slices.push_back(std::move(slice));
                       }
                   });
    return lane;
}

/// Some weight updates (or steps) of an execution, or all of several executions.
struct Updates {
    std::int64_t execution = -1; ///< -1: of several
    std::int64_t first_step = 0; ///< of the execution, within its epoch
    std::int64_t number = -1;    ///< -1: all of the execution
    std::int64_t count = 1;
    std::int64_t start = 0;
    std::int64_t end = 0;
    double share = 1;         ///< of that time: the rest is spent on launching
    std::int64_t steps = 1;   ///< of each
    std::int64_t program = 0; ///< device program
};

/// Calls `visit` for each weight update (or step) within the window, and once for all of an execution, or of
/// several, where they are too short to be seen.
template<class Visit>
void each_update(const TraceTables& tables, const TraceWindow& window, std::int64_t shortest,
                 const Visit& visit) {
    each_execution(
        tables, window, shortest,
        [&](const profile::ExecutionGroupRecord& group, std::int64_t index, std::int64_t count) {
            const profile::ExecutionRecord e = group.at(index);
            const auto turns = tables.turnsOf(e);
            if (!turns)
                return;
            const auto& [begin, end, of_run, program, alike] = *turns;
            const auto& [updates, steps, length] = of_run;
            if (count > 1) {
                visit(Updates{
                    -1, 0, -1, count * updates, e.start_cycle, end + (count - 1) * group.period_cycles,
                    static_cast<double>(end - begin) / static_cast<double>(e.cycles), steps, program});
                return;
            }
            if (length < shortest || length == 0) {
                visit(Updates{e.id, e.first_step, -1, updates, begin, end, 1, steps, program});
                return;
            }
            for (std::int64_t u = turns->at(window.from); u < updates && turns->start(u) < window.to; ++u)
                visit(Updates{e.id, e.first_step, u, 1, turns->start(u), turns->start(u + 1), 1, steps,
                              program});
        });
}

TimelineLane step_lane(const TraceTables& tables, const TraceWindow& window) {
    TimelineLane lane{LaneKind::Step,
                      laneKindName(LaneKind::Step, tables.updates()),
                      {},
                      {},
                      -1,
                      tables.updates() ? text("weight updates") : text("steps")};
    each_update(tables, window, least_pixels * window.resolution, [&](const Updates& updates) {
        TimelineSlice slice;
        slice.start = updates.start;
        slice.end = updates.end;
        slice.execution = updates.execution;
        slice.step = updates.number;
        slice.merged = updates.count;
        if (updates.number >= 0) {
            const std::int64_t of_update = updates.steps;
            const std::int64_t first = updates.first_step + updates.number * of_update + 1;
            slice.label = formatSteps(first, first + of_update - 1);
            if (of_update > 1 && tables.updates(updates.execution))
                slice.label.prepend(
                    text("update %1, ")
                        .arg(formatCount(updates.first_step / of_update + updates.number + 1)));
        }
        lane.slices.push_back(std::move(slice));
    });
    return lane;
}

/// Adds a slice for each activity but idling, as long as its share of `length` cycles from `start` on.
void add_shares(std::vector<TimelineSlice>& slices, const analyse::SlotFigures& spent, std::int64_t start,
                double length, std::int64_t execution = -1) {
    for (const analyse::ActivityStretch& stretch : spent.laid_out(start, length)) {
        TimelineSlice slice;
        slice.start = stretch.start;
        slice.end = stretch.end;
        slice.execution = execution;
        slice.activity = stretch.activity;
        slice.merged = stretch.slots;
        slices.push_back(std::move(slice));
    }
}

using analyse::Slots;

/// The slots of a weight update as far as they can be told apart: neighbours shorter than `shortest` cycles
/// become stretches of about as many; of whole turns of the pipeline where these are hardly longer, so that
/// all stretches of its steady state are alike. Parts of `slots`, in order.
std::vector<Slots> seen(Slots slots, std::int64_t shortest) {
    std::vector<Slots> parts;
    for (std::size_t at = 0; at < slots.size();) {
        const std::size_t first = at;
        const auto turn = next_turn(slots, first, slots.size(), static_cast<double>(shortest) / least_pixels,
                                    2 * static_cast<double>(shortest));
        const std::size_t last = turn.value_or(slots.size());
        while (at != last && (turn || slots[at].end_cycle - slots[first].start_cycle <= shortest))
            ++at;
        at = std::max(at, first + 1);
        parts.push_back(slots.subspan(first, at - first));
    }
    return parts;
}

/// What the stage of the IPU does in each weight update: every one repeats the pipeline's slots. Where a
/// whole update is too short to be seen, each stretch of a few pixels has the activities' shares of it.
class MicroBatches {
  public:
    MicroBatches(const TraceTables& tables, const TraceWindow& window) : tables_(tables), window_(window) {
        for (const auto& [program, pipeline] : tables.pipelines) {
            const Slots slots = tables.slotsOn(pipeline, window.ipu);
            Passes passes{seen(slots, least_pixels * window.resolution), analyse::slot_figures(slots),
                          pipeline.cycles};
            if (!passes.parts.empty())
                passes_[program] = std::move(passes);
        }
    }
    TimelineLane lane() {
        TimelineLane lane{LaneKind::MicroBatch,     laneKindName(LaneKind::MicroBatch, false), {}, {}, -1,
                          text("passes and copies")};
        if (passes_.empty())
            return lane;
        constexpr std::size_t usual = 4096; // of a screen: they are not moved as they grow
        lane.slices.reserve(usual);
        each_update(tables_, window_, least_pixels * window_.resolution, [&](const Updates& updates) {
            const auto passes = passes_.find(updates.program);
            if (passes == passes_.end())
                return; // it has no pipeline
            if (updates.number < 0)
                blend(lane, passes->second, updates);
            else if (updates.end - updates.start >= passes->second.cycles)
                add(lane, passes->second, updates.execution, updates.number, updates.start);
        });
        return lane;
    }

  private:
    struct Passes {               ///< of a device program
        std::vector<Slots> parts; ///< as far as they can be told apart
        analyse::SlotFigures all; ///< of a weight update
        std::int64_t cycles = 0;  ///< the same
    };
    void blend(TimelineLane& lane, const Passes& passes, const Updates& updates) const {
        const std::int64_t stretch = least_pixels * std::max<std::int64_t>(1, window_.resolution);
        const std::int64_t to = std::min(updates.end, window_.to);
        const double per_cycle =
            static_cast<double>(updates.count) / static_cast<double>(updates.end - updates.start);
        for (std::int64_t start = std::max(updates.start, window_.from); start < to; start += stretch) {
            const std::int64_t length = std::min(stretch, to - start);
            const auto before = static_cast<double>(start - updates.start) * per_cycle; // weight updates
            const double after = before + static_cast<double>(length) * per_cycle;
            add_shares(lane.slices, passes.all.between(before, after), start,
                       updates.share * static_cast<double>(length), updates.execution);
        }
    }

    /// The parts within the window, of which several slots have the activities' shares.
    void add(TimelineLane& lane, const Passes& passes, std::int64_t execution, std::int64_t update,
             std::int64_t begin) {
        auto part = std::partition_point(passes.parts.begin(), passes.parts.end(), [&](const Slots& slots) {
            return begin + slots.back().end_cycle <= window_.from;
        });
        for (; part != passes.parts.end() && begin + part->front().start_cycle < window_.to; ++part) {
            std::vector<TimelineSlice> slices;
            if (part->size() == 1) {
                slices.push_back(pipelineSlice(part->front()));
                slices.back().start += begin;
                slices.back().end += begin;
                slices.back().label = passText(part->front());
            } else {
                const std::int64_t length = part->back().end_cycle - part->front().start_cycle;
                add_shares(slices, spentOn(*part), begin + part->front().start_cycle,
                           static_cast<double>(length));
            }
            for (TimelineSlice& slice : slices) {
                if (slice.end <= window_.from || slice.start >= window_.to ||
                    slice.activity == PipelineActivity::Idle)
                    continue;
                slice.execution = execution;
                slice.step = update;
                lane.slices.push_back(std::move(slice));
            }
        }
    }

    /// The slots of a part, and the time between them: the same in each weight update.
    const analyse::SlotFigures& spentOn(const Slots& part) {
        const auto [found, fresh] = spent_.try_emplace(part.data());
        if (fresh)
            found->second = analyse::stretch_figures(part);
        return found->second;
    }

    const TraceTables& tables_;
    const TraceWindow& window_;
    std::map<std::int64_t, Passes> passes_; ///< by device program
    std::unordered_map<const profile::PipelineSlotRecord*, analyse::SlotFigures>
        spent_; ///< by the first of a part
};

TimelineSlice slice_of(const TraceProgram& program, const profile::TraceSlice& row) {
    TimelineSlice slice;
    static_cast<profile::SliceFigures&>(slice) = row;
    slice.start = row.start_cycle;
    slice.end = row.end_cycle;
    slice.execution = row.execution_id;
    slice.step = row.step;
    slice.layer = row.layer_id;
    slice.operation = row.operation_id;
    slice.program = row.program_id;
    slice.traced = row.traced;
    if (row.merged == 1 && row.traced)
        slice.label = program.step(row.program_id >= 0 ? row.program_id : row.longest).name;
    else if (row.merged == 0)
        slice.label = row.cycles.host > row.cycles.waiting ? text("host: launch") : text("waiting");
    return slice;
}

/// Adds `slice` to a lane of what `id` names: to the slice before it where that is of the same. `name` makes
/// the text.
template<class Name>
void add_named(TimelineLane& lane, TimelineSlice slice, std::int64_t TimelineSlice::*id, const Name& name) {
    const std::int64_t own = slice.*id;
    if (own >= 0 && !lane.slices.empty()) {
        TimelineSlice& last = lane.slices.back();
        if (last.*id == own && last.execution == slice.execution && last.step == slice.step &&
            slice.step >= 0 && last.end == slice.start)
            return join(last, slice);
    }
    if (own >= 0)
        slice.label = name();
    else if (own == profile::several)
        slice.label.clear();
    lane.slices.push_back(std::move(slice));
}

/// As the lane of program steps has it.
TimelineSlice within_operation(const TraceProgram& program, TimelineSlice slice) {
    if (!slice.label.isEmpty())
        slice.label = within(slice.label, program.operationName(slice.operation));
    return slice;
}

} // namespace

Result<void> read_names(const TraceTables& tables, const profile::Profile& file,
                        const std::vector<profile::TraceSlice>& slices) {
    const bool named = std::any_of(slices.begin(), slices.end(), [](const profile::TraceSlice& slice) {
        return slice.traced && slice.merged > 0 &&
               (slice.merged == 1 || slice.operation_id >= 0 || slice.layer_id >= 0);
    });
    if (named)
        TRY(tables.program(file));
    return {};
}

QString within(const QString& path, const QString& parent) {
    const bool below = !parent.isEmpty() && path.size() > parent.size() &&
                       path[parent.size()] == QLatin1Char('/') && path.startsWith(parent);
    return below ? path.mid(parent.size() + 1) : path;
}

TimelineSlice program_slice(const TraceTables& tables, const profile::TraceSlice& row) {
    const TraceProgram& program = tables.program();
    return within_operation(program, slice_of(program, row));
}

std::vector<TimelineLane> trace_lanes(const TraceTables& tables, const TraceWindow& window) {
    const QString steps = text("program steps");
    TimelineLane layers{LaneKind::Layer, laneKindName(LaneKind::Layer, false), {}, {}, -1, steps};
    TimelineLane operations{LaneKind::Operation, laneKindName(LaneKind::Operation, false), {}, {}, -1, steps};
    TimelineLane program_steps{LaneKind::Program, laneKindName(LaneKind::Program, false), {}, {}, -1, steps};
    TimelineLane phases{LaneKind::Phases, laneKindName(LaneKind::Phases, false), {}, {}, -1, steps};
    for (TimelineLane* lane : {&program_steps, &phases}) // the others have a slice for many
        lane->slices.reserve(window.slices.size());
    const TraceProgram& program = tables.program();
    for (const profile::TraceSlice& row : window.slices) {
        phases.slices.push_back(slice_of(program, row));
        if (!row.traced || row.merged == 0)
            continue;
        const TimelineSlice slice = within_operation(program, phases.slices.back());
        program_steps.slices.push_back(slice);
        add_named(operations, slice, &TimelineSlice::operation, [&] {
            return within(program.operationName(slice.operation), program.layerName(slice.layer));
        });
        add_named(layers, slice, &TimelineSlice::layer, [&] { return program.layerName(slice.layer); });
    }
    std::vector<TimelineLane> result;
    result.push_back(execution_lane(tables, window));
    result.push_back(step_lane(tables, window));
    if (TimelineLane micro_batches = MicroBatches(tables, window).lane(); !micro_batches.slices.empty())
        result.push_back(std::move(micro_batches));
    for (TimelineLane* lane : {&layers, &operations, &program_steps, &phases})
        result.push_back(std::move(*lane));
    return result;
}

} // namespace tilescope::ui
