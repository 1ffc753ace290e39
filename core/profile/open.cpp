// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "profile/connection.h"
#include "profile/schema.h"
#include "profile/tile_values_function.h"

namespace tilescope::profile {
namespace {

namespace fs = std::filesystem;

Result<Database> connect(const std::string& path, bool writable) {
    sqlite3* raw = nullptr;
    const int flags = (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_URI;
    int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    Database db(raw);
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(raw, 2000);
        code = sqlite3_exec(raw, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
    }
    if (code != SQLITE_OK)
        return Failure(sqlite_error(raw, code, path));
    return db;
}

/// Opens for reading. In WAL mode that needs a shared-memory file beside the profile; where the folder
/// cannot be written and nobody writes the profile, it is opened as one that does not change.
Result<Database> connect_for_reading(const std::string& path) {
    auto db = connect(path, false);
    std::error_code error;
    if (db || fs::exists(path + "-wal", error))
        return db;
    std::string uri = "file:";
    for (const char c : fs::absolute(path).string()) {
        constexpr std::string_view reserved = "?#%";
        if (reserved.find(c) == std::string_view::npos) {
            uri += c;
            continue;
        }
        constexpr std::string_view digits = "0123456789ABCDEF";
        uri += '%';
        uri += digits[static_cast<unsigned char>(c) >> 4];
        uri += digits[static_cast<unsigned char>(c) & 15U];
    }
    auto fixed = connect(uri + "?immutable=1", false);
    return fixed ? std::move(fixed) : std::move(db);
}

Result<std::int64_t> pragma(sqlite3* db, const char* name, const std::string& path) {
    auto statement = Statement::prepare(db, std::string("PRAGMA ") + name, path);
    if (!statement)
        return Failure(statement.error());
    std::int64_t value = 0;
    if (statement->step() == SQLITE_ROW)
        statement->read_all(value);
    return value;
}

/// migrations[v] turns schema v into v + 1.
constexpr std::array<const char*, schema_version> migrations = {
    // Version 0 was never published: a file of it differs from version 1 in nothing but its number.
    "",
};

/// A copy of an older profile, brought to the current schema.
Result<std::string> migrated_copy(sqlite3* old, std::int64_t version, const std::string& path) {
    static std::atomic<int> copies{0};
    const std::string copy = (fs::temp_directory_path() / ("tilescope-" + std::to_string(getpid()) + "-" +
                                                           std::to_string(copies++) + ".tilescope"))
                                 .string();
    auto statement = Statement::prepare(old, "VACUUM INTO ?", path);
    if (!statement)
        return Failure(statement.error());
    statement->bind_all(copy);
    if (const int code = statement->step(); code != SQLITE_DONE)
        return Failure(sqlite_error(old, code, path));
    auto db = connect(copy, true);
    if (!db)
        return Failure(db.error());
    for (; version < schema_version; ++version)
        if (auto ok = execute(db->get(), migrations[static_cast<std::size_t>(version)], path); !ok)
            return Failure(ok.error());
    if (auto ok = execute(db->get(), "PRAGMA user_version = " + std::to_string(schema_version), path); !ok)
        return Failure(ok.error());
    return copy;
}

bool starts_like_sqlite(const std::string& path) {
    std::array<char, 16> head{};
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), head.size());
    return file && std::string_view(head.data(), 15) == "SQLite format 3";
}

} // namespace

Profile::State::~State() {
    db.reset();
    if (!temporary.empty()) {
        std::error_code error;
        fs::remove(temporary, error);
    }
}

Result<std::unique_ptr<Profile>> Profile::open(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error))
        return bad_input("there is no such file", path, "check the path");
    if (!fs::is_regular_file(path, error))
        return bad_input("not a file", path, "give a .tilescope file");
    if (!starts_like_sqlite(path))
        return bad_input("the file is no Tilescope profile", path, "give a .tilescope file");
    auto db = connect_for_reading(path);
    if (!db)
        return Failure(db.error());
    const auto id = pragma(db->get(), "application_id", path);
    const auto version = pragma(db->get(), "user_version", path);
    if (!id || !version)
        return Failure((!id ? id : version).error());
    if (*id != application_id)
        return bad_input("the file is a database, but no Tilescope profile", path, "give a .tilescope file");
    if (*version > schema_version)
        return bad_input("the file has schema " + std::to_string(*version) + ", this version reads up to " +
                             std::to_string(schema_version),
                         path, "open it with a newer Tilescope");
    auto state = std::make_unique<State>();
    state->path = path;
    if (*version < schema_version) {
        auto copy = migrated_copy(db->get(), *version, path);
        if (!copy)
            return Failure(copy.error());
        state->temporary = *copy;
        db = connect_for_reading(*copy);
        if (!db)
            return Failure(db.error());
    }
    state->db = std::move(*db);
    sqlite3_exec(state->db.get(), "PRAGMA query_only = 1", nullptr, nullptr, nullptr);
    add_tile_values_function(state->db.get());
    std::unique_ptr<Profile> profile(new Profile(std::move(state)));
    // A file cut short keeps its first page: a table that every profile has tells.
    if (auto run = profile->run(); !run)
        return Failure(run.error());
    return profile;
}

Profile::Profile(std::unique_ptr<State> state) : state_(std::move(state)) {}
Profile::~Profile() = default;

const std::string& Profile::path() const { return state_->path; }
void Profile::interrupt() { sqlite3_interrupt(state_->db.get()); }

std::int64_t Profile::data_version() const {
    return pragma(state_->db.get(), "data_version", state_->path).value_or(-1);
}

} // namespace tilescope::profile
