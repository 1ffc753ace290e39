// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "profile/records.h"
#include "profile/shared_rows.h"
#include "tables.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

namespace tilescope::profile {

/// A table that many ask for as a whole.
template<class Row>
struct KeptTable {
    std::mutex mutex; ///< who reads it; others wait, and have what was read
    SharedRows<Row> rows;
    std::optional<std::int64_t> version; ///< of the file for which they were seen to hold; nullopt: not read
    std::int64_t stored = 0;             ///< rows of which they were made
};

/// A row of the view `category_memory`.
struct CategoryOfIpu {
    std::int64_t ipu = 0;
    CategoryBytes bytes;
};

/// Those that the compiler makes. Rows are only ever added to them.
using KeptTables = std::tuple<KeptTable<LayerRecord>, KeptTable<TensorRecord>, KeptTable<OperationRecord>,
                              KeptTable<VariableRecord>, KeptTable<ComputeSetRecord>, KeptTable<VertexRecord>,
                              KeptTable<ExchangeRecord>, KeptTable<ExchangeVariableRecord>,
                              KeptTable<ProgramRecord>, KeptTable<CategoryOfIpu>>;

/// SQL that counts the stored rows of which those of a table are made: the same number, the same rows.
template<class Row>
std::string rows_of_which_made() {
    const auto count_of = [](const TableText& table) {
        return "(SELECT count(*) FROM " + table.stored_name() + ")";
    };
    if constexpr (std::is_same_v<Row, CategoryOfIpu>)
        return "SELECT " + count_of(text_of(table_of<TileEntry>)) + " + " +
               count_of(text_of(table_of<IpuRecord>));
    else {
        std::string sql = "SELECT " + count_of(text_of(table_of<Row>));
        if constexpr (table_of<Row>.storing == Storing::OnceForReplicas)
            sql += " + " + count_of(text_of(table_of<IpuRecord>));
        if constexpr (std::is_same_v<Row, OperationRecord>)
            sql += " + " + count_of(text_of(table_of<OperationInput>)) + " + " +
                   count_of(text_of(table_of<OperationOutput>)) + " + " +
                   count_of(text_of(table_of<OperationPart>));
        return sql;
    }
}

} // namespace tilescope::profile
