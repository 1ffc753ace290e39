// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/sql_tables.h"

#include "packed_values.h"
#include "profile/tile_array.h"
#include "pva_views.h"
#include "rows.h"
#include "tile_blobs.h"
#include "tile_regions.h"
#include "time_walk.h"
#include "virtual_table.h"

#include <algorithm>
#include <array>

/// The tables that SQL sees in place of what is stored: a row for each execution, for each program step in
/// it, and for each tile.
namespace tilescope::profile {
namespace {

const char* const no_path = "the profile";

std::pair<std::int64_t, std::int64_t> numbers(const Bounds& bounds) {
    return {std::max<std::int64_t>(0, bounds.low), bounds.high};
}

class TraceRows : public RowsOf<TraceRow> {
  public:
    TraceRows(TimeTree& tree, std::vector<std::int64_t> ipus, StepFilter filter)
        : tree_(tree), ipus_(std::move(ipus)), filter_(std::move(filter)) {}

    static Result<std::unique_ptr<Rows>> open(const Scan& scan) {
        const Bounds ipu = scan.of("ipu");
        std::vector<std::int64_t> ipus;
        TRY(each_row(
            scan.db, no_path,
            "SELECT DISTINCT ipu FROM schedule_round WHERE ipu >= ? AND ipu <= ? ORDER BY ipu",
            [&](const Statement& s) { s.read(0, ipus.emplace_back()); }, ipu.low, ipu.high));
        const Bounds start = scan.of("start_cycle");
        StepFilter filter;
        filter.range.from = start.low;
        filter.range.to = start.high < most_cycles ? start.high + 1 : most_cycles + 1;
        filter.executions = numbers(scan.of("execution_id"));
        filter.steps = numbers(scan.of("step"));
        TRY(add_programs(scan, filter));
        return std::make_unique<TraceRows>(scan.tree, std::move(ipus), std::move(filter));
    }

  private:
    /// Where programs or operations are asked for: the program steps that these may be.
    static Result<void> add_programs(const Scan& scan, StepFilter& filter) {
        const Bounds programs = scan.of("program_id");
        const Bounds operations = scan.of("operation_id");
        if (programs == Bounds{} && operations == Bounds{})
            return {};
        TRY(scan.tree.groups());
        filter.programs.emplace();
        return each_row(
            scan.db, no_path,
            "SELECT id FROM (SELECT id FROM program UNION ALL SELECT id FROM further_step) WHERE id >= ? AND "
            "id <= ? ORDER BY id",
            [&](const Statement& s) {
                std::int64_t id = 0;
                s.read(0, id);
                const std::int64_t operation = scan.tree.kinds().operation_of(id);
                if (operation >= operations.low && operation <= operations.high)
                    filter.programs->push_back(id);
            },
            programs.low, programs.high);
    }

    Result<const TraceRow*> next_row() override {
        while (true) {
            if (cursor_)
                if (const TraceRecord* const step = cursor_->next(); step != nullptr) {
                    static_cast<TraceRecord&>(row_) = *step;
                    row_.ipu = ipus_[next_ipu_ - 1];
                    row_.operation_id = tree_.kinds().operation_of(step->program_id);
                    return &row_;
                }
            if (next_ipu_ == ipus_.size())
                return nullptr;
            TRY(const auto* line, tree_.line(ipus_[next_ipu_++]));
            line_ = *line; // that of the tree may be read anew under way
            cursor_.emplace(line_, filter_);
        }
    }

