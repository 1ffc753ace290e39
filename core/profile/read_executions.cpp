// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"
#include "packed_values.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

/// Executions: one by one, added up, and how a run went over its time, thinned out to what a chart can show.
namespace tilescope::profile {
namespace {

/// The smallest power of two such that `count` / it <= `most`: groups keep their borders while a file grows.
std::int64_t group_size(std::int64_t count, std::int64_t most) {
    std::int64_t size = 1;
    while (count > size * most)
        size *= 2;
    return size;
}

/// Whether a file that is not damaged can have such a cycle or number of a step.
bool possible(std::int64_t value) {
    return value >= 0 && value <= most_cycles;
}

std::int64_t count_of(const std::vector<ExecutionGroupRecord>& groups) {
    std::int64_t end = 0;
    for (const ExecutionGroupRecord& group : groups)
        end = std::max(end, group.id + group.count);
    return end;
}

PhaseCycles cycles_of(const ScheduleIpuRecord& r) {
    return {r.compute, r.exchange, r.sync, r.inter_ipu, r.host, r.waiting};
}

/// Over the groups that count.
Result<PhaseCycles> phases_of(const auto& state, std::int64_t ipu, const auto& counts) {
    TRY(const auto* groups, state.time_tree().groups());
    TRY(const auto schedules, state.template table<ScheduleIpuRecord>("ORDER BY schedule_id, ipu"));
    std::map<std::int64_t, PhaseCycles> by_schedule;
    for (const ScheduleIpuRecord& row : schedules)
        if (PhaseCycles& sum = by_schedule[row.schedule_id]; ipu < 0 || row.ipu == ipu) {
            if (!bounded(cycles_of(row), 1) || !bounded(sum, 1))
                return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state.path));
            sum += cycles_of(row);
        }
    PhaseCycles sum;
    for (const ExecutionGroupRecord& group : *groups)
        if (const auto found = by_schedule.find(group.schedule_id);
            found != by_schedule.end() && counts(group)) {
            if (!bounded(found->second, group.count) || !bounded(sum, 1))
                return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state.path));
            sum += found->second.times(group.count);
        }
    return sum;
}

Result<ExecutionTotals> totals_of(const auto& state, const auto& counts) {
    TRY(const auto* groups, state.time_tree().groups());
    ExecutionTotals totals;
    for (const ExecutionGroupRecord& group : *groups) {
        if (!counts(group))
            continue;
        totals.executions += group.count;
        totals.steps += group.count * group.steps;
        totals.cycles += group.count * group.cycles;
        totals.wall_us += group.wall_us;
        const ExecutionRecord end_of_first = group.at(group.last_of_epoch(0));
        const ExecutionRecord last = group.at(group.count - 1);
        const bool whole_epoch = group.executions_per_epoch > 0;
        totals.steps_per_epoch = std::max(
            {totals.steps_per_epoch, end_of_first.first_step + group.steps, last.first_step + group.steps,
             whole_epoch && last.epoch > group.epoch + 1 ? group.executions_per_epoch * group.steps : 0});
    }
    return totals;
}

/// Whether an engine run is of a device program, by its schedule.
Result<std::function<bool(const ExecutionGroupRecord&)>> of_program(const auto& state,
                                                                    std::int64_t device_program) {
    TRY(const auto schedules,
        state.template table<ScheduleRecord>("WHERE device_program_id = ?", device_program));
    std::set<std::int64_t> ids;
    for (const ScheduleRecord& schedule : schedules)
        ids.insert(schedule.id);
    return [ids](const ExecutionGroupRecord& group) { return ids.contains(group.schedule_id); };
}

} // namespace

Result<std::vector<ExecutionGroupRecord>> Profile::execution_groups() const {
    TRY(const auto* groups, state_->time_tree().groups());
    std::vector<ExecutionGroupRecord> sorted = *groups;
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return sorted;
}

Result<std::vector<ExecutionRecord>> Profile::executions(std::int64_t from, std::int64_t most) const {
    TRY(const auto groups, execution_groups());
    std::vector<ExecutionRecord> result;
    for (const ExecutionGroupRecord& group : groups)
        for (std::int64_t i = std::max<std::int64_t>(0, from - group.id);
             i < group.count && static_cast<std::int64_t>(result.size()) < most; ++i)
            result.push_back(group.at(i));
    if (result.empty())
        return result;
    return read_values(state_->db.get(), state_->path, "wall_us", result.front().id, result.back().id,
                       [&](std::int64_t id, double value) {
                           const auto found = std::lower_bound(
                               result.begin(), result.end(), id,
                               [](const ExecutionRecord& e, std::int64_t v) { return e.id < v; });
                           if (found != result.end() && found->id == id)
                               found->wall_us = whole_us(value);
                       })
        .map([&] { return std::move(result); });
}

