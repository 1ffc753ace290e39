// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/kinds.h"
#include "profile/sqlite_api.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tilescope::profile {

struct CloseDatabase {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

/// The error that SQLite reports, as one that a user can act on. `path` is the place.
Error sqlite_error(sqlite3* db, int code, const std::string& path);

/// A prepared statement: bind values in order, step, read columns in order.
class Statement {
  public:
    Statement() = default;
    static Result<Statement> prepare(sqlite3* db, const std::string& sql, const std::string& path);

    void bind(int index, std::int64_t value) { sqlite3_bind_int64(get(), index, value); }
    void bind(int index, int value) { sqlite3_bind_int64(get(), index, value); }
    void bind(int index, bool value) { sqlite3_bind_int64(get(), index, value ? 1 : 0); }
    void bind(int index, std::uint64_t value) {
        sqlite3_bind_int64(get(), index, static_cast<sqlite3_int64>(value));
    }
    template<class Number>
    requires std::is_arithmetic_v<Number>
    void bind(int index, std::optional<Number> value) {
        if (value)
            bind(index, *value);
        else
            sqlite3_bind_null(get(), index);
    }
    void bind(int index, double value) { sqlite3_bind_double(get(), index, value); }
    void bind(int index, const std::string& value) {
        sqlite3_bind_text(get(), index, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    }
    void bind(int index, const std::vector<std::byte>& value) {
        sqlite3_bind_blob(get(), index, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    }
    /// The same without a copy: `value` must stay until after the step.
    void bind_kept(int index, const std::string& value) {
        sqlite3_bind_text(get(), index, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    }
    void bind_kept(int index, const std::vector<std::byte>& value) {
        sqlite3_bind_blob(get(), index, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    }
    template<Spelled Kind>
    void bind(int index, Kind value) {
        bind(index, to_string(value));
    }
    template<Spelled Kind>
    void bind(int index, std::optional<Kind> value) {
        bind(index, value ? to_string(*value) : none);
    }
    template<class... T>
    void bind_all(const T&... values) {
        int index = 0;
        (bind(++index, values), ...);
    }
    int step() { return sqlite3_step(get()); }
    /// For the next step. What was bound stays so.
    void rewind() { sqlite3_reset(get()); }
    void reset() {
        rewind();
        sqlite3_clear_bindings(get());
        unknown_.clear();
    }
    sqlite3_stmt* get() const { return statement_.get(); }

    void read(int column, std::int64_t& out) const { out = sqlite3_column_int64(get(), column); }
    void read(int column, std::uint64_t& out) const {
        out = static_cast<std::uint64_t>(sqlite3_column_int64(get(), column));
    }
    template<class Number>
    requires std::is_arithmetic_v<Number>
    void read(int column, std::optional<Number>& out) const {
        out.reset();
        if (sqlite3_column_type(get(), column) != SQLITE_NULL)
            read(column, out.emplace());
    }
    void read(int column, bool& out) const { out = sqlite3_column_int64(get(), column) != 0; }
    void read(int column, double& out) const { // SQLite keeps NaN as NULL
        out = sqlite3_column_type(get(), column) == SQLITE_NULL ? std::numeric_limits<double>::quiet_NaN()
                                                                : sqlite3_column_double(get(), column);
    }
    /// Valid until the next step.
    std::string_view text(int column) const {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(get(), column));
        return text == nullptr
                   ? std::string_view()
                   : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(get(), column)));
    }
    void read(int column, std::string& out) const { out = text(column); }
    /// What was read is this text.
    void take(std::string_view text, std::string& out) const { out = text; }
    template<Spelled Kind>
    void take(std::string_view text, Kind& out) const {
        if (const auto kind = parse<Kind>(text))
            out = *kind;
        else if (unknown_.empty())
            unknown_ = std::string(spelling(Kind{}).what) + " \"" + std::string(text) + "\"";
    }
    template<Spelled Kind>
    void take(std::string_view text, std::optional<Kind>& out) const {
        out = text == none || text.empty() ? std::nullopt : std::optional(Kind{});
        if (out)
            take(text, *out);
    }
    template<Spelled Kind>
    void read(int column, Kind& out) const {
        take(text(column), out);
    }
    template<Spelled Kind>
    void read(int column, std::optional<Kind>& out) const {
        take(text(column), out);
    }
    void read(int column, std::vector<std::byte>& out) const {
        const auto data = blob(column);
        out.assign(data.begin(), data.end());
    }
    template<class... T>
    void read_all(T&... values) const {
        int column = 0;
        (read(column++, values), ...);
    }
    std::span<const std::byte> blob(int column) const {
        return {static_cast<const std::byte*>(sqlite3_column_blob(get(), column)),
                static_cast<std::size_t>(sqlite3_column_bytes(get(), column))};
    }

    /// The first kind among what was read that this version does not know: "kind of step \"jump\"", or "".
    const std::string& unknown() const { return unknown_; }

    inline static const std::string none = "none"; ///< of the kinds: stored where there is none

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    mutable std::string unknown_;
};

/// Runs SQL that returns nothing.
Result<void> execute(sqlite3* db, const std::string& sql, const std::string& path);

} // namespace tilescope::profile
