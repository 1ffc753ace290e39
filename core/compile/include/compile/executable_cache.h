// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/compiler.h"
#include "compile/executable.h"

#include <string>

namespace tilescope::compile {

/// What compilation for a device depends on: the build of the engine, the graph after its own passes, the
/// target and the options. Equal texts give equal programs.
std::string cache_key(const Executable& executable, const Options& options, const std::string& build);

enum class CacheOutcome { Hit, Miss, Damaged };

/// Fills in program, plans and memory layout from the bytes of an entry for `key`. One that is damaged, of
/// another version, for another key of the same name, or does not fit the executable's graph, target and
/// schedule is reported as Damaged, and nothing is filled in.
CacheOutcome read_cached(const std::string& entry, const std::string& key, Executable& executable);
/// The same from its file in `directory`. Once cancelled it ends early, and the outcome says nothing.
CacheOutcome load_cached(const std::string& directory, const std::string& key, Executable& executable,
                         const CancelToken* cancel = nullptr);

/// Writes the entry, whole or not at all, so that several processes may share the folder.
/// Errors: System where the folder or the file cannot be written; Cancelled.
Result<void> store_cached(const std::string& directory, const std::string& key, const Executable& executable,
                          const CancelToken* cancel = nullptr);

/// The bytes of an entry with these contents, as a program writes and only its own build reads them.
std::string cache_entry(const std::string& key, const std::string& contents);

/// The file of the entry.
std::string cache_path(const std::string& directory, const std::string& key);

} // namespace tilescope::compile