Result<std::vector<MetricRecord>> Profile::metrics(std::int64_t from, std::int64_t to) const {
    TRY(const auto names, metric_names(state_->db.get(), state_->path));
    std::vector<MetricRecord> result;
    for (const std::string& name : names)
        TRY(read_values(state_->db.get(), state_->path, metric_series + name, from, to,
                        [&](std::int64_t id, double value) {
                            result.push_back({id, name, value});
                        }));
    std::stable_sort(result.begin(), result.end(), [](const MetricRecord& a, const MetricRecord& b) {
        return a.execution_id < b.execution_id;
    });
    return result;
}

Result<std::vector<MetricRecord>> Profile::last_metrics() const {
    TRY(const auto last,
        state_->row<std::int64_t>("SELECT coalesce(max(first_id + count) - 1, -1) FROM execution_values "
                                  "WHERE series LIKE 'metric:%'",
                                  [](const Statement& s, std::int64_t& id) { s.read_all(id); }));
    TRY(auto within,
        state_->table<MetricWithinRecord>("WHERE execution_id > ? AND step = (SELECT step FROM metric_within "
                                          "ORDER BY rowid DESC LIMIT 1) ORDER BY rowid",
                                          last));
    if (within.empty())
        return metrics(last, last);
    std::vector<MetricRecord> result;
    for (MetricWithinRecord& row : within)
        if (row.execution_id == within.back().execution_id)
            result.push_back({row.execution_id, std::move(row.name), row.value});
    return result;
}

Result<std::vector<ScheduleIpuRecord>> Profile::schedule_ipus() const {
    TRY(auto rows, state_->table<ScheduleIpuRecord>("ORDER BY schedule_id, ipu"));
    if (!std::all_of(rows.begin(), rows.end(), [](const auto& row) { return bounded(cycles_of(row), 1); }))
        return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state_->path));
    return rows;
}

Result<std::vector<ScheduleIoRecord>> Profile::schedule_io() const {
    return state_->table<ScheduleIoRecord>("ORDER BY schedule_id, ipu");
}

Result<std::vector<ScheduleSpan>> Profile::schedule_spans() const {
    TRY(auto spans, state_->rows<ScheduleSpan>("SELECT schedule_id, min(start_cycle), max(step + repeats), "
                                               "coalesce((SELECT device_program_id FROM "
                                               "schedule WHERE id = schedule_id), 0) FROM schedule_round "
                                               "GROUP BY schedule_id ORDER BY schedule_id",
                                               [](const Statement& s, ScheduleSpan& r) {
                                                   s.read_all(r.schedule_id, r.first_step_cycle, r.updates,
                                                              r.device_program_id);
                                               }));
    using Turns = std::pair<std::int64_t, ScheduleSpan::Turns>;
    TRY(const auto turns,
        state_->rows<Turns>(
            "SELECT schedule_id, step, min(start_cycle), max(repeats), max(period_cycles) FROM "
            "schedule_round GROUP BY schedule_id, step ORDER BY schedule_id, step",
            [](const Statement& s, Turns& r) {
                s.read_all(r.first, r.second.first, r.second.start_cycle, r.second.count, r.second.cycles);
            }));
    auto span = spans.begin();
    for (const auto& [schedule, of] : turns) {
        while (span != spans.end() && span->schedule_id < schedule)
            ++span;
        if (span == spans.end() || span->schedule_id != schedule || of.count < 1)
            continue;
        if (!possible(of.start_cycle) || !possible(of.cycles) || !possible(of.first) || !possible(of.count))
            return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state_->path));
        if (!span->turns.empty() && span->turns.back().count == 1)
            span->turns.back().cycles = of.start_cycle - span->turns.back().start_cycle;
        span->turns.push_back(of);
        if (of.count == 1)
            span->turns.back().cycles = 0;
    }
    return spans;
}

Result<PhaseCycles> Profile::phase_cycles(std::optional<ExecutionKind> kind, std::int64_t ipu) const {
    return phases_of(*state_, ipu,
                     [&](const ExecutionGroupRecord& group) { return !kind || group.kind == *kind; });
}

Result<ExecutionTotals> Profile::execution_totals(ExecutionKind kind) const {
    return totals_of(*state_, [&](const ExecutionGroupRecord& group) { return group.kind == kind; });
}

Result<PhaseCycles> Profile::program_phases(std::int64_t device_program, std::int64_t ipu) const {
    TRY(const auto counts, of_program(*state_, device_program));
    return phases_of(*state_, ipu, counts);
}

Result<ExecutionTotals> Profile::program_totals(std::int64_t device_program) const {
    TRY(const auto counts, of_program(*state_, device_program));
    return totals_of(*state_, counts);
}

