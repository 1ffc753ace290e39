// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/time_line.h"

#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilescope::analyse {
namespace {

using profile::PhaseCycles;
using profile::TraceSlice;

constexpr std::array<std::int64_t PhaseCycles::*, time_kinds.size()> fields = {
    &PhaseCycles::compute, &PhaseCycles::exchange, &PhaseCycles::inter_ipu,
    &PhaseCycles::sync,    &PhaseCycles::host,     &PhaseCycles::waiting};

/// The order in which a program step goes through its phases.
constexpr std::array<TimeKind, time_kinds.size()> step_order = {TimeKind::Sync,     TimeKind::Exchange,
                                                                TimeKind::InterIpu, TimeKind::Host,
                                                                TimeKind::Compute,  TimeKind::Waiting};

std::int64_t overlap(Range a, Range b) {
    return std::max<std::int64_t>(0, std::min(a.second, b.second) - std::max(a.first, b.first));
}

/// Slices in order, neighbours added up as long as the sum is shorter than `resolution`.
class Line {
  public:
    explicit Line(std::int64_t resolution) : resolution_(resolution) {}

    void add(const TraceSlice& slice) {
        if (slices_.empty() || slice.end_cycle - slices_.back().start_cycle >= resolution_ ||
            slice.start_cycle != slices_.back().end_cycle || slice.traced != slices_.back().traced)
            slices_.push_back(slice);
        else
            profile::join(slices_.back(), slice);
    }
    /// Between two program steps of an execution; the host's until `launched`.
    void gap(std::int64_t execution, std::int64_t from, std::int64_t launched, std::int64_t to) {
        const auto piece = [&](std::int64_t start, std::int64_t end, std::int64_t PhaseCycles::*kind) {
            if (start >= end)
                return;
            TraceSlice slice;
            slice.start_cycle = start;
            slice.end_cycle = end;
            slice.execution_id = execution;
            slice.merged = 0;
            slice.cycles.*kind = end - start;
            add(slice);
        };
        piece(from, std::min(to, launched), &PhaseCycles::host);
        piece(std::max(from, launched), to, &PhaseCycles::waiting);
    }
    std::vector<TraceSlice> take() { return std::move(slices_); }

  private:
    std::int64_t resolution_;
    std::vector<TraceSlice> slices_;
};

} // namespace

std::int64_t cycles_of(const PhaseCycles& cycles, TimeKind kind) {
    return cycles.*fields[static_cast<std::size_t>(kind)];
}

Result<std::vector<TraceSlice>> time_line(const profile::Profile& profile, std::int64_t ipu, Range range,
                                          std::int64_t resolution) {
    TRY(const auto executions, profile.traced_executions(range.first, range.second));
    TRY(const auto slices, profile.trace(ipu, range.first, range.second, resolution));
    Line line(resolution);
    auto execution = executions.begin();
    std::int64_t at = range.first; // the execution is told up to here
    const auto open = [&] {
        if (execution != executions.end())
            at = std::max(range.first, execution->start_cycle);
    };
    const auto close = [&] {
        line.gap(execution->id, at, execution->first_step_cycle,
                 std::min(range.second, execution->end_cycle));
        ++execution;
        open();
    };
    open();
    for (TraceSlice slice : slices) {
        while (execution != executions.end() && execution->end_cycle <= slice.start_cycle)
            close();
        if (slice.traced && execution != executions.end() && execution->id == slice.execution_id) {
            line.gap(execution->id, at, execution->first_step_cycle, slice.start_cycle);
            at = slice.end_cycle;
            slice.cycles.waiting += slice.end_cycle - slice.start_cycle - slice.cycles.total();
        }
        line.add(slice);
    }
    while (execution != executions.end())
        close();
    return line.take();
}

namespace {

/// Rows of one table, by what they are of.
class Table {
  public:
    void add(TimeTotal::Of of, std::int64_t id, const PhaseCycles& cycles, std::int64_t runs,
             std::int64_t longest) {
        if (cycles.total() == 0)
            return;
        TimeTotal& total = rows_[{of, id}];
        total.of = of;
        total.id = id;
        total.cycles += cycles;
        total.runs += runs;
        total.longest = std::max(total.longest, longest);
    }
    std::vector<TimeTotal> largest_first() const {
        std::vector<TimeTotal> result;
        for (const auto& [key, total] : rows_)
            result.push_back(total);
        std::stable_sort(result.begin(), result.end(), [](const TimeTotal& a, const TimeTotal& b) {
            return a.cycles.total() > b.cycles.total();
        });
        return result;
    }

