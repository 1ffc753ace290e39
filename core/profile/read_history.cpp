// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"

/// How a run went over its time, thinned out to what a chart can show.
namespace tilescope::profile {
namespace {

/// The smallest power of two such that `count` / it <= `most`: groups keep their borders while a file grows.
std::int64_t group_size(std::int64_t count, std::int64_t most) {
    std::int64_t size = 1;
    while (count > size * most)
        size *= 2;
    return size;
}

constexpr const char* count_executions = "SELECT coalesce(max(id) + 1, 0) FROM execution";

void read_count(const Statement& s, std::int64_t& count) {
    s.read_all(count);
}

} // namespace

Result<ExecutionTotals> Profile::execution_totals(ExecutionKind kind) const {
    return state_->row<ExecutionTotals>(
        "SELECT count(*), coalesce(sum(steps), 0), coalesce(sum(cycles), 0), coalesce(sum(wall_us), 0), "
        "coalesce(max(first_step + steps), 0) FROM execution WHERE kind = ?",
        [](const Statement& s, ExecutionTotals& r) {
            s.read_all(r.executions, r.steps, r.cycles, r.wall_us, r.steps_per_epoch);
        },
        to_string(kind));
}

Result<std::vector<PhaseSpan>> Profile::phase_history(std::int64_t most) const {
    TRY(const auto count, state_->row<std::int64_t>(count_executions, read_count));
    return state_->rows<PhaseSpan>(
        "SELECT i.ipu, min(e.start_cycle), max(e.start_cycle + e.cycles), count(*), sum(i.compute), "
        "sum(i.exchange), sum(i.sync), sum(i.inter_ipu), sum(i.host), sum(i.waiting) "
        "FROM execution_ipu i JOIN execution e ON e.id = i.execution_id "
        "GROUP BY i.ipu, i.execution_id / ? ORDER BY i.ipu, 2",
        [](const Statement& s, PhaseSpan& r) {
            s.read_all(r.ipu, r.start_cycle, r.end_cycle, r.executions, r.cycles.compute, r.cycles.exchange,
                       r.cycles.sync, r.cycles.inter_ipu, r.cycles.host, r.cycles.waiting);
        },
        group_size(count, most));
}

Result<std::vector<MetricPoint>> Profile::metric_history(std::int64_t most) const {
    TRY(const auto count, state_->row<std::int64_t>(count_executions, read_count));
    return state_->rows<MetricPoint>(
        "SELECT m.name, e.epoch, e.first_step + e.steps, m.value "
        "FROM metric m JOIN execution e ON e.id = m.execution_id "
        "WHERE e.kind = 'train' AND (e.id % ?1 = 0 OR e.id IN "
        "(SELECT max(id) FROM execution WHERE kind = 'train' GROUP BY epoch)) ORDER BY e.id, m.name",
        [](const Statement& s, MetricPoint& r) { s.read_all(r.name, r.epoch, r.steps, r.value); },
        group_size(count, most));
}

} // namespace tilescope::profile