Result<std::vector<PhaseSpan>> Profile::phase_history(std::int64_t most) const {
    TRY(const auto groups, execution_groups());
    TRY(const auto schedules, schedule_ipus());
    const std::int64_t size = group_size(count_of(groups), most);
    std::map<std::pair<std::int64_t, std::int64_t>, PhaseSpan> spans; // by IPU and number
    for (const ExecutionGroupRecord& group : groups) {
        const auto rows =
            std::equal_range(schedules.begin(), schedules.end(), ScheduleIpuRecord{group.schedule_id},
                             [](const ScheduleIpuRecord& a, const ScheduleIpuRecord& b) {
                                 return a.schedule_id < b.schedule_id;
                             });
        for (std::int64_t i = 0; i < group.count && rows.first != rows.second;) {
            const std::int64_t number = (group.id + i) / size;
            const std::int64_t count = std::min(group.count - i, (number + 1) * size - group.id - i);
            const std::int64_t start = group.at(i).start_cycle;
            const std::int64_t end = group.at(i + count - 1).start_cycle + group.cycles;
            for (auto row = rows.first; row != rows.second; ++row) {
                if (!bounded(cycles_of(*row), group.count))
                    return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state_->path));
                PhaseSpan& span =
                    spans.try_emplace({row->ipu, number}, PhaseSpan{row->ipu, start, end, 0, {}})
                        .first->second;
                span.start_cycle = std::min(span.start_cycle, start);
                span.end_cycle = std::max(span.end_cycle, end);
                span.executions += count;
                span.cycles += cycles_of(*row).times(count);
            }
            i += count;
        }
    }
    std::vector<PhaseSpan> result;
    result.reserve(spans.size());
    for (auto& [key, span] : spans)
        result.push_back(span);
    std::stable_sort(result.begin(), result.end(), [](const PhaseSpan& a, const PhaseSpan& b) {
        return std::pair(a.ipu, a.start_cycle) < std::pair(b.ipu, b.start_cycle);
    });
    return result;
}

Result<std::vector<MetricPoint>> Profile::metric_history(std::int64_t most) const {
    TRY(const auto groups, execution_groups());
    TRY(const auto names, metric_names(state_->db.get(), state_->path));
    const std::int64_t executions = count_of(groups);
    const std::int64_t size = group_size(executions, most);
    KeptMetrics& kept = state_->metrics;
    if (std::exchange(kept.most, most) != most) {
        kept.series.clear(); // thinned out otherwise
        kept.within.clear();
        kept.count.clear();
        kept.last_row = 0;
    }
    std::map<std::int64_t, std::int64_t> ends; // of epochs: the last execution of training in each
    for (const ExecutionGroupRecord& group : groups)
        for (std::int64_t i = 0; group.kind == ExecutionKind::Train && !names.empty() && i < group.count;) {
            const std::int64_t last = group.last_of_epoch(i);
            ends[group.at(last).epoch] = group.id + last;
            i = last + 1;
        }
    std::vector<std::int64_t> wanted;
    wanted.reserve(ends.size());
    for (const auto& [epoch, id] : ends)
        wanted.push_back(id);
    std::sort(wanted.begin(), wanted.end());
    // What is shown once more executions are there is shown now: it is the last of its epoch now, too.
    const auto shown = [&](std::int64_t id) {
        return id % size == 0 || std::binary_search(wanted.begin(), wanted.end(), id);
    };
    std::vector<std::pair<std::int64_t, MetricPoint>> points; // by execution
    for (const std::string& name : names) {
        KeptMetrics::Series& series = kept.series[name];
        std::erase_if(series.values, [&](const auto& value) { return !shown(value.first); });
        TRY(read_values(state_->db.get(), state_->path, metric_series + name, series.next, executions - 1,
                        [&](std::int64_t id, double value) {
                            series.next = id + 1;
                            if (shown(id))
                                series.values.emplace_back(id, value);
                        }));
        auto group = groups.begin();
        for (const auto& [id, value] : series.values) {
            while (group != groups.end() && group->id + group->count <= id)
                ++group;
            if (group == groups.end())
                break;
            if (group->id > id || group->kind != ExecutionKind::Train)
                continue;
            const ExecutionRecord e = group->at(id - group->id);
            points.push_back({id, {name, e.epoch, e.first_step + e.steps, value}});
        }
    }
    TRY(const auto last_row, state_->number("SELECT coalesce(max(rowid), 0) FROM metric_within"));
    TRY(auto within, state_->table<MetricWithinRecord>("WHERE rowid > ? AND rowid <= ? ORDER BY rowid",
                                                       kept.last_row, last_row));
    kept.last_row = last_row;
    for (MetricWithinRecord& row : within) {
        const std::int64_t index = kept.count[row.name]++;
        kept.within.push_back({index, std::move(row)});
    }
    std::erase_if(kept.within, [&](const KeptMetrics::Within& each) {
        return each.index % group_size(kept.count[each.row.name], most) != 0;
    });
    for (const auto& [index, row] : kept.within)
        points.push_back({row.execution_id, {row.name, row.epoch, row.step, row.value}});
    std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first, a.second.steps) < std::pair(b.first, b.second.steps);
    });
    std::vector<MetricPoint> result;
    result.reserve(points.size());
    for (auto& [id, point] : points)
        result.push_back(std::move(point));
    return result;
}

} // namespace tilescope::profile
