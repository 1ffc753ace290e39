// SPDX-License-Identifier: GPL-3.0-or-later
#include "row_writer.h"

namespace tilescope::profile {
namespace {

std::size_t next_number() {
    static std::size_t next = 0;
    return next++;
}

/// Numbers the kinds of rows from 0.
template<class Row>
const std::size_t number_of = next_number();

/// Rows of these are written again when they have grown.
template<class Row>
constexpr bool grows = std::is_same_v<Row, ExecutionGroupRecord> || std::is_same_v<Row, ExecutionValues>;

} // namespace

template<class Row>
int RowWriter::write(const Row& row) {
    const std::size_t number = number_of<Row>;
    if (number >= inserts_.size())
        inserts_.resize(number + 1);
    Statement& statement = inserts_[number];
    if (statement.get() == nullptr) {
        const TableText text = text_of(table_of<Row>);
        auto prepared = Statement::prepare(db_, grows<Row> ? text.replace() : text.insert(), {});
        if (!prepared)
            return sqlite3_errcode(db_);
        statement = std::move(*prepared);
    }
    int code = SQLITE_OK;
    const auto id_of = [&](const std::string& value) {
        const auto [found, made] = texts_.try_emplace(value, static_cast<std::int64_t>(texts_.size()));
        if (made && code == SQLITE_OK)
            code = write(TextRecord{found->second, value});
        return found->second;
    };
    if constexpr (table_of<Row>.storing == Storing::Plain)
        bind(statement, table_of<Row>, row);
    else
        bind(statement, table_of<Row>, row, id_of);
    if (code == SQLITE_OK)
        code = statement.step();
    statement.rewind();
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int RowWriter::write(const ExecutionRecord& row) {
    const int code =
        row.wall_us ? write(values_.add("wall_us", row.id, static_cast<double>(*row.wall_us))) : SQLITE_OK;
    return code == SQLITE_OK ? write(executions_.add(row)) : code;
}

int RowWriter::write(const MetricRecord& row) {
    return write(values_.add(metric_series + row.name, row.execution_id, row.value));
}

int RowWriter::write(const OperationRecord& row) {
    int code = write<OperationRecord>(row);
    for (std::size_t i = 0; i < row.inputs.size() && code == SQLITE_OK; ++i)
        code = write(OperationInput{row.id, static_cast<std::int64_t>(i), row.inputs[i]});
    for (std::size_t i = 0; i < row.outputs.size() && code == SQLITE_OK; ++i)
        code = write(OperationOutput{row.id, static_cast<std::int64_t>(i), row.outputs[i]});
    return code;
}

int RowWriter::insert(const AnyRow& row) {
    return std::visit(
        [this](const auto& one) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, ExecutionGroupRecord>)
                return write(executions_.add(one));
            else
                return write(one);
        },
        row);
}

int RowWriter::insert(const RunRecord& row) {
    return write(row);
}

int RowWriter::insert(const ProgressRecord& row) {
    return write(row);
}

int RowWriter::insert_open() {
    int code = write(executions_.changed());
    for (const ExecutionValues& row : values_.changed())
        code = code == SQLITE_OK ? write(row) : code;
    return code;
}

} // namespace tilescope::profile
