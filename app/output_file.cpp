// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output_file.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <poll.h>
#include <unistd.h>

namespace tilescope::app {

Result<void> write_output(const std::string& path, const Write& write) {
    if (path == "-") {
        if (auto done = write(std::cout); !done)
            return done;
        return finish_printing();
    }
    std::error_code error;
    const auto kind = std::filesystem::symlink_status(path, error).type();
    const bool in_place =
        kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular;
    const std::string partial = in_place ? path : path + ".part";
    std::ofstream out(partial, std::ios::binary);
    if (!out)
        return bad_input("the file cannot be written", path, "check the folder and its permissions");
    auto done = write(out);
    out.close();
    if (done && !out)
        done = system_failure("the file cannot be written", path, "check the free space");
    if (done && !in_place) {
        std::filesystem::rename(partial, path, error);
        if (error)
            done = system_failure("the file cannot be written: " + error.message(), path);
    }
    if (!done && !in_place)
        std::filesystem::remove(partial, error);
    return done;
}

Result<void> write_output(const std::string& path, const std::string& text) {
    return write_output(path, [&text](std::ostream& out) -> Result<void> {
        out << text;
        return {};
    });
}

Result<void> finish_printing() {
    std::cout.flush();
    pollfd reader{STDOUT_FILENO, POLLOUT, 0};
    const bool closed = poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0;
    if (!std::cout && !closed)
        return system_failure("the output cannot be written", "stdout", "check the free space");
    return {};
}

} // namespace tilescope::app
