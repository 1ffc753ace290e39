// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilescope {

/// A process of this computer.
struct HostProcess {
    std::string command; ///< name of the program that it runs
    std::string user;    ///< whose it is; the number, where it has no name
};

/// Nullopt: there is none with this id any more.
std::optional<HostProcess> host_process(std::int64_t pid);

} // namespace tilescope
