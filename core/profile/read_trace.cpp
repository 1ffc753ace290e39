// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/connection.h"
#include "profile/trace_blocks.h"

#include <algorithm>
#include <map>

/// The time line: pictures of it at any size, and exact totals.
namespace tilescope::profile {
namespace {

/// Executions without program steps that overlap a range, one slice each.
constexpr const char* untraced_sql =
    "SELECT e.start_cycle, e.start_cycle + e.cycles, e.id, i.sync, i.exchange + i.inter_ipu + i.host, "
    "i.compute "
    "FROM execution e JOIN execution_ipu i ON i.execution_id = e.id AND i.ipu = ?1 "
    "WHERE e.traced = 0 AND e.start_cycle < ?3 AND e.start_cycle + e.cycles > ?2 ORDER BY e.start_cycle";

/// Program steps that overlap a range; the one that began before it is found through the index.
constexpr const char* traced_sql =
    "SELECT start_cycle, start_cycle + sync + exchange + compute, execution_id, step, program_id, sync, "
    "exchange, "
    "compute FROM trace WHERE ipu = ?1 AND start_cycle < ?3 AND start_cycle >= coalesce((SELECT "
    "max(start_cycle) "
    "FROM trace WHERE ipu = ?1 AND start_cycle <= ?2), ?2) ORDER BY start_cycle";

/// The same for blocks of one level.
constexpr const char* blocks_sql = "SELECT start_cycle, end_cycle, execution_id, step, longest_program_id, "
                                   "longest_cycles, rows, sync, exchange, "
                                   "compute FROM trace_block WHERE ipu = ?1 AND level = ?4 AND start_cycle < "
                                   "?3 AND start_cycle >= coalesce((SELECT "
                                   "max(start_cycle) FROM trace_block WHERE ipu = ?1 AND level = ?4 AND "
                                   "start_cycle <= ?2), ?2) ORDER BY start_cycle";

struct Piece {
    TraceSlice slice;
    std::int64_t longest_cycles = 0; ///< of the longest step in it
};

void read_step(const Statement& s, TraceSlice& slice) {
    s.read_all(slice.start_cycle, slice.end_cycle, slice.execution_id, slice.step, slice.program_id,
               slice.sync, slice.exchange, slice.compute);
    slice.longest_program_id = slice.program_id;
}

/// Slices in order, neighbours added up as long as the sum is shorter than `resolution`.
class Merger {
  public:
    explicit Merger(std::int64_t resolution) : resolution_(resolution) {}

    void add(const Piece& piece) {
        const TraceSlice& slice = piece.slice;
        if (slices_.empty() || slice.end_cycle - slices_.back().start_cycle >= resolution_) {
            slices_.push_back(slice);
            longest_ = piece.longest_cycles;
            return;
        }
        TraceSlice& last = slices_.back();
        last.end_cycle = slice.end_cycle;
        last.merged += slice.merged;
        last.sync += slice.sync;
        last.exchange += slice.exchange;
        last.compute += slice.compute;
        last.program_id = -1;
        if (piece.longest_cycles > longest_) {
            longest_ = piece.longest_cycles;
            last.longest_program_id = slice.longest_program_id;
        }
        if (last.execution_id != slice.execution_id)
            last.execution_id = last.step = -1;
        if (last.step != slice.step)
            last.step = -1;
    }
    std::vector<TraceSlice> take() { return std::move(slices_); }

  private:
    std::int64_t resolution_;
    std::int64_t longest_ = 0;
    std::vector<TraceSlice> slices_;
};

} // namespace

/// Reads steps through their blocks: a block shorter than the resolution is one piece, a longer one is read
/// as the blocks or steps in it. So a picture costs its width, not the number of steps.
struct Profile::State::TraceReader {
    const State& state;
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
                    Piece piece;
                    read_step(s, piece.slice);
                    piece.longest_cycles = piece.slice.end_cycle - piece.slice.start_cycle;
                    if (piece.slice.end_cycle > from)
                        merger.add(piece);
                },
                ipu, from, to);
        const auto blocks = state.rows<Piece>(
            blocks_sql,
            [](const Statement& s, Piece& p) {
                s.read_all(p.slice.start_cycle, p.slice.end_cycle, p.slice.execution_id, p.slice.step,
                           p.slice.longest_program_id, p.longest_cycles, p.slice.merged, p.slice.sync,
                           p.slice.exchange, p.slice.compute);
            },
            ipu, from, to, static_cast<std::int64_t>(level));
        if (!blocks)
            return Failure(blocks.error());
        // Neighbouring long blocks are read in one go, and so is what has no block yet.
        std::int64_t done_to = from;
        for (const Piece& block : *blocks) {
            const TraceSlice& slice = block.slice;
            if (slice.end_cycle <= from || slice.end_cycle - slice.start_cycle >= resolution)
                continue;
            if (auto finer = read(level - 1, done_to, std::min(to, slice.start_cycle)); !finer)
                return finer;
            merger.add(block);
            done_to = slice.end_cycle;
        }
        return read(level - 1, done_to, to);
    }
};

