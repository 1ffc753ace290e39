// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/sql_tables.h"

SQLITE_EXTENSION_INIT1

/// What SQLite calls when the extension is loaded.
extern "C" __attribute__((visibility("default"))) int
sqlite3_extension_init(sqlite3* db, char** /*error*/, const sqlite3_api_routines* api) {
    SQLITE_EXTENSION_INIT2(api);
    return tilescope::profile::add_sql_tables(db);
}
