// SPDX-License-Identifier: GPL-3.0-or-later
#include "time_tree.h"

#include "base/try.h"
#include "rows.h"

#include <algorithm>

namespace tilescope::profile {
namespace {

bool plausible(std::int64_t value) {
    return value >= 0 && value <= most_cycles;
}

/// Whether what a part stands for can be counted.
bool countable(const TimePart& part, std::int64_t count) {
    if (part.kind == TimePart::Kind::Untraced)
        return bounded(part.cycles, count);
    return part.kind != TimePart::Kind::Node ||
           (bounded(part.node->sum.cycles, count) && part.node->sum.merged <= most_cycles / count);
}

/// Whether `repeats` times, `period` apart, of `length` each, beginning at `start`, end before most_cycles.
bool fits(std::int64_t start, std::int64_t repeats, std::int64_t period, std::int64_t length) {
    return plausible(start) && plausible(length) && plausible(period) && repeats >= 1 &&
           (repeats == 1 || (period > 0 && repeats - 1 <= (most_cycles - length) / period)) &&
           start <= most_cycles - length - (repeats - 1) * period;
}

Result<std::int64_t> number(sqlite3* db, const std::string& path, const std::string& sql) {
    TRY(auto statement, Statement::prepare(db, sql, path));
    std::int64_t value = -1;
    if (const int code = statement.step(); code == SQLITE_ROW)
        statement.read_all(value);
    else if (code != SQLITE_DONE)
        return Failure(sqlite_error(db, code, path));
    return value;
}

TimePart gap(TimePart::Kind kind, std::int64_t start, std::int64_t length) {
    TimePart part;
    part.kind = kind;
    part.start = start;
    part.length = length;
    return part;
}

TimePart part_of(std::shared_ptr<const TimeNode> node, std::int64_t start) {
    TimePart part;
    part.start = start;
    part.length = node->length;
    part.node = std::move(node);
    return part;
}

} // namespace

bool bounded(const PhaseCycles& cycles, std::int64_t count) {
    std::int64_t sum = 0;
    for (const std::int64_t part :
         {cycles.compute, cycles.exchange, cycles.sync, cycles.inter_ipu, cycles.host, cycles.waiting}) {
        if (!plausible(part) || part > most_cycles / count - sum)
            return false;
        sum += part;
    }
    return true;
}

TraceSlice slice_of(const TimePart& part, const StepKinds& kinds, std::int64_t start, std::int64_t index,
                    std::int64_t count) {
    TraceSlice slice;
    switch (part.kind) {
    case TimePart::Kind::Node:
        slice = part.node->sum;
        break;
    case TimePart::Kind::Step:
        slice = kinds.slice(TraceRecord{outer, outer, part.program_id, 0, 0, part.cycles.sync,
                                        part.cycles.exchange, part.cycles.compute});
        break;
    case TimePart::Kind::Launch:
        slice.merged = 0;
        slice.cycles.host = part.length;
        slice.execution_id = outer;
        break;
    case TimePart::Kind::Waiting:
        slice.merged = 0;
        slice.cycles.waiting = part.length;
        slice.execution_id = outer;
        break;
    case TimePart::Kind::Untraced:
        slice.traced = false;
        slice.cycles = part.cycles;
        slice.execution_id = outer;
        break;
    }
    const bool one = count == 1;
    if (part.numbers == TimePart::Numbers::Executions) {
        slice.execution_id = one ? part.first + index : -1;
        slice.step = one ? slice.step : -1;
    } else if (part.numbers == TimePart::Numbers::Steps) {
        slice.step = one ? part.first + index : -1;
    }
    if (!one) {
        slice.cycles = slice.cycles.times(count);
        slice.activities = slice.activities.times(count);
        slice.merged *= count;
        slice.program_id = -1;
    }
    slice.start_cycle = start;
    slice.end_cycle = start + (count - 1) * part.period + part.length;
    return slice;
}

Failure TimeTree::damaged() const {
    return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, path_));
}

