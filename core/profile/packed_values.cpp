// SPDX-License-Identifier: GPL-3.0-or-later
#include "packed_values.h"

#include "rows.h"

#include <algorithm>
#include <bit>
#include <zlib.h>

namespace tilescope::profile {
namespace {

constexpr std::size_t width = sizeof(double);
constexpr std::int64_t most = std::int64_t{1} << 20; ///< of a row; a damaged one may say any

ExecutionValues row_of(const std::string& series, std::int64_t first, const std::vector<double>& values) {
    return {series, first, static_cast<std::int64_t>(values.size()), pack_values(values)};
}

} // namespace

std::vector<std::byte> pack_values(std::span<const double> values) {
    std::vector<Bytef> planes(values.size() * width);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto bits = std::bit_cast<std::uint64_t>(values[i]);
        for (std::size_t k = 0; k < width; ++k)
            planes[k * values.size() + i] = static_cast<Bytef>(bits >> (8 * k));
    }
    uLongf size = compressBound(planes.size());
    std::vector<std::byte> packed(size);
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size, planes.data(), planes.size(),
              Z_DEFAULT_COMPRESSION);
    packed.resize(size);
    return packed;
}

std::optional<std::vector<double>> unpack_values(std::span<const std::byte> packed, std::int64_t count) {
    if (count < 0 || count > most)
        return std::nullopt;
    std::vector<double> values(static_cast<std::size_t>(count));
    std::vector<Bytef> planes(values.size() * width);
    uLongf size = planes.size();
    if (uncompress(planes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()) !=
            Z_OK ||
        size != planes.size())
        return std::nullopt;
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint64_t bits = 0;
        for (std::size_t k = 0; k < width; ++k)
            bits |= static_cast<std::uint64_t>(planes[k * values.size() + i]) << (8 * k);
        values[i] = std::bit_cast<double>(bits);
    }
    return values;
}

std::optional<ExecutionValues> ValueSeries::add(const std::string& series, std::int64_t execution,
                                                double value) {
    Row& row = open_[series];
    std::optional<ExecutionValues> complete;
    const std::int64_t next = row.first + static_cast<std::int64_t>(row.values.size());
    if (!row.values.empty() && (execution != next || row.values.size() == most_of_row)) {
        if (row.changed)
            complete = row_of(series, row.first, row.values);
        row.values.clear();
    }
    if (row.values.empty())
        row.first = execution;
    row.values.push_back(value);
    row.changed = true;
    return complete;
}

std::vector<ExecutionValues> ValueSeries::changed() {
    std::vector<ExecutionValues> rows;
    for (auto& [series, row] : open_)
        if (row.changed) {
            rows.push_back(row_of(series, row.first, row.values));
            row.changed = false;
        }
    return rows;
}

Result<void> read_values(sqlite3* db, const std::string& path, const std::string& series, std::int64_t from,
                         std::int64_t to, const std::function<void(std::int64_t, double)>& visit) {
    bool whole = true;
    const auto read_row = [&](const Statement& s) {
        std::int64_t first = 0;
        std::int64_t count = 0;
        s.read_all(first, count);
        const auto numbers = unpack_values(s.blob(2), count);
        whole = whole && numbers && first >= 0 && first <= std::numeric_limits<std::int64_t>::max() - most;
        for (std::size_t i = 0; whole && i < numbers->size(); ++i)
            if (const std::int64_t id = first + static_cast<std::int64_t>(i); id >= from && id <= to)
                visit(id, (*numbers)[i]);
    };
    TRY(each_row(
        db, path,
        "SELECT first_id, count, data FROM execution_values WHERE series = ?1 AND first_id <= ?3 AND "
        "first_id "
        ">= coalesce((SELECT max(first_id) FROM execution_values WHERE series = ?1 AND first_id <= ?2), ?2) "
        "ORDER BY first_id",
        read_row, series, from, to));
    return whole ? Result<void>() : Failure(sqlite_error(nullptr, SQLITE_CORRUPT, path));
}

std::int64_t whole_us(double value) {
    constexpr double most_us = 9007199254740992.0; // 2^53: doubles hold each whole number up to that
    return value > 0 ? static_cast<std::int64_t>(std::min(value, most_us)) : 0; // not a number, too
}

Result<std::vector<std::string>> metric_names(sqlite3* db, const std::string& path) {
    std::vector<std::string> names;
    const std::string prefix = metric_series;
    TRY(each_row(db, path, "SELECT DISTINCT series FROM execution_values ORDER BY series",
                 [&](const Statement& s) {
                     std::string series;
                     s.read(0, series);
                     if (series.starts_with(prefix))
                         names.push_back(series.substr(prefix.size()));
                 }));
    return names;
}

} // namespace tilescope::profile
