// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/sql_tables.h"

#include "packed_values.h"
#include "rows.h"
#include "tile_values_function.h"
#include "time_walk.h"
#include "virtual_table.h"

#include <algorithm>
#include <array>
#include <cmath>

/// The tables that SQL sees in place of what is stored: a row for each execution, and for each program step
/// in it.
namespace tilescope::profile {
namespace {

const char* const no_path = "the profile";

std::pair<std::int64_t, std::int64_t> numbers(const Bounds& bounds) {
    return {std::max<std::int64_t>(0, bounds.low), bounds.high};
}

void give(sqlite3_context* out, const std::string& text) {
    sqlite3_result_text(out, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

class TraceRows : public RowSource {
  public:
    enum Column { ipu, start_cycle, execution_id, step, program_id, sync, exchange, compute, operation_id };

    TraceRows(TimeTree& tree, std::vector<std::int64_t> ipus, StepFilter filter)
        : tree_(tree), ipus_(std::move(ipus)), filter_(std::move(filter)) {}

    static Result<std::unique_ptr<RowSource>> open(sqlite3* db, TimeTree& tree,
                                                   const std::vector<Bounds>& bounds) {
        std::vector<std::int64_t> ipus;
        TRY(each_row(
            db, no_path, "SELECT DISTINCT ipu FROM schedule_round WHERE ipu >= ? AND ipu <= ? ORDER BY ipu",
            [&](const Statement& s) { s.read(0, ipus.emplace_back()); }, bounds[ipu].low, bounds[ipu].high));
        StepFilter filter;
        filter.range.from = bounds[start_cycle].low;
        filter.range.to =
            bounds[start_cycle].high < most_cycles ? bounds[start_cycle].high + 1 : most_cycles + 1;
        filter.executions = numbers(bounds[execution_id]);
        filter.steps = numbers(bounds[step]);
        TRY(add_programs(db, tree, bounds[program_id], bounds[operation_id], filter));
        return std::make_unique<TraceRows>(tree, std::move(ipus), std::move(filter));
    }

    Result<bool> next() override {
        while (true) {
            if (cursor_)
                if (row_ = cursor_->next(); row_ != nullptr)
                    return true;
            if (next_ipu_ == ipus_.size())
                return false;
            TRY(const auto* line, tree_.line(ipus_[next_ipu_++]));
            line_ = *line; // that of the tree may be read anew under way
            cursor_.emplace(line_, filter_);
        }
    }

    void column(int index, sqlite3_context* out) const override {
        const std::array<std::int64_t, 8> values = {
            ipus_[next_ipu_ - 1], row_->start_cycle, row_->execution_id, row_->step,
            row_->program_id,     row_->sync,        row_->exchange,     row_->compute};
        sqlite3_result_int64(out, index == operation_id ? tree_.kinds().operation_of(row_->program_id)
                                                        : values[static_cast<std::size_t>(index)]);
    }

  private:
    /// Where programs or operations are asked for: the program steps that these may be.
    static Result<void> add_programs(sqlite3* db, TimeTree& tree, const Bounds& programs,
                                     const Bounds& operations, StepFilter& filter) {
        const Bounds any;
        const auto free = [&](const Bounds& b) { return b.low == any.low && b.high == any.high; };
        if (free(programs) && free(operations))
            return {};
        TRY(tree.groups());
        filter.programs.emplace();
        return each_row(
            db, no_path, "SELECT id FROM program WHERE id >= ? AND id <= ? ORDER BY id",
            [&](const Statement& s) {
                std::int64_t id = 0;
                s.read(0, id);
                const std::int64_t operation = tree.kinds().operation_of(id);
                if (operation >= operations.low && operation <= operations.high)
                    filter.programs->push_back(id);
            },
            programs.low, programs.high);
    }

    TimeTree& tree_;
    std::vector<std::int64_t> ipus_;
    StepFilter filter_;
    std::size_t next_ipu_ = 0;
    std::vector<TimePart> line_;
    std::optional<StepCursor> cursor_;
    const TraceRecord* row_ = nullptr;
};

/// Executions by id.
class ExecutionRows : public RowSource {
  public:
    enum Column { id, kind, epoch, first_step, steps, start_cycle, cycles, wall_us, schedule_id };

    ExecutionRows(sqlite3* db, std::vector<ExecutionGroupRecord> groups, Bounds ids)
        : db_(db), groups_(std::move(groups)), ids_(ids) {
        std::sort(groups_.begin(), groups_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    }

    static Result<std::unique_ptr<RowSource>> open(sqlite3* db, TimeTree& tree,
                                                   const std::vector<Bounds>& bounds) {
        TRY(const auto* groups, tree.groups());
        return std::make_unique<ExecutionRows>(db, *groups, bounds[id]);
    }

    Result<bool> next() override {
        for (++index_; group_ < groups_.size(); ++group_, index_ = 0) {
            const ExecutionGroupRecord& group = groups_[group_];
            if (ids_.low > group.id)
                index_ = std::max(index_, ids_.low - group.id);
            if (index_ >= group.count || group.id + index_ > ids_.high)
                continue;
            row_ = group.at(index_);
            TRY(read_wall());
            return true;
        }
        return false;
    }

    void column(int index, sqlite3_context* out) const override {
        const std::array<std::int64_t, 9> values = {
            row_.id,          0,           row_.epoch,   row_.first_step, row_.steps,
            row_.start_cycle, row_.cycles, row_.wall_us, row_.schedule_id};
        if (index == kind)
            give(out, to_string(row_.kind));
        else if (index != wall_us || row_.wall_us >= 0)
            sqlite3_result_int64(out, values[static_cast<std::size_t>(index)]);
    }
    const ExecutionRecord& row() const { return row_; }

  private:
    static constexpr std::int64_t at_once = 4096;

    Result<void> read_wall() {
        if (row_.wall_us >= 0)
            return {};
        if (row_.id < window_ || row_.id >= window_ + at_once) {
            window_ = row_.id;
            walls_.assign(at_once, -1);
            TRY(read_values(
                db_, no_path, "wall_us", window_, window_ + at_once - 1, [&](std::int64_t at, double value) {
                    walls_[static_cast<std::size_t>(at - window_)] = static_cast<std::int64_t>(value);
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
    std::vector<std::int64_t> walls_;
};

class ExecutionIpuRows : public RowSource {
  public:
    enum Column { execution_id, ipu, compute, exchange, sync, inter_ipu, host, waiting };

    ExecutionIpuRows(sqlite3* db, std::vector<ExecutionGroupRecord> groups, Bounds ids,
                     std::vector<ScheduleIpuRecord> schedules)
        : executions_(db, std::move(groups), ids), schedules_(std::move(schedules)) {}

    static Result<std::unique_ptr<RowSource>> open(sqlite3* db, TimeTree& tree,
                                                   const std::vector<Bounds>& bounds) {
        TRY(const auto* groups, tree.groups());
        std::vector<ScheduleIpuRecord> schedules;
        TRY(each<ScheduleIpuRecord>(
            db, no_path, "WHERE ipu >= ? AND ipu <= ? ORDER BY schedule_id, ipu",
            [&](const ScheduleIpuRecord& row) { schedules.push_back(row); }, bounds[ipu].low,
            bounds[ipu].high));
        return std::make_unique<ExecutionIpuRows>(db, *groups, bounds[execution_id], std::move(schedules));
    }

    Result<bool> next() override {
        if (at_ != end_)
            ++at_;
        while (at_ == end_) {
            TRY(const bool more, executions_.next());
            if (!more)
                return false;
            const auto rows = std::equal_range(
                schedules_.begin(), schedules_.end(), ScheduleIpuRecord{executions_.row().schedule_id},
                [](const auto& a, const auto& b) { return a.schedule_id < b.schedule_id; });
            at_ = static_cast<std::size_t>(rows.first - schedules_.begin());
            end_ = static_cast<std::size_t>(rows.second - schedules_.begin());
        }
        return true;
    }

    void column(int index, sqlite3_context* out) const override {
        const ScheduleIpuRecord& r = schedules_[at_];
        const std::array<std::int64_t, 8> values = {
            executions_.row().id, r.ipu, r.compute, r.exchange, r.sync, r.inter_ipu, r.host, r.waiting};
        sqlite3_result_int64(out, values[static_cast<std::size_t>(index)]);
    }

  private:
    ExecutionRows executions_;
    std::vector<ScheduleIpuRecord> schedules_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
};

/// Read a few thousand executions at a time.
class MetricRows : public RowSource {
  public:
    enum Column { execution_id, name, value };

    MetricRows(sqlite3* db, std::vector<std::string> names, Bounds ids)
        : db_(db), names_(std::move(names)), from_(ids.low), to_(ids.high) {}

    static Result<std::unique_ptr<RowSource>> open(sqlite3* db, TimeTree&,
                                                   const std::vector<Bounds>& bounds) {
        TRY(auto names, metric_names(db, no_path));
        std::int64_t last = -1;
        TRY(each_row(db, no_path, "SELECT coalesce(max(first_id + count) - 1, -1) FROM execution_values",
                     [&](const Statement& s) { s.read(0, last); }));
        const auto [from, to] = numbers(bounds[execution_id]);
        return std::make_unique<MetricRows>(db, std::move(names), Bounds{from, std::min(to, last)});
    }

    Result<bool> next() override {
        ++at_;
        while (at_ >= rows_.size()) {
            if (from_ > to_ || names_.empty())
                return false;
            constexpr std::int64_t at_once = 4096;
            const std::int64_t last = std::min(to_, from_ + at_once - 1);
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
        }
        return true;
    }

    void column(int index, sqlite3_context* out) const override {
        const MetricRecord& row = rows_[at_];
        if (index == execution_id)
            sqlite3_result_int64(out, row.execution_id);
        else if (index == name)
            give(out, row.name);
        else
            sqlite3_result_double(out, row.value);
    }

  private:
    sqlite3* db_;
    std::vector<std::string> names_;
    std::int64_t from_;
    std::int64_t to_;
    std::vector<MetricRecord> rows_;
    std::size_t at_ = 0;
};

const std::array<VirtualTable, 4>& tables() {
    static const std::array<VirtualTable, 4> all = {
        VirtualTable{
            "trace",
            "ipu INTEGER, start_cycle INTEGER, execution_id INTEGER, step INTEGER, program_id INTEGER, "
            "sync INTEGER, exchange INTEGER, compute INTEGER, operation_id INTEGER",
            {TraceRows::ipu, TraceRows::start_cycle, TraceRows::execution_id, TraceRows::step,
             TraceRows::program_id, TraceRows::operation_id},
            2,
            TraceRows::open},
        VirtualTable{"execution",
                     "id INTEGER, kind TEXT, epoch INTEGER, first_step INTEGER, steps INTEGER, start_cycle "
                     "INTEGER, cycles INTEGER, wall_us INTEGER, schedule_id INTEGER",
                     {ExecutionRows::id},
                     1,
                     ExecutionRows::open},
        VirtualTable{"execution_ipu",
                     "execution_id INTEGER, ipu INTEGER, compute INTEGER, exchange INTEGER, sync INTEGER, "
                     "inter_ipu INTEGER, host INTEGER, waiting INTEGER",
                     {ExecutionIpuRows::execution_id, ExecutionIpuRows::ipu},
                     2,
                     ExecutionIpuRows::open},
        VirtualTable{"metric",
                     "execution_id INTEGER, name TEXT, value REAL",
                     {MetricRows::execution_id},
                     1,
                     MetricRows::open}};
    return all;
}

} // namespace

int add_sql_tables(sqlite3* db) {
    int code = add_tile_values_function(db);
    for (const VirtualTable& table : tables())
        code = code == SQLITE_OK ? add_virtual_table(db, table) : code;
    return code;
}

} // namespace tilescope::profile
