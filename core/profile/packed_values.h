// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/sqlite_api.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilescope::profile {

/// Numbers of neighbouring executions in few bytes: first the first bytes of all, then the second ones and
/// so on (IEEE 754, 64 bits, little endian; those of numbers that change slowly are alike), as a zlib stream.
std::vector<std::byte> pack_values(std::span<const double> values);
/// nullopt where the bytes are no such thing of `count` numbers.
std::optional<std::vector<double>> unpack_values(std::span<const std::byte> packed, std::int64_t count);

struct ExecutionValues;
inline constexpr const char* metric_series = "metric:"; ///< begins the names of series of metrics

/// Gathers the values of executions, one series beside the other, into rows of `execution_values`.
class ValueSeries {
  public:
    static constexpr std::size_t most_of_row = 4096;

    /// Adds a value of an execution. Those of one series come in the order of the executions. Gives the row
    /// that is complete by that, if any.
    std::optional<ExecutionValues> add(const std::string& series, std::int64_t execution, double value);
    /// The rows that have changed since the last call.
    std::vector<ExecutionValues> changed();

  private:
    struct Row {
        std::int64_t first = 0;
        std::vector<double> values;
        bool changed = false;
    };
    std::map<std::string, Row> open_;
};

/// Calls `visit(execution, value)` for the values of a series of executions `from` to `to`, in order.
Result<void> read_values(sqlite3* db, const std::string& path, const std::string& series, std::int64_t from,
                         std::int64_t to, const std::function<void(std::int64_t, double)>& visit);
/// A value that is a whole number of microseconds; of a file that is damaged, the nearest that can be one.
std::int64_t whole_us(double value);
Result<std::vector<std::string>> metric_names(sqlite3* db, const std::string& path); ///< sorted

} // namespace tilescope::profile