Result<std::vector<TraceSlice>> Profile::trace(std::int64_t ipu, std::int64_t from, std::int64_t to,
                                               std::int64_t resolution) const {
    State::TraceReader reader{*state_, ipu, resolution, Merger(resolution)};
    if (auto done = reader.read(resolution > 1 ? trace_block_rows.size() : 0, from, to); !done)
        return Failure(done.error());
    std::vector<TraceSlice> steps = reader.merger.take();
    Merger untraced(resolution);
    auto done = state_->visit(
        untraced_sql,
        [&](const Statement& s) {
            TraceSlice slice;
            s.read_all(slice.start_cycle, slice.end_cycle, slice.execution_id, slice.sync, slice.exchange,
                       slice.compute);
            untraced.add({slice, slice.end_cycle - slice.start_cycle});
        },
        ipu, from, to);
    if (!done)
        return Failure(done.error());
    const std::vector<TraceSlice> whole = untraced.take();
    const auto middle = static_cast<std::ptrdiff_t>(steps.size());
    steps.insert(steps.end(), whole.begin(), whole.end());
    std::inplace_merge(
        steps.begin(), steps.begin() + middle, steps.end(),
        [](const TraceSlice& a, const TraceSlice& b) { return a.start_cycle < b.start_cycle; });
    return steps;
}

Result<std::vector<TraceSlice>> Profile::trace_totals(std::int64_t ipu, std::int64_t from,
                                                      std::int64_t to) const {
    std::map<std::int64_t, TraceSlice> totals;
    const auto add = [&](const TraceSlice& slice) {
        if (slice.end_cycle <= from || slice.start_cycle >= to)
            return;
        const auto [found, made] = totals.try_emplace(slice.program_id);
        TraceSlice& total = found->second;
        total.program_id = total.longest_program_id = slice.program_id;
        total.start_cycle = made ? slice.start_cycle : std::min(total.start_cycle, slice.start_cycle);
        total.end_cycle = std::max(total.end_cycle, slice.end_cycle);
        total.merged += made ? 0 : 1;
        // The phases of a step follow each other; only what lies inside the range counts.
        std::int64_t at = slice.start_cycle;
        for (const auto& [length, sum] :
             {std::pair{slice.sync, &total.sync}, std::pair{slice.exchange, &total.exchange},
              std::pair{slice.compute, &total.compute}}) {
            *sum += std::max<std::int64_t>(0, std::min(to, at + length) - std::max(from, at));
            at += length;
        }
    };
    auto done = state_->visit(
        traced_sql,
        [&](const Statement& s) {
            TraceSlice slice;
            read_step(s, slice);
            add(slice);
        },
        ipu, from, to);
    if (done)
        done = state_->visit(
            untraced_sql,
            [&](const Statement& s) {
                TraceSlice slice;
                s.read_all(slice.start_cycle, slice.end_cycle, slice.execution_id, slice.sync, slice.exchange,
                           slice.compute);
                add(slice);
            },
            ipu, from, to);
    if (!done)
        return Failure(done.error());
    std::vector<TraceSlice> result;
    for (const auto& [id, total] : totals)
        result.push_back(total);
    std::stable_sort(result.begin(), result.end(), [](const TraceSlice& a, const TraceSlice& b) {
        return a.sync + a.exchange + a.compute > b.sync + b.exchange + b.compute;
    });
    return result;
}

} // namespace tilescope::profile
