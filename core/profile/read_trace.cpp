// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"
#include "trace_blocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

/// The time line: pictures of it at any size, and exact totals.
namespace tilescope::profile {
namespace {

/// Executions without program steps that overlap a range, one slice each.
constexpr const char* untraced_sql =
    "SELECT e.start_cycle, e.start_cycle + e.cycles, e.id, i.compute, i.exchange, i.sync, i.inter_ipu, "
    "i.host, i.waiting FROM execution e JOIN execution_ipu i ON i.execution_id = e.id AND i.ipu = ?1 "
    "WHERE e.traced = 0 AND e.start_cycle < ?3 AND e.start_cycle + e.cycles > ?2 ORDER BY e.start_cycle";

/// Program steps that overlap a range; the one that began before it is found through the index.
constexpr const char* traced_sql =
    "SELECT start_cycle, execution_id, step, program_id, sync, exchange, compute FROM trace WHERE ipu = ?1 "
    "AND start_cycle < ?3 AND start_cycle >= coalesce((SELECT max(start_cycle) FROM trace WHERE ipu = ?1 AND "
    "start_cycle <= ?2), ?2) ORDER BY start_cycle";

/// The same for blocks of one level.
constexpr const char* of_range =
    "WHERE ipu = ?1 AND level = ?4 AND start_cycle < ?3 AND start_cycle >= coalesce((SELECT max(start_cycle) "
    "FROM trace_block WHERE ipu = ?1 AND level = ?4 AND start_cycle <= ?2), ?2) ORDER BY start_cycle, block";

void read_row(const Statement& s, TraceRecord& row) {
    s.read_all(row.start_cycle, row.execution_id, row.step, row.program_id, row.sync, row.exchange,
               row.compute);
}

TraceSlice read_untraced(const Statement& s) {
    TraceSlice slice;
    PhaseCycles& c = slice.cycles;
    s.read_all(slice.start_cycle, slice.end_cycle, slice.execution_id, c.compute, c.exchange, c.sync,
               c.inter_ipu, c.host, c.waiting);
    slice.traced = false;
    return slice;
}

/// Slices in order; neighbours are added up as long as the sum is shorter than `resolution`.
class Merger {
  public:
    explicit Merger(std::int64_t resolution) : resolution_(resolution) {}

    void add(const TraceSlice& slice) {
        if (slices_.empty() || slice.end_cycle - slices_.back().start_cycle >= resolution_ ||
            (slice.traced && slice.execution_id != slices_.back().execution_id))
            slices_.push_back(slice);
        else
            join(slices_.back(), slice);
    }
    std::vector<TraceSlice> take() { return std::move(slices_); }

  private:
    std::int64_t resolution_;
    std::vector<TraceSlice> slices_;
};

} // namespace

/// Reads steps through their blocks: a block shorter than the resolution is one piece, a longer one is read
/// as the blocks or steps in it. So a picture costs its width, not the number of steps.
struct Profile::State::TraceReader {
    const State& state;
    const StepKinds& kinds;
    std::int64_t ipu;
    std::int64_t resolution;
    Merger merger;

