// SPDX-License-Identifier: GPL-3.0-or-later
#include "fold_executions.h"

#include "packed_values.h"
#include "profile/block_builder.h"
#include "rows.h"
#include "schedule_book.h"

#include <map>
#include <set>
#include <tuple>

namespace tilescope::profile {
namespace {

struct OldExecution {
    ExecutionRecord record;
    bool traced = false;
};

class Folding {
  public:
    Folding(sqlite3* db, const std::string& path) : db_(db), path_(path) {}

    Result<void> run() {
        TRY(execute(db_, "BEGIN", path_));
        for (const std::string& sql :
             {text_of(table_of<ExecutionGroupRecord>).create(), text_of(table_of<ExecutionValues>).create(),
              text_of(table_of<ScheduleIpuRecord>).create(), text_of(table_of<ScheduleRoundRecord>).create(),
              text_of(table_of<BlockPartRecord>).create()})
            TRY(execute(db_, sql, path_));
        TRY(each_row(db_, path_, "SELECT DISTINCT ipu FROM trace ORDER BY ipu",
                     [&](const Statement& s) { s.read(0, ipus_.emplace_back()); }));
        TRY(each_execution("WHERE traced", [&](const OldExecution& e) { return trace(e.record); }));
        TRY(each_execution("", [&](const OldExecution& e) { return fold(e); }));
        TRY(insert(groups_.changed()));
        TRY(fold_metrics());
        return execute(
            db_,
            "DROP TABLE execution; DROP TABLE execution_ipu; DROP TABLE trace; DROP TABLE IF EXISTS "
            "trace_block; DROP TABLE metric; COMMIT",
            path_);
    }

  private:
    using Phases = std::vector<ScheduleIpuRecord>;
    using Likeness = std::tuple<ExecutionKind, std::int64_t, std::int64_t, Phases>; ///< and steps, cycles

    template<class Visit>
    Result<void> each_execution(const std::string& which, const Visit& visit) {
        Result<void> done;
        TRY(each_row(db_, path_,
                     "SELECT id, kind, epoch, first_step, steps, start_cycle, cycles, wall_us, traced FROM "
                     "execution " +
                         which + " ORDER BY id",
                     [&](const Statement& s) {
                         OldExecution e;
                         ExecutionRecord& r = e.record;
                         s.read_all(r.id, r.kind, r.epoch, r.first_step, r.steps, r.start_cycle, r.cycles,
                                    r.wall_us, e.traced);
                         if (done)
                             done = visit(e);
                     }));
        return done;
    }

    template<class Row>
    Result<void> insert(const Row& row) {
        static const std::string sql = text_of(table_of<Row>).replace();
        auto found = statements_.find(sql);
        if (found == statements_.end()) {
            TRY(auto prepared, Statement::prepare(db_, sql, path_));
            found = statements_.emplace(sql, std::move(prepared)).first;
        }
        int place = 0;
        bind(found->second, table_of<Row>, row, place);
        const int code = found->second.step();
        found->second.reset();
        return code == SQLITE_DONE ? Result<void>() : Failure(sqlite_error(db_, code, path_));
    }
    template<class Row>
    Result<void> insert(const std::optional<Row>& row) {
        return row ? insert(*row) : Result<void>();
    }

    Result<Phases> phases_of(std::int64_t execution) {
        Phases phases;
        TRY(each_row(
            db_, path_,
            "SELECT ipu, compute, exchange, sync, inter_ipu, host, waiting FROM execution_ipu WHERE "
            "execution_id = ? ORDER BY ipu",
            [&](const Statement& s) {
                ScheduleIpuRecord& r = phases.emplace_back();
                s.read_all(r.ipu, r.compute, r.exchange, r.sync, r.inter_ipu, r.host, r.waiting);
            },
            execution));
        return phases;
    }

    Result<std::int64_t> keep(Phases phases, std::vector<ScheduleRoundRecord> rounds) {
        const auto [id, made] = book_.add(phases, rounds);
        if (made) {
            for (const ScheduleIpuRecord& row : phases)
                TRY(insert(row));
            for (const ScheduleRoundRecord& row : rounds)
                TRY(insert(row));
        }
        return id;
    }

    /// The schedule of a traced execution; its rows are found by IPU and time.
    Result<void> trace(const ExecutionRecord& e) {
        Result<void> written;
        const auto keep_block = [&](std::vector<BlockPartRecord> parts) {
            const auto [id, made] = book_.add(parts);
            for (std::size_t i = 0; made && written && i < parts.size(); ++i)
                written = insert(parts[i]);
            return id;
        };
        std::vector<ScheduleRoundRecord> rounds;
        for (const std::int64_t ipu : ipus_) {
            std::vector<TraceRecord> rows;
            TRY(each_row(
                db_, path_,
                "SELECT execution_id, step, program_id, start_cycle, sync, exchange, compute FROM trace "
                "WHERE "
                "ipu = ? AND start_cycle >= ? AND start_cycle <= ? ORDER BY start_cycle",
                [&](const Statement& s) {
                    TraceRecord r;
                    r.ipu = ipu;
                    s.read_all(r.execution_id, r.step, r.program_id, r.start_cycle, r.sync, r.exchange,
                               r.compute);
                    if (r.execution_id == e.id)
                        rows.push_back(r);
                },
                ipu, e.start_cycle, e.start_cycle + e.cycles));
            const auto more = rounds_of(std::move(rows), e.start_cycle, keep_block);
            rounds.insert(rounds.end(), more.begin(), more.end());
        }
        TRY(std::move(written));
        if (rounds.empty())
            return {}; // as one that was not traced
        TRY(auto phases, phases_of(e.id));
        TRY(const auto id, keep(phases, std::move(rounds)));
        by_execution_[e.id] = id;
        alike_.try_emplace(Likeness{e.kind, e.steps, e.cycles, std::move(phases)}, id);
        return {};
    }

    Result<void> fold(const OldExecution& old) {
        ExecutionRecord e = old.record;
        TRY(auto phases, phases_of(e.id));
        const auto own = by_execution_.find(e.id);
        const auto like = alike_.find(Likeness{e.kind, e.steps, e.cycles, phases});
        if (own != by_execution_.end())
            e.schedule_id = own->second;
        else if (like != alike_.end())
            e.schedule_id = like->second;
        else if (!phases.empty()) {
            TRY(e.schedule_id, keep(std::move(phases), {}));
        }
        if (e.wall_us)
            TRY(insert(values_.add("wall_us", e.id, static_cast<double>(*e.wall_us))));
        TRY(insert(groups_.add(e)));
        return {};
    }

    Result<void> fold_metrics() {
        Result<void> written;
        TRY(each_row(db_, path_, "SELECT execution_id, name, value FROM metric ORDER BY name, execution_id",
                     [&](const Statement& s) {
                         MetricRecord r;
                         s.read_all(r.execution_id, r.name, r.value);
                         if (written)
                             written = insert(values_.add(metric_series + r.name, r.execution_id, r.value));
                     }));
        TRY(std::move(written));
        for (const ExecutionValues& row : values_.changed())
            TRY(insert(row));
        return {};
    }

    sqlite3* db_;
    const std::string& path_;
    std::vector<std::int64_t> ipus_; ///< of the trace
    ScheduleBook book_;
    ExecutionGrouping groups_;
    ValueSeries values_;
    std::map<std::int64_t, std::int64_t> by_execution_; ///< schedules
    std::map<Likeness, std::int64_t> alike_;
    std::map<std::string, Statement> statements_;
};

} // namespace

Result<void> fold_executions(sqlite3* db, const std::string& path) {
    return Folding(db, path).run();
}

} // namespace tilescope::profile