Result<TimeTree::NodePointer> TimeTree::small_node(std::vector<TimePart> parts) const {
    auto node = std::make_shared<TimeNode>();
    node->sum.merged = 0;
    bool first = true;
    for (const TimePart& part : parts) {
        if (!countable(part, part.repeats))
            return damaged();
        const TraceSlice slice = slice_of(part, kinds_, part.start, 0, part.repeats);
        if (first)
            node->sum = slice;
        else
            join(node->sum, slice);
        first = false;
        node->length = std::max(node->length, part.end());
        if (!bounded(node->sum.cycles, 1) || node->sum.merged > most_cycles)
            return damaged();
    }
    node->sum.start_cycle = 0;
    node->sum.end_cycle = node->length;
    parts.shrink_to_fit(); // they stay as long as the file is open
    node->parts = std::move(parts);
    return node;
}

/// A node of these parts, in the order of their start, with the gaps between them and up to `length`.
Result<TimeTree::NodePointer> TimeTree::node(std::vector<TimePart> parts, std::int64_t length) const {
    std::vector<TimePart> whole;
    std::int64_t at = 0;
    const auto fill = [&](std::int64_t to) {
        if (to > at)
            whole.push_back(gap(TimePart::Kind::Waiting, at, to - at));
        at = std::max(at, to);
    };
    for (TimePart& part : parts) {
        if (!fits(part.start, part.repeats, part.period, part.length))
            return damaged();
        fill(part.start);
        at = std::max(at, part.end());
        if (part.repeats > 1 && part.period < part.length)
            return damaged();
        if (part.repeats > 1 && part.period > part.length) { // the last one has no gap behind it
            TimePart last = part;
            last.start += (part.repeats - 1) * part.period;
            last.first += part.repeats - 1;
            last.repeats = 1;
            TimePart once = part;
            once.start = 0;
            once.repeats = 1;
            once.numbers = TimePart::Numbers::Nothing;
            TRY(auto padded,
                small_node({once, gap(TimePart::Kind::Waiting, part.length, part.period - part.length)}));
            TimePart repeated = part_of(std::move(padded), part.start);
            repeated.repeats = part.repeats - 1;
            repeated.period = part.period;
            repeated.numbers = part.numbers;
            repeated.first = part.first;
            whole.push_back(std::move(repeated));
            whole.push_back(std::move(last));
        } else {
            whole.push_back(std::move(part));
        }
    }
    fill(length);
    while (whole.size() > TimeNode::most_parts) {
        std::vector<TimePart> coarser;
        for (std::size_t i = 0; i < whole.size(); i += TimeNode::most_parts) {
            const std::size_t end = std::min(whole.size(), i + TimeNode::most_parts);
            std::vector<TimePart> some(
                std::make_move_iterator(whole.begin() + static_cast<std::ptrdiff_t>(i)),
                std::make_move_iterator(whole.begin() + static_cast<std::ptrdiff_t>(end)));
            const std::int64_t start = some.front().start;
            for (TimePart& part : some)
                part.start -= start;
            TRY(auto group, small_node(std::move(some)));
            coarser.push_back(part_of(std::move(group), start));
        }
        whole = std::move(coarser);
    }
    return small_node(std::move(whole));
}

Result<TimeTree::NodePointer> TimeTree::block(std::int64_t id, std::int64_t below, int depth) {
    constexpr int deepest = 256;                     // loops in loops; readers go down as far
    constexpr std::int64_t most_at_once = 1'000'000; // steps that take no time
    if (id < 0 || id >= below || depth > deepest)
        return damaged();
    if (const auto found = blocks_.find(id); found != blocks_.end())
        return found->second;
    std::vector<BlockPartRecord> records;
    TRY(each<BlockPartRecord>(
        db_, path_, "WHERE block_id = ? ORDER BY position",
        [&](const BlockPartRecord& record) { records.push_back(record); }, id));
    if (records.empty())
        return damaged();
    std::vector<TimePart> parts;
    for (const BlockPartRecord& record : records) {
        TimePart part;
        if (record.part_block_id >= 0) {
            TRY(auto inner, block(record.part_block_id, id, depth + 1));
            part = part_of(std::move(inner), 0);
        } else {
            if (!plausible(record.sync) || !plausible(record.exchange) || !plausible(record.compute))
                return damaged();
            part.kind = TimePart::Kind::Step;
            part.length = record.sync + record.exchange + record.compute;
            part.program_id = record.program_id;
            part.cycles.sync = record.sync;
            part.cycles.exchange = record.exchange;
            part.cycles.compute = record.compute;
        }
        part.start = record.start_cycle;
        part.repeats = record.repeats;
        part.period = record.period_cycles;
        parts.push_back(std::move(part));
    }
    TRY(auto made, node(std::move(parts), 0));
    if (made->length == 0 && made->sum.merged > most_at_once)
        return damaged();
    blocks_.emplace(id, made);
    return made;
}

