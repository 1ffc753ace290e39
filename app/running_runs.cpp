// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/running_runs.h"

#include "profile/writer_lock.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace tilescope::app {
namespace {

namespace fs = std::filesystem;

/// The number of a process of this user, by the name of its entry in /proc.
std::optional<std::int64_t> own_process(const fs::path& entry) {
    const std::string name = entry.filename().string();
    std::int64_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    struct stat status {};
    if (error != std::errc() || end != name.data() + name.size() || stat(entry.c_str(), &status) != 0 ||
        status.st_uid != geteuid())
        return {};
    return pid;
}

/// The profiles of whose names a process holds the locks.
void add_written_by(std::int64_t pid, const fs::path& process, std::set<std::string>& found) {
    const std::string lock_ending = profile::lock_path({}); // what it puts behind a name
    std::error_code error;
    for (fs::directory_iterator file(process / "fd", error), end; !error && file != end;
         file.increment(error)) {
        std::error_code gone;
        std::string path = fs::read_symlink(file->path(), gone).string();
        if (gone || !path.ends_with(lock_ending))
            continue;
        path.resize(path.size() - lock_ending.size());
        if (profile::writer_of(path) == pid || profile::writer_of(profile::partial_path(path)) == pid)
            found.insert(path);
    }
}

} // namespace

std::vector<std::string> running_runs() {
    std::set<std::string> found;
    std::error_code error;
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error))
        if (const auto pid = own_process(entry->path()))
            add_written_by(*pid, entry->path(), found);
    return {found.begin(), found.end()};
}

} // namespace tilescope::app
