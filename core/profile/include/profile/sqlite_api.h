// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A loadable extension must call the SQLite of the program that loads it, through a table of functions.
#ifdef TILESCOPE_SQLITE_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif
