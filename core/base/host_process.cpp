// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/host_process.h"

#include <array>
#include <fstream>
#include <pwd.h>
#include <sys/stat.h>

namespace tilescope {

std::optional<HostProcess> host_process(std::int64_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    HostProcess process;
    std::getline(std::ifstream(folder + "/comm"), process.command);
    struct stat status {};
    if (process.command.empty() || stat(folder.c_str(), &status) != 0)
        return {};
    constexpr std::size_t longest = 16384; // bytes of an entry
    std::array<char, longest> texts{};
    passwd entry{};
    passwd* user = nullptr; // on any thread: getpwuid() has one entry for all
    getpwuid_r(status.st_uid, &entry, texts.data(), texts.size(), &user);
    process.user = user == nullptr ? std::to_string(status.st_uid) : user->pw_name;
    return process;
}

} // namespace tilescope
