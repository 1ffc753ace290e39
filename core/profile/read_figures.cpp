// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "profile/connection.h"
#include "profile/tile_array.h"

/// Figures over several rows: memory by tile and category, costs, the time line, free SQL.
namespace tilescope::profile {

Result<std::vector<std::int64_t>> Profile::tile_values(const std::string& entity, std::int64_t entity_id,
                                                       std::int64_t ipu, const std::string& metric) const {
    auto statement = Statement::prepare(
        state_->db.get(), "SELECT data FROM tile_array WHERE entity = ? AND entity_id = ? AND ipu = ? AND metric = ?",
        state_->path);
    if (!statement)
        return Failure(statement.error());
    statement->bind_all(entity, entity_id, ipu, metric);
    const int code = statement->step();
    if (code == SQLITE_DONE)
        return std::vector<std::int64_t>{};
    if (code != SQLITE_ROW)
        return Failure(sqlite_error(state_->db.get(), code, state_->path));
    auto values = unpack_tile_values(statement->blob(0));
    if (!values)
        return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, state_->path));
    return std::move(*values);
}

Result<std::vector<CategoryBytes>> Profile::memory_by_category(std::int64_t ipu) const {
    return state_->rows<CategoryBytes>(
        "SELECT category, sum(always_live_bytes) a, sum(not_always_live_bytes) n FROM category_memory "
        "WHERE ?1 < 0 OR ipu = ?1 GROUP BY category ORDER BY a + n DESC",
        [](const Statement& s, CategoryBytes& r) { s.read_all(r.category, r.always_live, r.not_always_live); }, ipu);
}

Result<std::vector<VariableOnTiles>> Profile::variables_on_tiles(std::int64_t ipu,
                                                                 const std::vector<std::int64_t>& tiles) const {
    const auto all = variables(ipu);
    if (!all)
        return Failure(all.error());
    std::vector<VariableOnTiles> result;
    for (const VariableRecord& variable : *all) {
        VariableOnTiles row{variable, variable.bytes};
        if (!tiles.empty()) {
            const auto values = tile_values("variable", variable.id, variable.ipu, "bytes");
            if (!values)
                return Failure(values.error());
            row.bytes = 0;
            for (const std::int64_t tile : tiles)
                if (tile >= 0 && tile < static_cast<std::int64_t>(values->size()))
                    row.bytes += (*values)[static_cast<std::size_t>(tile)];
        }
        if (row.bytes > 0)
            result.push_back(std::move(row));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const VariableOnTiles& a, const VariableOnTiles& b) { return a.bytes > b.bytes; });
    return result;
}

Result<std::vector<OperationCost>> Profile::operation_costs() const {
    return state_->rows<OperationCost>(
        "SELECT operation_id, sync_cycles, exchange_cycles, compute_cycles, variable_bytes FROM operation_cost",
        [](const Statement& s, OperationCost& r) {
            s.read_all(r.operation_id, r.sync, r.exchange, r.compute, r.variable_bytes);
        });
}

Result<PhaseCycles> Profile::phase_cycles(std::optional<ExecutionKind> kind, std::int64_t ipu) const {
    return state_->row<PhaseCycles>(
        "SELECT coalesce(sum(i.compute), 0), coalesce(sum(i.exchange), 0), coalesce(sum(i.sync), 0), "
        "coalesce(sum(i.inter_ipu), 0), coalesce(sum(i.host), 0), coalesce(sum(i.waiting), 0) "
        "FROM execution_ipu i JOIN execution e ON e.id = i.execution_id "
        "WHERE (?1 = '' OR e.kind = ?1) AND (?2 < 0 OR i.ipu = ?2)",
        [](const Statement& s, PhaseCycles& r) {
            s.read_all(r.compute, r.exchange, r.sync, r.inter_ipu, r.host, r.waiting);
        },
        kind ? to_string(*kind) : std::string(), ipu);
}

Result<std::pair<std::int64_t, std::int64_t>> Profile::time_range() const {
    return state_->row<std::pair<std::int64_t, std::int64_t>>(
        "SELECT coalesce(min(start_cycle), 0), coalesce(max(start_cycle + cycles), 0) FROM execution",
        [](const Statement& s, std::pair<std::int64_t, std::int64_t>& r) { s.read_all(r.first, r.second); });
}