    Result<void> read(std::size_t level, std::int64_t from, std::int64_t to) {
        if (from >= to)
            return {};
        if (level == 0)
            return state.visit(
                traced_sql,
                [&](const Statement& s) {
                    TraceRecord row;
                    read_row(s, row);
                    const TraceSlice slice = kinds.slice(row);
                    if (slice.end_cycle > from)
                        merger.add(slice);
                },
                ipu, from, to);
        TRY(const auto blocks,
            state.table<TraceBlockRecord>(of_range, ipu, from, to, static_cast<std::int64_t>(level)));
        // Neighbouring long blocks are read in one go. Between two blocks there is nothing; after the last
        // one may be what has no block yet.
        std::optional<std::int64_t> unread;
        for (const auto& [of_ipu, of_level, number, block] : blocks) {
            if (block.end_cycle <= from)
                continue;
            if (block.end_cycle - block.start_cycle >= resolution) {
                unread = unread.value_or(std::max(from, block.start_cycle));
                continue;
            }
            if (unread)
                TRY(read(level - 1, *unread, block.start_cycle));
            unread.reset();
            merger.add(block);
        }
        return read(level - 1,
                    unread           ? *unread
                    : blocks.empty() ? from
                                     : std::max(from, blocks.back().sum.end_cycle),
                    to);
    }
};

Result<void> Profile::State::read_kinds() const {
    // Steps are written before the first of them runs; a file that grows may have had few of them.
    TRY(const auto steps, row<std::int64_t>("SELECT coalesce(max(id), -1) FROM program",
                                            [](const Statement& s, std::int64_t& id) { s.read_all(id); }));
    if (steps == last_step)
        return {};
    kinds = {};
    auto done = visit("SELECT id, layer_id, phase FROM operation", [&](const Statement& s) {
        OperationRecord operation;
        s.read_all(operation.id, operation.layer_id, operation.phase);
        kinds.add(operation);
    });
    if (done)
        done = visit("SELECT id, kind FROM exchange", [&](const Statement& s) {
            ExchangeRecord exchange;
            s.read_all(exchange.id, exchange.kind);
            kinds.add(exchange);
        });
    if (done)
        done = visit("SELECT id, parent_id, kind, operation_id, exchange_id, peer FROM program",
                     [&](const Statement& s) {
                         ProgramRecord step;
                         s.read_all(step.id, step.parent_id, step.kind, step.operation_id, step.exchange_id,
                                    step.peer);
                         kinds.add(step);
                     });
    if (done)
        last_step = steps;
    return done;
}

Result<std::vector<TraceSlice>> Profile::trace(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                               std::int64_t resolution) const {
    TRY(state_->read_kinds());
    State::TraceReader reader{*state_, state_->kinds, ipu, resolution, Merger(resolution)};
    TRY(reader.read(resolution > 1 ? trace_block_rows.size() : 0, from, to));
    std::vector<TraceSlice> steps = reader.merger.take();
    Merger untraced(resolution);
    TRY(state_->visit(
        untraced_sql, [&](const Statement& s) { untraced.add(read_untraced(s)); }, ipu, from, to));
    const std::vector<TraceSlice> whole = untraced.take();
    const auto middle = static_cast<std::ptrdiff_t>(steps.size());
    steps.insert(steps.end(), whole.begin(), whole.end());
    std::inplace_merge(
        steps.begin(), steps.begin() + middle, steps.end(),
        [](const TraceSlice& a, const TraceSlice& b) { return a.start_cycle < b.start_cycle; });
    return steps;
}

Result<std::vector<TracedExecution>> Profile::traced_executions(std::int64_t from, std::int64_t to) const {
    return state_->rows<TracedExecution>(
        "SELECT id, start_cycle, start_cycle + cycles, min(start_cycle + cycles, coalesce((SELECT "
        "min((SELECT min(t.start_cycle) FROM trace t WHERE t.ipu = i.ipu AND t.start_cycle >= "
        "e.start_cycle)) FROM execution_ipu i WHERE i.execution_id = e.id), start_cycle)), coalesce((SELECT "
        "max((SELECT t.step + 1 FROM trace t WHERE t.ipu = i.ipu AND t.start_cycle >= e.start_cycle AND "
        "t.start_cycle < e.start_cycle + e.cycles ORDER BY t.start_cycle DESC LIMIT 1)) FROM execution_ipu i "
        "WHERE i.execution_id = e.id), 0) FROM execution e WHERE traced AND start_cycle < ?2 AND "
        "start_cycle + cycles > ?1 ORDER BY start_cycle",
        [](const Statement& s, TracedExecution& r) {
            s.read_all(r.id, r.start_cycle, r.end_cycle, r.first_step_cycle, r.updates);
        },
        from, to);
}

namespace {

/// What of `slice` lies within [from, to). The phases of a program step follow each other: sync, exchange,
/// compute; those of an execution that was not traced count by the share of it.
PhaseCycles within(const TraceSlice& slice, std::int64_t from, std::int64_t to) {
    if (slice.start_cycle >= from && slice.end_cycle <= to)
        return slice.cycles;
    PhaseCycles part;
    const std::int64_t seen = std::min(to, slice.end_cycle) - std::max(from, slice.start_cycle);
    const double share = static_cast<double>(seen) / static_cast<double>(slice.end_cycle - slice.start_cycle);
    std::int64_t at = slice.start_cycle;
    for (const auto phase : {&PhaseCycles::sync, &PhaseCycles::exchange, &PhaseCycles::inter_ipu,
                             &PhaseCycles::host, &PhaseCycles::compute, &PhaseCycles::waiting}) {
        const std::int64_t length = slice.cycles.*phase;
        part.*phase = slice.traced ? std::max<std::int64_t>(0, std::min(to, at + length) - std::max(from, at))
                                   : std::llround(static_cast<double>(length) * share);
        at += length;
    }
    return part;
}

} // namespace

Result<std::vector<TraceSlice>> Profile::trace_totals(std::int64_t ipu, std::int64_t from,
                                                      std::int64_t to) const {
    TRY(state_->read_kinds());
    std::map<std::int64_t, TraceSlice> totals;
    const auto add = [&](const TraceSlice& slice) {
        if (slice.end_cycle <= from || slice.start_cycle >= to)
            return;
        const PhaseCycles cycles = within(slice, from, to);
        const auto [found, made] = totals.try_emplace(slice.program_id, slice);
        TraceSlice& total = found->second;
        if (made) {
            total.cycles = cycles;
            total.activities = {};
            return;
        }
        total.start_cycle = std::min(total.start_cycle, slice.start_cycle);
        total.end_cycle = std::max(total.end_cycle, slice.end_cycle);
        total.longest_cycles = std::max(total.longest_cycles, slice.longest_cycles);
        total.merged += slice.merged;
        total.cycles += cycles;
    };
    TRY(state_->visit(
        traced_sql,
        [&](const Statement& s) {
            TraceRecord row;
            read_row(s, row);
            add(state_->kinds.slice(row));
        },
        ipu, from, to));
    TRY(state_->visit(
        untraced_sql, [&](const Statement& s) { add(read_untraced(s)); }, ipu, from, to));
    std::vector<TraceSlice> result;
    for (const auto& [id, total] : totals)
        result.push_back(total);
    std::stable_sort(result.begin(), result.end(), [](const TraceSlice& a, const TraceSlice& b) {
        return a.cycles.total() > b.cycles.total();
    });
    return result;
}

Result<void> Profile::State::fill_blocks(Database db, const std::string& path) {
    State state;
    state.path = path;
    state.db = std::move(db);
    TRY(state.read_kinds());
    TRY(execute(state.db.get(), "BEGIN", path));
    TraceBlocks blocks;
    Result<void> written;
    const auto note = [&](Result<void> done) {
        if (written)
            written = std::move(done);
    };
    TRY(state.visit(
        "SELECT start_cycle, execution_id, step, program_id, sync, exchange, compute, ipu FROM trace "
        "ORDER BY ipu, start_cycle, execution_id, step, program_id",
        [&](const Statement& s) {
            TraceRecord row;
            read_row(s, row);
            s.read(7, row.ipu);
            blocks.add(
                row, state.kinds, [&](const TraceBlockRecord& block) { note(state.insert(block)); },
                [&](std::int64_t ipu) {
                    note(state.visit(
                        "DELETE FROM trace_block WHERE ipu = ?", [](const Statement&) {}, ipu));
                });
        }));
    TRY(written);
    return execute(state.db.get(), "COMMIT", path);
}

} // namespace tilescope::profile
