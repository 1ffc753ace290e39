// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/trim.h"

#include "base/text.h"
#include "base/try.h"
#include "migrate.h"
#include "packed_values.h"
#include "profile/engine_run_range.h"
#include "profile/profile.h"
#include "profile/writer_lock.h"
#include "profile_files.h"
#include "rows.h"
#include "schema.h"
#include "statement.h"
#include "tables.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <unistd.h>

namespace tilescope::profile {
namespace {

namespace fs = std::filesystem;

/// A file of our own, removed unless it was given its name.
class Draft {
  public:
    explicit Draft(const std::string& target) : path(target + ".trimmed-" + std::to_string(getpid())) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() {
        std::error_code ignored;
        for (const char* suffix : {"", "-wal", "-shm", "-journal"})
            fs::remove(path + suffix, ignored);
    }
    const std::string path;
};

Result<void> copy(const std::string& source, const std::string& target) {
    std::error_code error;
    fs::copy_file(source, target, error);
    if (!error && fs::exists(source + "-wal")) // of a writer that ended early: what it recorded last
        fs::copy_file(source + "-wal", target + "-wal", error);
    return error ? system_failure("the profile cannot be copied: " + error.message(), target,
                                  "choose a folder with free space")
                 : Result<void>();
}

/// Opens the copy for writing, in the current schema.
Result<Database> open_copy(const std::string& path, const CancelToken* cancel) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
    Database db(raw);
    if (code != SQLITE_OK)
        return Failure(sqlite_error(raw, code, path));
    constexpr int instructions = 1000; // of SQLite's machine, between two looks
    sqlite3_progress_handler(
        raw, instructions, [](void* of) { return is_cancelled(static_cast<CancelToken*>(of)) ? 1 : 0; },
        const_cast<CancelToken*>(cancel));
    TRY(execute(raw, "PRAGMA journal_mode = DELETE", path));
    std::int64_t version = 0;
    {
        TRY(auto statement, Statement::prepare(raw, "PRAGMA user_version", path));
        if (statement.step() == SQLITE_ROW)
            statement.read_all(version);
    }
    if (version < schema_version)
        TRY(migrate(raw, version, path));
    return db;
}

/// Executes SQL with numbers in the places of its question marks.
template<class... Values>
Result<void> change(sqlite3* db, const std::string& path, const char* sql, const Values&... values) {
    TRY(auto statement, Statement::prepare(db, sql, path));
    statement.bind_all(values...);
    const int code = statement.step();
    return code == SQLITE_DONE ? Result<void>() : Failure(sqlite_error(db, code, path));
}

/// Keeps a part of a group, with the wall time that its engine runs took.
Result<void> keep_part(sqlite3* db, const std::string& path, const ExecutionGroupRecord& group,
                       const ExecutionGroupRecord& part) {
    double wall_us = 0;
    TRY(read_values(db, path, "wall_us", part.id, part.id + part.count - 1,
                    [&](std::int64_t, double value) { wall_us += value; }));
    return change(db, path,
                  "UPDATE execution_group SET id = ?, count = ?, epoch = ?, first_step = ?, start_cycle = ?, "
                  "wall_us = ? WHERE id = ?",
                  part.id, part.count, part.epoch, part.first_step, part.start_cycle, whole_us(wall_us),
                  group.id);
}

/// Cuts the numbers of engine runs at both ends.
Result<void> keep_values(sqlite3* db, const std::string& path, std::int64_t first, std::int64_t last) {
    TRY(change(db, path, "DELETE FROM execution_values WHERE first_id > ? OR first_id + count <= ?", last,
               first));
    std::vector<ExecutionValues> cut;
    {
        TRY(auto rows, Statement::prepare(db,
                                          "SELECT series, first_id, count, data FROM execution_values WHERE "
                                          "first_id < ? OR first_id + count - 1 > ?",
                                          path));
        rows.bind_all(first, last);
        while (rows.step() == SQLITE_ROW) {
            ExecutionValues& row = cut.emplace_back();
            rows.read_all(row.series, row.first_id, row.count, row.data);
        }
    }
    for (const ExecutionValues& row : cut) {
        const auto values = unpack_values(row.data, row.count);
        if (!values)
            return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, path));
        const std::int64_t from = std::max(first, row.first_id);
        const std::int64_t to = std::min(last, row.first_id + row.count - 1);
        const std::span<const double> kept(values->data() + (from - row.first_id),
                                           static_cast<std::size_t>(to - from + 1));
        TRY(change(db, path,
                   "UPDATE execution_values SET first_id = ?, count = ?, data = ? WHERE series = ? AND "
                   "first_id = ?",
                   from, to - from + 1, pack_values(kept), row.series, row.first_id));
    }
    return {};
}

Result<void> keep_executions(sqlite3* db, const std::string& path,
                             const std::vector<ExecutionGroupRecord>& groups, std::int64_t first,
                             std::int64_t last) {
    bool any = false;
    for (const ExecutionGroupRecord& group : groups) {
        const auto part = part_of(group, first, last);
        if (!part) {
            TRY(change(db, path, "DELETE FROM execution_group WHERE id = ?", group.id));
            continue;
        }
        any = true;
        if (part->count < group.count)
            TRY(keep_part(db, path, group, *part));
    }
    if (!any)
        return no_engine_run(groups, first, last);
    TRY(keep_values(db, path, first, last));
    return execute(
        db,
        "DELETE FROM schedule_ipu WHERE schedule_id NOT IN (SELECT schedule_id FROM "
        "execution_group); DELETE FROM schedule_io WHERE schedule_id NOT IN (SELECT schedule_id FROM "
        "execution_group); DELETE FROM schedule_io_round WHERE schedule_id NOT IN (SELECT schedule_id FROM "
        "execution_group); DELETE FROM schedule_round WHERE schedule_id NOT IN (SELECT schedule_id "
        "FROM execution_group); DELETE FROM schedule WHERE id NOT IN (SELECT schedule_id FROM "
        "execution_group); DELETE FROM stored_further_step WHERE device_program_id NOT IN (SELECT "
        "device_program_id FROM schedule); DELETE FROM pipeline_slot WHERE device_program_id > 0 AND "
        "device_program_id NOT IN (SELECT device_program_id FROM schedule)",
        path);
}

Result<void> check_ipus(const std::string& source, const std::vector<std::int64_t>& ipus,
                        const std::vector<IpuRecord>& all) {
    for (const std::int64_t ipu : ipus) {
        const bool there = std::any_of(all.begin(), all.end(), [&](const IpuRecord& record) {
            return record.id == ipu && record.replica == 0;
        });
        if (!there)
            return bad_input("the first replica has no IPU " + std::to_string(ipu), source,
                             "its IPUs count from 0; other replicas do the same");
    }
    return {};
}

/// Of a table with the steps of programs: deletes those that run on none of the IPUs in `list`. A copy
/// between IPUs runs on both. What has steps in it is of no one IPU, and stays where one of these does.
std::string other_steps_sql(const std::string& table, const std::string& list) {
    const std::string runs = "(ipu < 0 OR ipu IN (" + list + ") OR peer IN (" + list + "))";
    return "DELETE FROM " + table +
           " WHERE id NOT IN (WITH RECURSIVE kept (id, parent_id) AS (SELECT id, parent_id FROM " + table +
           " WHERE id NOT IN (SELECT parent_id FROM " + table + ") AND " + runs +
           " UNION SELECT outer_step.id, outer_step.parent_id FROM " + table +
           " outer_step JOIN kept ON outer_step.id = kept.parent_id) SELECT id FROM kept);";
}

/// What is of other IPUs goes: their memory, their steps and their time. The graph stays whole.
Result<void> keep_ipus(sqlite3* db, const std::string& path, const std::vector<std::int64_t>& ipus) {
    std::string list;
    for (const std::int64_t ipu : ipus)
        list += (list.empty() ? "" : ", ") + std::to_string(ipu);
    const std::string others = " NOT IN (" + list + ");";
    std::string sql;
    for (const char* table : {"stored_variable", "liveness_span", "stored_oversize_tile", "tile_entry",
                              "schedule_ipu", "schedule_round", "schedule_io", "schedule_io_round"})
        sql += std::string("DELETE FROM ") + table + " WHERE ipu" + others;
    for (const char* steps : {"stored_program", "stored_further_step"})
        sql += other_steps_sql(steps, list);
    sql += "DELETE FROM stored_compute_set WHERE id NOT IN (SELECT compute_set_id FROM stored_program);"
           "DELETE FROM stored_vertex WHERE compute_set_id NOT IN (SELECT id FROM stored_compute_set);"
           "DELETE FROM stored_exchange WHERE id NOT IN (SELECT exchange_id FROM stored_program);"
           "DELETE FROM exchange_variable WHERE exchange_id NOT IN (SELECT id FROM stored_exchange);"
           "DELETE FROM stored_exchange_moves WHERE exchange_id NOT IN (SELECT id FROM stored_exchange);"
           "DELETE FROM pipeline_slot WHERE stage NOT IN (SELECT stage FROM ipu WHERE id IN (" +
           list + "));";
    sql += "DELETE FROM link_traffic WHERE ipu" + others + "DELETE FROM link_traffic WHERE peer" + others +
           "DELETE FROM ipu WHERE id" + others;
    return execute(db, sql, path);
}