  private:
    std::map<std::pair<TimeTotal::Of, std::int64_t>, TimeTotal> rows_;
};

} // namespace

Result<RangeTotals> range_totals(const profile::Profile& profile, std::int64_t ipu, Range range) {
    TRY(const auto executions, profile.traced_executions(range.first, range.second));
    TRY(const auto slices, profile.trace_totals(ipu, range.first, range.second));
    RangeTotals result{ipu, range, {}, {}, {}, {}};
    Table operations;
    Table layers;
    Table programs;
    const auto everywhere = [&](TimeTotal::Of of, const PhaseCycles& cycles, std::int64_t runs) {
        result.phases += cycles;
        for (Table* table : {&operations, &layers, &programs})
            table->add(of, -1, cycles, runs, 0);
    };
    PhaseCycles launch;
    PhaseCycles waiting; // what is left of the executions
    for (const profile::TracedExecution& e : executions) {
        launch.host += overlap(range, {e.start_cycle, e.first_step_cycle});
        waiting.waiting += overlap(range, {e.first_step_cycle, e.end_cycle});
    }
    for (const TraceSlice& slice : slices) {
        if (!slice.traced) {
            everywhere(TimeTotal::Of::Untraced, slice.cycles, slice.merged);
            continue;
        }
        result.phases += slice.cycles;
        waiting.waiting -= slice.cycles.total();
        const auto add = [&](Table& table, std::int64_t id) {
            table.add(id < 0 ? TimeTotal::Of::NoOperation : TimeTotal::Of::Step, id, slice.cycles,
                      slice.merged, slice.longest_cycles);
        };
        add(operations, slice.operation_id);
        add(layers, slice.layer_id);
        add(programs, slice.program_id);
    }
    waiting.waiting = std::max<std::int64_t>(0, waiting.waiting);
    everywhere(TimeTotal::Of::Launch, launch, 0);
    everywhere(TimeTotal::Of::Waiting, waiting, 0);
    result.operations = operations.largest_first();
    result.layers = layers.largest_first();
    result.programs = programs.largest_first();
    return result;
}

void TimeColumns::spread(double start, double end, std::size_t part, double cycles) {
    if (!(cycles > 0) || !(end > start) || columns_.empty())
        return;
    const double density = cycles / (end - start);
    const double last = from_ + width_ * static_cast<double>(columns_.size());
    const double low = std::max(start, from_);
    const double high = std::min(end, last);
    if (!(high > low))
        return;
    auto column = std::min(columns_.size() - 1, static_cast<std::size_t>((low - from_) / width_));
    for (double at = low; at < high && column < columns_.size(); ++column) {
        const double edge = std::min(high, from_ + width_ * static_cast<double>(column + 1));
        if (edge > at)
            columns_[column][part] += density * (edge - at);
        at = std::max(at, edge);
    }
}

void TimeColumns::add(double start, double end, const PhaseCycles& cycles, bool in_order) {
    double at = start;
    for (const TimeKind kind : step_order) {
        const auto length = static_cast<double>(cycles_of(cycles, kind));
        if (in_order)
            spread(at, at + length, static_cast<std::size_t>(kind), length);
        else
            spread(start, end, static_cast<std::size_t>(kind), length);
        at += length;
    }
}

void TimeColumns::add(const TraceSlice& slice) {
    add(static_cast<double>(slice.start_cycle), static_cast<double>(slice.end_cycle), slice.cycles,
        slice.program_id >= 0);
}

PhaseCycles phase_cycles_of(const TimeColumns::Column& column) {
    PhaseCycles cycles;
    for (const TimeKind kind : time_kinds)
        cycles.*fields[static_cast<std::size_t>(kind)] = std::llround(column[static_cast<std::size_t>(kind)]);
    return cycles;
}

Result<TimeColumns> time_overview(const profile::Profile& profile, Range range, std::size_t count) {
    TRY(const auto ipus, profile.ipus());
    const double width = static_cast<double>(range.second - range.first) /
                         static_cast<double>(std::max<std::size_t>(1, count));
    TimeColumns columns(static_cast<double>(range.first), std::max(width, 1e-9), count);
    for (const profile::IpuRecord& ipu : ipus) {
        TRY(const auto line, time_line(profile, ipu.id, range, static_cast<std::int64_t>(width)));
        for (const TraceSlice& slice : line)
            columns.add(slice);
    }
    return columns;
}

} // namespace tilescope::analyse
