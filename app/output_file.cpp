// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output_file.h"

#include "base/try.h"

#include <iostream>
#include <poll.h>
#include <unistd.h>

namespace tilescope::app {

Result<void> write_output(const std::string& path, const exports::Write& write, exports::Replace replace) {
    if (path == "-") {
        TRY(write(std::cout));
        return finish_printing();
    }
    return exports::write_whole_file(path, write, replace);
}

Result<void> write_output(const std::string& path, const std::string& text, exports::Replace replace) {
    return write_output(
        path,
        [&text](std::ostream& out) -> Result<void> {
            out << text;
            return {};
        },
        replace);
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