constexpr const char* without_tiles_sql =
    "DELETE FROM tile_entry WHERE metric_id IN (SELECT id FROM tile_metric WHERE entity IN ('variable', "
    "'compute_set', 'exchange')); DELETE FROM stored_exchange_moves";

/// What nothing leads to any more.
constexpr const char* without_orphans_sql =
    "DELETE FROM tile_metric WHERE id NOT IN (SELECT metric_id FROM tile_entry);"
    "DELETE FROM tile_needs WHERE id NOT IN (SELECT needs_id FROM stored_exchange_moves);"
    "DELETE FROM tile_blob WHERE id NOT IN (SELECT blob_id FROM tile_entry UNION SELECT base_id FROM "
    "tile_blob "
    "WHERE id IN (SELECT blob_id FROM tile_entry));"
    "WITH RECURSIVE used (id) AS (SELECT block_id FROM schedule_round UNION SELECT block_id FROM "
    "schedule_io_round UNION SELECT part_block_id FROM used "
    "JOIN "
    "block_part ON block_id = id) DELETE FROM block_part WHERE block_id NOT IN (SELECT id FROM used);"
    "VACUUM";

/// "1 of 16 IPUs, 4 of 9 engine runs": what is left of as many; "" where all of it is.
Result<std::string> what_is_left(sqlite3* db, const std::string& path, std::int64_t all_ipus,
                                 std::int64_t all_engine_runs) {
    std::int64_t ipus = 0, engine_runs = 0;
    TRY(each_row(db, path, "SELECT (SELECT count(*) FROM ipu), (SELECT total(count) FROM execution_group)",
                 [&](const Statement& s) { s.read_all(ipus, engine_runs); }));
    std::string text;
    const auto add = [&](std::int64_t left, std::int64_t all, const char* what) {
        if (left < all)
            text += (text.empty() ? "" : ", ") + count_text(left) + " of " + count_text(all) + " " + what;
    };
    add(ipus, all_ipus, "IPUs");
    add(engine_runs, all_engine_runs, "engine runs");
    return text;
}

std::int64_t engine_runs_of(const std::vector<ExecutionGroupRecord>& groups) {
    return std::accumulate(groups.begin(), groups.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& group) { return sum + group.count; });
}

} // namespace

Result<void> trim(const std::string& source, const std::string& path, const Trimming& keep,
                  const CancelToken* cancel) {
    std::vector<ExecutionGroupRecord> groups;
    std::vector<IpuRecord> ipus;
    {
        TRY(const auto profile, Profile::open(source));
        TRY(groups, profile->execution_groups());
        TRY(ipus, profile->ipus());
    }
    std::error_code ignored;
    if (writer_of(source) != 0)
        return bad_input("the profile is still being written", source, "trim it when its run has ended");
    if (fs::equivalent(source, path, ignored))
        return bad_input("the profile cannot be trimmed into itself", path, "give another name with -o");
    TRY(check_ipus(source, keep.ipus, ipus));
    TRY(const std::string target, replaceable(path));
    TRY(const auto lock, WriterLock::take(target));
    const Draft draft(target);
    TRY(copy(source, draft.path));
    {
        TRY(const auto db, open_copy(draft.path, cancel));
        if (keep.executions)
            TRY(keep_executions(db.get(), draft.path, groups, keep.executions->first,
                                keep.executions->second));
        if (!keep.ipus.empty())
            TRY(keep_ipus(db.get(), draft.path, keep.ipus));
        TRY(const auto left, what_is_left(db.get(), draft.path, static_cast<std::int64_t>(ipus.size()),
                                          engine_runs_of(groups)));
        if (!left.empty())
            TRY(change(db.get(), draft.path,
                       "UPDATE run SET trimmed = trimmed || iif(trimmed = '', '', ', of these ') || ?",
                       left));
        if (!keep.tiles)
            TRY(execute(db.get(), without_tiles_sql, draft.path));
        TRY(execute(db.get(), without_orphans_sql, draft.path));
    }
    if (is_cancelled(cancel))
        return cancelled();
    return rename_profile(draft.path, target);
}

} // namespace tilescope::profile