    TimeTree& tree_;
    std::vector<std::int64_t> ipus_;
    StepFilter filter_;
    std::size_t next_ipu_ = 0;
    std::vector<TimePart> line_;
    std::optional<StepCursor> cursor_;
    TraceRow row_;
};

/// The executions of some ids, by id.
class Executions {
  public:
    Executions(sqlite3* db, std::vector<ExecutionGroupRecord> groups, Bounds ids)
        : db_(db), groups_(std::move(groups)), ids_(ids) {
        std::sort(groups_.begin(), groups_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    }

    Result<const ExecutionRecord*> next() {
        for (++index_; group_ < groups_.size(); ++group_, index_ = 0) {
            const ExecutionGroupRecord& group = groups_[group_];
            if (ids_.low > group.id)
                index_ = std::max(index_, ids_.low - group.id);
            if (index_ >= group.count || group.id + index_ > ids_.high)
                continue;
            row_ = group.at(index_);
            TRY(read_wall());
            return &row_;
        }
        return nullptr;
    }

  private:
    static constexpr std::int64_t at_once = 4096;

    Result<void> read_wall() {
        if (row_.wall_us)
            return {};
        if (row_.id < window_ || row_.id >= window_ + at_once) {
            window_ = row_.id;
            walls_.assign(at_once, std::nullopt);
            TRY(read_values(db_, no_path, "wall_us", window_, window_ + at_once - 1,
                            [&](std::int64_t at, double value) {
                                walls_[static_cast<std::size_t>(at - window_)] = whole_us(value);
                            }));
        }
        row_.wall_us = walls_[static_cast<std::size_t>(row_.id - window_)];
        return {};
    }

    sqlite3* db_;
    std::vector<ExecutionGroupRecord> groups_;
    Bounds ids_;
    std::size_t group_ = 0;
    std::int64_t index_ = -1;
    ExecutionRecord row_;
    std::int64_t window_ = -at_once;
    std::vector<std::optional<std::int64_t>> walls_;
};

class ExecutionRows : public RowsOf<ExecutionRecord> {
  public:
    explicit ExecutionRows(Executions executions) : executions_(std::move(executions)) {}

    static Result<std::unique_ptr<Rows>> open(const Scan& scan) {
        TRY(const auto* groups, scan.tree.groups());
        return std::make_unique<ExecutionRows>(Executions(scan.db, *groups, scan.of("id")));
    }

  private:
    Result<const ExecutionRecord*> next_row() override { return executions_.next(); }

    Executions executions_;
};

class ExecutionIpuRows : public RowsOf<ExecutionIpuRow> {
  public:
    ExecutionIpuRows(Executions executions, std::vector<ScheduleIpuRecord> schedules)
        : executions_(std::move(executions)), schedules_(std::move(schedules)) {}

    static Result<std::unique_ptr<Rows>> open(const Scan& scan) {
        TRY(const auto* groups, scan.tree.groups());
        const Bounds ipu = scan.of("ipu");
        std::vector<ScheduleIpuRecord> schedules;
        TRY(each<ScheduleIpuRecord>(
            scan.db, no_path, "WHERE ipu >= ? AND ipu <= ? ORDER BY schedule_id, ipu",
            [&](const ScheduleIpuRecord& row) { schedules.push_back(row); }, ipu.low, ipu.high));
        return std::make_unique<ExecutionIpuRows>(Executions(scan.db, *groups, scan.of("execution_id")),
                                                  std::move(schedules));
    }

  private:
    Result<const ExecutionIpuRow*> next_row() override {
        while (at_ == end_) {
            TRY(const ExecutionRecord* execution, executions_.next());
            if (execution == nullptr)
                return nullptr;
            row_.execution_id = execution->id;
            const auto rows = std::equal_range(
                schedules_.begin(), schedules_.end(), ScheduleIpuRecord{execution->schedule_id},
                [](const auto& a, const auto& b) { return a.schedule_id < b.schedule_id; });
            at_ = static_cast<std::size_t>(rows.first - schedules_.begin());
            end_ = static_cast<std::size_t>(rows.second - schedules_.begin());
        }
        static_cast<ScheduleIpuRecord&>(row_) = schedules_[at_++];
        return &row_;
    }

    Executions executions_;
    std::vector<ScheduleIpuRecord> schedules_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    ExecutionIpuRow row_;
};

/// Read a few thousand executions at a time.
class MetricRows : public RowsOf<MetricRecord> {
  public:
    MetricRows(sqlite3* db, std::vector<std::string> names, Bounds ids)
        : db_(db), names_(std::move(names)), from_(ids.low), to_(ids.high) {}

    static Result<std::unique_ptr<Rows>> open(const Scan& scan) {
        TRY(auto names, metric_names(scan.db, no_path));
        std::int64_t last = -1;
        TRY(each_row(scan.db, no_path, "SELECT coalesce(max(first_id + count) - 1, -1) FROM execution_values",
                     [&](const Statement& s) { s.read(0, last); }));
        const auto [from, to] = numbers(scan.of("execution_id"));
        return std::make_unique<MetricRows>(scan.db, std::move(names), Bounds{from, std::min(to, last)});
    }

  private:
    Result<const MetricRecord*> next_row() override {
        while (at_ >= rows_.size()) {
            if (from_ > to_ || names_.empty())
                return nullptr;
            constexpr std::int64_t at_once = 4096;
            const std::int64_t last = to_ - from_ < at_once ? to_ : from_ + at_once - 1;
            rows_.clear();
            at_ = 0;
            for (const std::string& metric : names_)
                TRY(read_values(db_, no_path, metric_series + metric, from_, last,
                                [&](std::int64_t id, double number) {
                                    rows_.push_back({id, metric, number});
                                }));
            std::stable_sort(rows_.begin(), rows_.end(), [](const MetricRecord& a, const MetricRecord& b) {
                return a.execution_id < b.execution_id;
            });
            from_ = last + 1;
            if (rows_.empty())
                TRY(to_next_values());
        }
        return &rows_[at_++];
    }

    /// Past the executions that have none.
    Result<void> to_next_values() {
        std::int64_t next = to_ + 1;
        TRY(each_row(
            db_, no_path,
            "SELECT min(first_id) FROM execution_values WHERE first_id >= ?1 HAVING min(first_id) IS NOT "
            "NULL",
            [&](const Statement& s) { s.read(0, next); }, from_));
        from_ = std::max(from_, next);
        return {};
    }

    sqlite3* db_;
    std::vector<std::string> names_;
    std::int64_t from_;
    std::int64_t to_;
    std::vector<MetricRecord> rows_;
    std::size_t at_ = 0;
};

/// What the arguments (entity, entity_id, ipu, metric) name.
class TileValueRows : public RowsOf<TileValueRow> {
  public:
    TileValueRows(std::vector<std::int64_t> values, Bounds tiles) : values_(std::move(values)) {
        const auto count = static_cast<std::int64_t>(values_.size());
        end_ = tiles.high < count ? std::max<std::int64_t>(tiles.high + 1, 0) : count;
        row_.tile = std::min(std::max<std::int64_t>(tiles.low, 0), end_) - 1;
    }

    static Result<std::unique_ptr<Rows>> open(const Scan& scan) {
        auto statement = Statement::prepare(scan.db, tile_blobs_sql, no_path);
        if (!statement)
            return bad_input("tile_values reads Tilescope profiles; this database is none", {});
        for (std::size_t i = 0; i < scan.arguments.size(); ++i)
            sqlite3_bind_value(statement->get(), static_cast<int>(i) + 1, scan.arguments[i]);
        const int code = statement->step();
        if (code == SQLITE_DONE)
            return std::make_unique<TileValueRows>(std::vector<std::int64_t>(), Bounds{});
        auto values = code == SQLITE_ROW ? unpack_tile_values(statement->blob(0), statement->blob(1))
                                         : std::optional<std::vector<std::int64_t>>();
        if (!values)
            return Failure(sqlite_error(scan.db, code == SQLITE_ROW ? SQLITE_CORRUPT : code, no_path));
        return std::make_unique<TileValueRows>(std::move(*values), scan.of("tile"));
    }

  private:
    Result<const TileValueRow*> next_row() override {
        if (++row_.tile >= end_)
            return nullptr;
        row_.value = values_[static_cast<std::size_t>(row_.tile)];
        return &row_;
    }

    std::vector<std::int64_t> values_;
    std::int64_t end_ = 0;
    TileValueRow row_;
};

const std::array<VirtualTable, 6>& tables() {
    static const std::array<VirtualTable, 6> all = {
        virtual_table<TraceRows>({"ipu", "start_cycle", "execution_id", "step", "program_id", "operation_id"},
                                 2),
        virtual_table<ExecutionRows>({"id"}, 1),
        virtual_table<ExecutionIpuRows>({"execution_id", "ipu"}, 2),
        virtual_table<MetricRows>({"execution_id"}, 1),
        virtual_table<TileValueRows>({"tile"}, 1, {"entity", "entity_id", "ipu", "metric"}),
        virtual_table<TileRegionRows>({}, 0, {"ipu", "tile"})};
    return all;
}

} // namespace

int add_sql_tables(sqlite3* db) {
    int code = SQLITE_OK;
    for (const VirtualTable& table : tables())
        code = code == SQLITE_OK ? add_virtual_table(db, table) : code;
    return code == SQLITE_OK ? sqlite3_exec(db, pva_views_sql, nullptr, nullptr, nullptr) : code;
}

} // namespace tilescope::profile
