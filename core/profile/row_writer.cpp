// SPDX-License-Identifier: GPL-3.0-or-later
#include "row_writer.h"

#include <algorithm>
#include <type_traits>

namespace tilescope::profile {
namespace {

constexpr std::size_t at_once = 16; ///< rows in one step

/// Rows of these are written again when they have grown.
template<class Row>
constexpr bool grows = std::is_same_v<Row, ExecutionGroupRecord> || std::is_same_v<Row, ExecutionValues>;

/// What is made of rows of these is kept, rather than they.
template<class Row>
constexpr bool kept_packed = std::is_same_v<Row, ExecutionRecord> || std::is_same_v<Row, MetricRecord>;

} // namespace

/// Inserts as many rows with one step.
template<class Row>
int RowWriter::step(Statement& statement, const Row* rows, std::size_t count) {
    if (statement.get() == nullptr) {
        const TableText text = text_of(table_of<Row>);
        auto prepared = Statement::prepare(db_, grows<Row> ? text.replace(count) : text.insert(count), {});
        if (!prepared)
            return sqlite3_errcode(db_);
        statement = std::move(*prepared);
    }
    int code = SQLITE_OK;
    const auto id_of = [&](const std::string& value) {
        const auto [id, made] = texts_.add(value);
        if (made && code == SQLITE_OK)
            code = write(TextRecord{id, value});
        return id;
    };
    int place = 0;
    for (std::size_t i = 0; i < count; ++i)
        if constexpr (table_of<Row>.storing == Storing::Plain)
            bind(statement, table_of<Row>, rows[i], place);
        else
            bind(statement, table_of<Row>, rows[i], place, id_of);
    if (code == SQLITE_OK)
        code = statement.step();
    statement.rewind();
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

template<class Row>
int RowWriter::write_now(const Row& row) {
    return step(std::get<Insert<Row>>(inserts_).one, &row, 1);
}

template<class Row>
int RowWriter::write(Row row) {
    auto& [one, batch, waiting] = std::get<Insert<Row>>(inserts_);
    waiting.push_back(std::move(row));
    if (waiting.size() < at_once)
        return SQLITE_OK;
    const int code = step(batch, waiting.data(), waiting.size());
    waiting.clear();
    return code;
}

template<class Row>
int RowWriter::write_waiting() {
    int code = SQLITE_OK;
    if constexpr (!kept_packed<Row>) {
        std::vector<Row>& waiting = std::get<Insert<Row>>(inserts_).waiting;
        for (std::size_t i = 0; i < waiting.size() && code == SQLITE_OK; ++i)
            code = write_now(waiting[i]);
        waiting.clear();
    }
    return code;
}

int RowWriter::write(const ExecutionRecord& row) {
    const int code =
        row.wall_us ? write(values_.add("wall_us", row.id, static_cast<double>(*row.wall_us))) : SQLITE_OK;
    return code == SQLITE_OK ? write(executions_.add(row)) : code;
}

int RowWriter::write(const MetricRecord& row) {
    return write(values_.add(metric_series + row.name, row.execution_id, row.value));
}

int RowWriter::write(OperationRecord row) {
    int code = SQLITE_OK;
    for (std::size_t i = 0; i < row.inputs.size() && code == SQLITE_OK; ++i)
        code = write(OperationInput{row.id, static_cast<std::int64_t>(i), row.inputs[i]});
    for (std::size_t i = 0; i < row.outputs.size() && code == SQLITE_OK; ++i)
        code = write(OperationOutput{row.id, static_cast<std::int64_t>(i), row.outputs[i]});
    for (std::size_t i = 0; i < row.parts.size() && code == SQLITE_OK; ++i)
        code = write(OperationPart{row.id, static_cast<std::int64_t>(i), row.parts[i]});
    return code == SQLITE_OK ? write<OperationRecord>(std::move(row)) : code;
}

int RowWriter::write(PlanRecord row) {
    int code = SQLITE_OK;
    for (const bool placed : {false, true}) {
        const std::vector<PlanItem>& items = placed ? row.placed : row.items;
        for (std::size_t i = 0; i < items.size() && code == SQLITE_OK; ++i)
            code = write(PlanItemRow{row.operation_id, row.product, row.rank, placed,
                                     static_cast<std::int64_t>(i), items[i].name, items[i].kind,
                                     items[i].cycles});
    }
    return code == SQLITE_OK ? write<PlanRecord>(std::move(row)) : code;
}

int RowWriter::insert(AnyRow row) {
    return std::visit(
        [this]<class Row>(Row&& one) {
            if constexpr (std::is_same_v<std::remove_cvref_t<Row>, ExecutionGroupRecord>)
                return write(executions_.add(one));
            else
                return write(std::forward<Row>(one));
        },
        std::move(row));
}

int RowWriter::insert(const RunRecord& row) {
    return write_now(row);
}

int RowWriter::insert(const ProgressRecord& row) {
    return write_now(row);
}

int RowWriter::insert_rest() {
    int code = write(executions_.changed());
    for (const ExecutionValues& row : values_.changed())
        code = code == SQLITE_OK ? write(row) : code;
    // The texts come last in the tuple: what binds the others adds to them.
    std::apply(
        [&]<class... Row>(const Insert<Row>&...) {
            ((code = code == SQLITE_OK ? write_waiting<Row>() : code), ...);
        },
        inserts_);
    return code;
}

} // namespace tilescope::profile
