// SPDX-License-Identifier: GPL-3.0-or-later
#include "kept_of_file.h"

#include <sys/stat.h>

namespace tilescope::profile {

std::optional<FileState> state_of_file(const std::string& path) {
    struct stat file {};
    if (stat(path.c_str(), &file) != 0)
        return std::nullopt;
    constexpr std::int64_t second = 1'000'000'000; // ns
    const auto ns = [](const timespec& at) { return at.tv_sec * second + at.tv_nsec; };
    return FileState{file.st_dev, file.st_ino, file.st_size, ns(file.st_mtim), ns(file.st_ctim)};
}

std::shared_ptr<KeptOfFile> kept_of_file(const FileState& file) {
    static std::mutex mutex;
    static std::map<FileState, std::weak_ptr<KeptOfFile>> all; // that somebody has open
    const std::lock_guard lock(mutex);
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
    auto kept = all[file].lock();
    if (!kept) {
        kept = std::make_shared<KeptOfFile>();
        kept->grows = false;
        all[file] = kept;
    }
    return kept;
}

} // namespace tilescope::profile
