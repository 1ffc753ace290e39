// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"
#include "time_walk.h"

#include <algorithm>

/// The time line: pictures of it at any size, its steps, and exact totals.
namespace tilescope::profile {

void Profile::suppose(const ExecutionGroupRecord& executions) const {
    state_->time_tree().suppose(executions);
}

Result<std::vector<TraceSlice>> Profile::trace(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                               std::int64_t resolution) const {
    TRY(const auto* line, state_->time_tree().line(ipu));
    return picture(*line, state_->time_tree().kinds(), {from, to}, resolution);
}

Result<std::vector<TraceSlice>> Profile::io_trace(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                                  std::int64_t resolution) const {
    TRY(const auto* line, state_->time_tree().line(ipu, Tiles::Io));
    return picture(*line, state_->time_tree().kinds(), {from, to}, resolution);
}

Result<void> Profile::trace_steps(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                  const std::vector<std::int64_t>* programs,
                                  const std::function<bool(const TraceSlice&)>& visit) const {
    TRY(const auto* line, state_->time_tree().line(ipu));
    const StepKinds& kinds = state_->time_tree().kinds();
    StepFilter filter;
    filter.range = {from, to};
    if (programs != nullptr)
        filter.programs = *programs;
    StepCursor cursor(*line, std::move(filter));
    for (const TraceRecord* row = cursor.next(); row != nullptr && visit(kinds.slice(*row));
         row = cursor.next())
        if (state_->interrupted)
            return cancelled();
    return {};
}

Result<std::vector<TraceRepeats>> Profile::trace_repeats(std::int64_t ipu, std::int64_t at) const {
    TRY(const auto* line, state_->time_tree().line(ipu));
    return repeats_at(*line, at);
}

Result<std::vector<TraceTotal>> Profile::trace_totals(std::int64_t ipu, std::int64_t from,
                                                      std::int64_t to) const {
    TRY(const auto* line, state_->time_tree().line(ipu));
    const StepKinds& kinds = state_->time_tree().kinds();
    std::vector<TraceTotal> totals;
    for (const StepSum& sum : sums_of(*line, kinds, {from, to})) {
        TraceTotal& total = totals.emplace_back();
        switch (sum.kind) {
        case TimePart::Kind::Launch:
            total.of = TraceTotal::Of::Launch;
            break;
        case TimePart::Kind::Waiting:
            total.of = TraceTotal::Of::Waiting;
            break;
        case TimePart::Kind::Untraced:
            total.of = TraceTotal::Of::Untraced;
            break;
        case TimePart::Kind::Step:
        case TimePart::Kind::Node: {
            TraceRecord row;
            row.program_id = total.program_id = sum.program_id;
            const TraceSlice slice = kinds.slice(row);
            total.operation_id = slice.operation_id;
            total.layer_id = slice.layer_id;
            break;
        }
        }
        total.cycles = sum.cycles;
        total.runs = sum.runs;
        total.longest = sum.longest;
    }
    std::stable_sort(totals.begin(), totals.end(), [](const TraceTotal& a, const TraceTotal& b) {
        return a.cycles.total() > b.cycles.total();
    });
    return totals;
}

Result<std::pair<std::int64_t, std::int64_t>> Profile::time_range() const {
    TRY(const auto* groups, state_->time_tree().groups());
    std::pair<std::int64_t, std::int64_t> range{0, 0};
    for (const ExecutionGroupRecord& group : *groups) {
        range.first = &group == groups->data() ? group.start_cycle : std::min(range.first, group.start_cycle);
        range.second = std::max(range.second, group.end_cycle());
    }
    return range;
}

} // namespace tilescope::profile
