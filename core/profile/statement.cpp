// SPDX-License-Identifier: GPL-3.0-or-later
#include "statement.h"

#include "base/host_memory.h"

namespace tilescope::profile {
namespace {

/// Whether an error of the disk is one of reading.
bool reading(sqlite3* db, int code) {
    const int whole = db == nullptr ? code : sqlite3_extended_errcode(db);
    return whole == SQLITE_IOERR_READ || whole == SQLITE_IOERR_SHORT_READ || whole == SQLITE_IOERR_FSTAT ||
           whole == SQLITE_IOERR_CORRUPTFS || whole == SQLITE_IOERR_DATA;
}

} // namespace

Error sqlite_error(sqlite3* db, int code, const std::string& path) {
    const int primary = code & 0xFF;
    const std::string text = db == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db);
    switch (primary) {
    case SQLITE_NOMEM:
        return host_memory_error();
    case SQLITE_FULL:
        return {ErrorKind::System, "the disk is full", path,
                "free some space; whatever was saved before is kept"};
    case SQLITE_IOERR:
        return {ErrorKind::System, (reading(db, code) ? "cannot read: " : "cannot write: ") + text, path,
                "check the disk and its free space"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return {ErrorKind::BadInput, "the file is damaged or is no Tilescope profile", path,
                "profile the workload again"};
    case SQLITE_INTERRUPT:
        return {ErrorKind::Cancelled, "cancelled", path, {}};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {ErrorKind::System, "another program has locked the file", path, "close it and try again"};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return {ErrorKind::BadInput, "the file cannot be opened: " + text, path,
                "check the path and its permissions"};
    default:
        return {ErrorKind::BadInput, text, path, {}};
    }
}

Result<Statement> Statement::prepare(sqlite3* db, const std::string& sql, const std::string& path) {
    Statement result;
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()) + 1, &raw, nullptr);
    result.statement_.reset(raw);
    if (code != SQLITE_OK)
        return Failure(sqlite_error(db, code, path));
    return result;
}

Result<void> execute(sqlite3* db, const std::string& sql, const std::string& path) {
    const int code = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
        return Failure(sqlite_error(db, code, path));
    return {};
}

} // namespace tilescope::profile