Result<std::vector<TimePart>> TimeTree::rounds(std::int64_t schedule, Lane lane) {
    std::vector<ScheduleRoundRecord> records;
    const char* const rows = "WHERE schedule_id = ? AND ipu = ? ORDER BY start_cycle, step";
    const auto keep = [&](const ScheduleRoundRecord& record) { records.push_back(record); };
    if (lane.second == Tiles::Io)
        TRY(each<ScheduleIoRoundRecord>(db_, path_, rows, keep, schedule, lane.first));
    else
        TRY(each<ScheduleRoundRecord>(db_, path_, rows, keep, schedule, lane.first));
    std::vector<TimePart> parts;
    parts.reserve(records.size());
    for (const ScheduleRoundRecord& record : records) {
        TRY(auto inner, block(record.block_id, most_cycles));
        TimePart part = part_of(std::move(inner), record.start_cycle);
        part.repeats = record.repeats;
        part.period = record.period_cycles;
        part.numbers = TimePart::Numbers::Steps;
        part.first = record.step;
        parts.push_back(std::move(part));
    }
    return parts;
}

Result<std::optional<TimePart>> TimeTree::execution(const ExecutionGroupRecord& group, Lane lane) {
    const Key key{group.schedule_id, lane, group.cycles};
    if (const auto found = executions_.find(key); found != executions_.end())
        return found->second;
    std::optional<TimePart> part;
    TRY(auto launch, number(db_, path_,
                            "SELECT coalesce(min(start_cycle), -1) FROM schedule_round WHERE schedule_id = " +
                                std::to_string(group.schedule_id)));
    if (lane.second == Tiles::Io) {
        TRY(auto parts, rounds(group.schedule_id, lane));
        if (!parts.empty()) {
            TRY(auto whole, node(std::move(parts), group.cycles));
            part = part_of(std::move(whole), 0);
        }
        executions_.emplace(key, part);
        return part;
    }
    if (launch >= 0) {
        TRY(auto parts, rounds(group.schedule_id, lane));
        if (const std::int64_t length = std::min(launch, group.cycles); length > 0)
            parts.insert(parts.begin(), gap(TimePart::Kind::Launch, 0, length));
        TRY(auto whole, node(std::move(parts), group.cycles));
        part = part_of(std::move(whole), 0);
    }
    TRY(each<ScheduleIpuRecord>(
        db_, path_, "WHERE schedule_id = ? AND ipu = ?",
        [&](const ScheduleIpuRecord& r) {
            if (part)
                return;
            part = gap(TimePart::Kind::Untraced, 0, group.cycles);
            part->cycles = {r.compute, r.exchange, r.sync, r.inter_ipu, r.host, r.waiting};
        },
        group.schedule_id, lane.first));
    executions_.emplace(key, part);
    return part;
}

