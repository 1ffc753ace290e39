// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "connection.h"
#include "migrate.h"
#include "profile/sql_tables.h"
#include "profile/writer_lock.h"
#include "schema.h"
#include "schema_check.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace tilescope::profile {
namespace {

namespace fs = std::filesystem;

/// How a file is opened.
enum class Access {
    Write,     ///< a copy of our own
    Follow,    ///< someone writes it: through SQLite's locks and shared memory
    Unlogged,  ///< nobody writes it, and it has no log: as a file that never changes
    Abandoned, ///< nobody writes it any more, but what its writer last recorded is still in its log
};

/// The name of a file as SQLite takes it, with how it is to be read.
std::string address(const std::string& path, Access access) {
    if (access == Access::Write || access == Access::Follow)
        return path;
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
    // Without locks and shared memory SQLite keeps the index of the log to itself, and nothing is written.
    return uri + (access == Access::Unlogged ? "?immutable=1" : "?vfs=unix-none");
}

Result<Database> connect(Access access, const std::string& path) {
    sqlite3* raw = nullptr;
    const int flags = access == Access::Write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int code = sqlite3_open_v2(address(path, access).c_str(), &raw,
                               flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    Database db(raw);
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(raw, 2000);
        if (access == Access::Abandoned) {
            sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
            sqlite3_exec(raw, "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
        }
        code = sqlite3_exec(raw, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
    }
    if (code != SQLITE_OK)
        return Failure(sqlite_error(raw, code, path));
    return db;
}

/// Opens for reading so that nothing is written: not into the file, and nothing beside it that its writer
/// has not made. That works in folders that cannot be written.
Result<Database> connect_for_reading(const std::string& path, Access& access) {
    std::error_code error;
    const auto log = fs::file_size(path + "-wal", error);
    const bool logged = !error && log > 0;
    access = writer_of(path) != 0 ? Access::Follow : logged ? Access::Abandoned : Access::Unlogged;
    return connect(access, path);
}

Result<std::int64_t> pragma(sqlite3* db, const char* name, const std::string& path) {
    TRY(auto statement, Statement::prepare(db, std::string("PRAGMA ") + name, path));
    std::int64_t value = 0;
    if (statement.step() == SQLITE_ROW)
        statement.read_all(value);
    return value;
}

void remove_copy(const std::string& path) {
    std::error_code error;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
        fs::remove(path + suffix, error);
}

Result<void> migrate_copy(const std::string& copy, std::int64_t version, const std::string& path) {
    TRY(const auto db, connect(Access::Write, copy));
    return migrate(db.get(), version, path);
}

/// A copy of an older profile in the folder for temporary files, brought to the current schema.
Result<std::string> migrated_copy(sqlite3* old, std::int64_t version, const std::string& path) {
    std::error_code error;
    std::string copy = (fs::temp_directory_path(error) / "tilescope-XXXXXX").string();
    const int file = mkstemp(copy.data()); // SQLite fills an empty file that exists
    if (file < 0)
        return system_failure("a profile of an older schema is migrated on a copy, which cannot be made",
                              copy, "set TMPDIR to a folder that can be written");
    close(file);
    TRY(auto statement, Statement::prepare(old, "VACUUM INTO ?", path));
    statement.bind_all(copy);
    Result<void> done;
    if (const int code = statement.step(); code != SQLITE_DONE)
        done = Failure(sqlite_error(old, code, path));
    if (done)
        done = migrate_copy(copy, version, path);
    if (!done) {
        remove_copy(copy);
        return Failure(done.error());
    }
    return copy;
}

/// Whether a file that nobody writes is shorter than its header says (SQLite file format, section 1.3).
bool cut_short(const std::string& path) {
    std::error_code error;
    if (fs::exists(path + "-wal", error))
        return false; // a checkpoint may be under way
    std::array<unsigned char, 32> head{};
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(head.data()), head.size());
    const std::uint64_t page = head[16] << 8 | head[17];
    std::uint64_t pages = 0;
    for (std::size_t i = 28; i < 32; ++i)
        pages = pages << 8 | head[i];
    return !file || fs::file_size(path, error) < pages * (page == 1 ? 65536 : page);
}

bool starts_like_sqlite(const std::string& path) {
    std::array<char, 16> head{};
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), head.size());
    return file && std::string_view(head.data(), sqlite_head.size()) == sqlite_head;
}

} // namespace

Profile::State::~State() {
    statements.clear();
    times.reset();
    db.reset();
}

Result<std::unique_ptr<Profile>> Profile::open(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error))
        return bad_input("there is no such file", path, "check the path");
    if (!fs::is_regular_file(path, error))
        return bad_input("not a file", path, "give a .tilescope file");
    if (!starts_like_sqlite(path))
        return bad_input("the file is no Tilescope profile", path, "give a .tilescope file");
    if (cut_short(path))
        return Failure(sqlite_error(nullptr, SQLITE_CORRUPT, path));
    const auto found = state_of_file(path);
    Access access{};
    TRY(auto db, connect_for_reading(path, access));
    TRY(const auto id, pragma(db.get(), "application_id", path));
    TRY(const auto version, pragma(db.get(), "user_version", path));
    if (id != application_id)
        return bad_input("the file is a database, but no Tilescope profile", path, "give a .tilescope file");
    if (version < 0)
        return bad_input("the file is damaged: it has schema " + std::to_string(version), path,
                         "record the profile again");
    if (version > schema_version)
        return bad_input("the file has schema " + std::to_string(version) + ", this version reads up to " +
                             std::to_string(schema_version),
                         path, "open it with a newer Tilescope");
    TRY(check_schema(db.get(), version, path));
    auto state = std::make_unique<State>();
    state->path = path;
    if (version < schema_version) {
        TRY(const std::string copy, migrated_copy(db.get(), version, path));
        auto opened = connect_for_reading(copy, access);
        remove_copy(copy); // it goes with the last who has it open, however that ends
        if (!opened)
            return Failure(opened.error());
        db = std::move(*opened);
    } else if (access == Access::Unlogged && found && state_of_file(path) == found) {
        state->kept = kept_of_file(*found); // no other has taken its name meanwhile
    }
    state->db = std::move(db);
    sqlite3_exec(state->db.get(), "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
    add_sql_tables(state->db.get());
    constexpr int instructions = 1000; // of SQLite's machine, between two looks
    sqlite3_progress_handler(
        state->db.get(), instructions,
        [](void* of) { return static_cast<const State*>(of)->interrupted ? 1 : 0; }, state.get());
    sqlite3_exec(state->db.get(), "PRAGMA query_only = 1", nullptr, nullptr, nullptr);
    std::unique_ptr<Profile> profile(new Profile(std::move(state)));
    // A file cut short keeps its first page: a table that every profile has tells.
    TRY(profile->run());
    return profile;
}

Result<std::unique_ptr<Profile>> Profile::follow(const std::string& path) {
    const std::string partial = partial_path(path);
    if (writer_of(partial) != 0)
        if (auto running = open(partial)) // else it is just being made, or has just taken its name
            return running;
    return open(path);
}

Profile::Profile(std::unique_ptr<State> state) : state_(std::move(state)) {}
Profile::~Profile() = default;

const std::string& Profile::path() const {
    return state_->path;
}
void Profile::interrupt() {
    state_->interrupted = true; // SQLite forgets an interrupt that comes while no statement runs
    sqlite3_interrupt(state_->db.get());
}
void Profile::resume() {
    state_->interrupted = false;
}

std::int64_t Profile::data_version() const {
    return pragma(state_->db.get(), "data_version", state_->path).value_or(-1);
}

} // namespace tilescope::profile