namespace {

/// Executions without program steps that overlap a range, one slice each.
constexpr const char* untraced_sql =
    "SELECT e.start_cycle, e.start_cycle + e.cycles, e.id, i.sync, i.exchange + i.inter_ipu + i.host, i.compute "
    "FROM execution e JOIN execution_ipu i ON i.execution_id = e.id AND i.ipu = ?1 "
    "WHERE e.traced = 0 AND e.start_cycle < ?3 AND e.start_cycle + e.cycles > ?2 ORDER BY e.start_cycle";

/// Program steps that overlap a range; the one that began before it is found through the index.
constexpr const char* traced_sql =
    "SELECT start_cycle, start_cycle + sync + exchange + compute, execution_id, step, program_id, sync, exchange, "
    "compute FROM trace WHERE ipu = ?1 AND start_cycle < ?3 AND start_cycle >= coalesce((SELECT max(start_cycle) "
    "FROM trace WHERE ipu = ?1 AND start_cycle <= ?2), ?2) ORDER BY start_cycle";

/// `longest` is the length of the longest step of the last slice.
void merge_into(std::vector<TraceSlice>& slices, TraceSlice slice, std::int64_t resolution, std::int64_t& longest) {
    slice.longest_program_id = slice.program_id;
    const std::int64_t length = slice.end_cycle - slice.start_cycle;
    if (!slices.empty()) {
        TraceSlice& last = slices.back();
        const bool both_short = slice.end_cycle - last.start_cycle < resolution;
        if (both_short && slice.start_cycle - last.end_cycle < resolution) {
            last.end_cycle = slice.end_cycle;
            last.merged += slice.merged;
            last.sync += slice.sync;
            last.exchange += slice.exchange;
            last.compute += slice.compute;
            last.program_id = -1;
            if (length > longest) {
                longest = length;
                last.longest_program_id = slice.longest_program_id;
            }
            if (last.execution_id != slice.execution_id)
                last.execution_id = -1;
            if (last.step != slice.step)
                last.step = -1;
            return;
        }
    }
    slices.push_back(slice);
    longest = length;
}

} // namespace

Result<std::vector<TraceSlice>> Profile::trace(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                               std::int64_t resolution) const {
    std::vector<TraceSlice> steps;
    std::int64_t longest = 0;
    auto statement = Statement::prepare(state_->db.get(), traced_sql, state_->path);
    if (!statement)
        return Failure(statement.error());
    statement->bind_all(ipu, from, to);
    int code = SQLITE_ROW;
    while ((code = statement->step()) == SQLITE_ROW) {
        TraceSlice slice;
        statement->read_all(slice.start_cycle, slice.end_cycle, slice.execution_id, slice.step, slice.program_id,
                            slice.sync, slice.exchange, slice.compute);
        if (slice.end_cycle > from)
            merge_into(steps, slice, resolution, longest);
    }
    if (code != SQLITE_DONE)
        return Failure(sqlite_error(state_->db.get(), code, state_->path));
    auto whole = state_->rows<TraceSlice>(
        untraced_sql,
        [](const Statement& s, TraceSlice& r) {
            s.read_all(r.start_cycle, r.end_cycle, r.execution_id, r.sync, r.exchange, r.compute);
        },
        ipu, from, to);
    if (!whole)
        return whole;
    std::vector<TraceSlice> merged;
    for (const TraceSlice& slice : *whole)
        merge_into(merged, slice, resolution, longest);
    const auto middle = static_cast<std::ptrdiff_t>(steps.size());
    steps.insert(steps.end(), merged.begin(), merged.end());
    std::inplace_merge(steps.begin(), steps.begin() + middle, steps.end(),
                       [](const TraceSlice& a, const TraceSlice& b) { return a.start_cycle < b.start_cycle; });
    return steps;
}

Result<std::vector<TraceSlice>> Profile::trace_totals(std::int64_t ipu, std::int64_t from, std::int64_t to) const {
    const auto slices = trace(ipu, from, to, 0);
    if (!slices)
        return slices;
    std::map<std::int64_t, TraceSlice> totals;
    for (const TraceSlice& slice : *slices) {
        TraceSlice& total = totals[slice.program_id];
        total.program_id = slice.program_id;
        total.merged += total.compute + total.exchange + total.sync == 0 ? 0 : 1;
        // The phases of a step follow each other; only what lies inside the range counts.
        std::int64_t at = slice.start_cycle;
        for (const auto& [length, sum] : {std::pair{slice.sync, &total.sync}, std::pair{slice.exchange, &total.exchange},
                                          std::pair{slice.compute, &total.compute}}) {
            *sum += std::max<std::int64_t>(0, std::min(to, at + length) - std::max(from, at));
            at += length;
        }
    }
    std::vector<TraceSlice> result;
    for (const auto& [id, total] : totals)
        result.push_back(total);
    std::stable_sort(result.begin(), result.end(), [](const TraceSlice& a, const TraceSlice& b) {
        return a.sync + a.exchange + a.compute > b.sync + b.exchange + b.compute;
    });
    return result;
}

} // namespace tilescope::profile
