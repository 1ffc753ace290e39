// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>

/// Who writes a profile, and where. A run that would replace an older profile writes NAME.partial beside it;
/// whoever writes a name holds a lock on NAME.lock, which the system drops with the process.
namespace tilescope::profile {

/// Where a run is written while an older profile keeps the name.
std::string partial_path(const std::string& path);

/// The file that holds the writer's lock and its process number; the same for NAME and NAME.partial.
std::string lock_path(const std::string& path);

/// The process that writes this very file now; 0 where none does, -1 where it does not say its number.
std::int64_t writer_of(const std::string& path);

/// The right to write a name, for as long as the object lives.
class WriterLock {
  public:
    /// Errors: System where another process has it (named by its number), or the disk is full; BadInput where
    /// the folder cannot be written.
    static Result<WriterLock> take(const std::string& path);
    WriterLock(WriterLock&& other) noexcept;
    WriterLock& operator=(WriterLock&&) = delete;
    ~WriterLock();

  private:
    WriterLock(std::string path, int file);
    std::string path_; ///< of the lock
    int file_ = -1;
};

/// The right to write a profile at `path`, which is free, or has a profile that can be replaced. Errors:
/// those of WriterLock::take(); BadInput where the folder does not exist, or the file, or one that SQLite
/// would keep beside it, is another kind.
Result<WriterLock> reserve(const std::string& path);

} // namespace tilescope::profile