Result<void> TimeTree::read_kinds() {
    // Steps are written before the first of them runs; a file that grows may have had few of them.
    TRY(const auto steps, number(db_, path_,
                                 "SELECT max((SELECT coalesce(max(id), -1) FROM program), "
                                 "(SELECT coalesce(max(id), -1) FROM further_step))"));
    if (steps == last_step_)
        return {};
    kinds_ = {};
    blocks_.clear();
    executions_.clear();
    std::map<std::int64_t, std::string> texts; // the few that kinds have, by id
    TRY(auto text, Statement::prepare(db_, "SELECT value FROM text WHERE id = ?", path_));
    const auto take = [&](const Statement& s, int column, auto& kind) {
        std::int64_t id = 0;
        s.read(column, id);
        const auto [found, fresh] = texts.try_emplace(id);
        if (fresh) {
            text.bind(1, id);
            if (text.step() == SQLITE_ROW)
                text.read(0, found->second);
            text.reset();
        }
        s.take(found->second, kind);
    };
    const auto each_stored = [&](const TableText& table, const std::string& columns, const auto& visit) {
        return each_row(db_, path_, "SELECT " + columns + " FROM " + table.stored_name(), visit);
    };
    TRY(each_stored(text_of(table_of<OperationRecord>), "phase, id, layer_id", [&](const Statement& s) {
        OperationRecord r;
        take(s, 0, r.phase);
        s.read(1, r.id);
        s.read(2, r.layer_id);
        kinds_.add(r);
    }));
    TRY(each_stored(text_of(table_of<ExchangeRecord>), "kind, id", [&](const Statement& s) {
        ExchangeRecord r;
        take(s, 0, r.kind);
        s.read(1, r.id);
        kinds_.add(r);
    }));
    TRY(each_stored(text_of(table_of<ProgramRecord>), "kind, id, parent_id, operation_id, exchange_id, peer",
                    [&](const Statement& s) {
                        ProgramRecord r;
                        take(s, 0, r.kind);
                        int column = 0;
                        for (auto* value : {&r.id, &r.parent_id, &r.operation_id, &r.exchange_id, &r.peer})
                            s.read(++column, *value);
                        kinds_.add(r);
                    }));
    TRY(each_stored(text_of(table_of<FurtherStepRecord>),
                    "kind, id, parent_id, operation_id, peer, between_ipus", [&](const Statement& s) {
                        FurtherStepRecord r;
                        take(s, 0, r.kind);
                        int column = 0;
                        for (auto* value : {&r.id, &r.parent_id, &r.operation_id, &r.peer})
                            s.read(++column, *value);
                        s.read(++column, r.between_ipus);
                        kinds_.add(r);
                    }));
    kinds_.shrink();
    last_step_ = steps;
    return {};
}

Result<void> TimeTree::refresh() {
    TRY(const auto version, number(db_, path_, "PRAGMA data_version"));
    if (version == version_)
        return {};
    groups_.clear();
    lines_.clear();
    bool whole = true;
    std::int64_t executed = 0, stepped = 0, waited = 0; // totals, which stay within 64 bits
    TRY(each<ExecutionGroupRecord>(
        db_, path_, "ORDER BY start_cycle, id", [&](const ExecutionGroupRecord& g) {
            whole = whole && plausible(g.id) && plausible(g.count) && g.count > 0 &&
                    plausible(g.first_step) && plausible(g.steps) && g.steps > 0 && plausible(g.epoch) &&
                    plausible(g.executions_per_epoch) && plausible(g.wall_us) &&
                    g.count <= most_cycles / g.steps &&
                    (g.count == 1 ||
                     (g.period_cycles >= g.cycles && (g.period_cycles > 0 || g.schedule_id < 0))) &&
                    fits(g.start_cycle, g.period_cycles == 0 ? 1 : g.count, g.period_cycles, g.cycles);
            executed += whole ? g.count * g.cycles : 0;
            stepped += whole ? g.count * g.steps : 0;
            waited += whole ? g.wall_us : 0;
            whole = whole && std::max({executed, stepped, waited}) <= most_cycles;
            groups_.push_back(g);
        }));
    if (!whole)
        return damaged();
    TRY(read_kinds());
    version_ = version;
    return {};
}

Result<const std::vector<ExecutionGroupRecord>*> TimeTree::groups() {
    TRY(refresh());
    return &groups_;
}

void TimeTree::suppose(const ExecutionGroupRecord& executions) {
    supposed_ = {executions};
    lines_.clear();
}

Result<const std::vector<TimePart>*> TimeTree::line(std::int64_t ipu, Tiles tiles) {
    TRY(refresh());
    const Lane lane{ipu, tiles};
    const auto [found, made] = lines_.try_emplace(lane);
    if (!made)
        return &found->second;
    std::vector<TimePart> parts;
    for (const ExecutionGroupRecord& group : groups_.empty() ? supposed_ : groups_) {
        if (group.schedule_id < 0)
            continue;
        auto part = execution(group, lane);
        if (!part) {
            lines_.erase(found);
            return Failure(part.error());
        }
        if (!*part)
            continue;
        if (!countable(**part, group.count)) {
            lines_.erase(found);
            return damaged();
        }
        TimePart& executions = parts.emplace_back(std::move(**part));
        executions.numbers = TimePart::Numbers::Executions;
        executions.start = group.start_cycle;
        executions.repeats = group.count;
        executions.period = group.period_cycles;
        executions.first = group.id;
    }
    found->second = std::move(parts);
    return &found->second;
}

} // namespace tilescope::profile
