// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/whole_file.h"

#include "base/try.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tilescope::exports {
namespace {

namespace fs = std::filesystem;

/// A new file beside `path`, empty; "" where none can be made.
std::string file_beside(const std::string& path) {
    for (int i = 0; i < 100; ++i) {
        std::string name = path + ".part" + (i == 0 ? std::string() : std::to_string(i));
        const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            close(file);
            return name;
        }
        if (errno != EEXIST)
            break;
    }
    return {};
}

std::string first_line(const std::string& path) {
    std::string line;
    std::ifstream file(path, std::ios::binary);
    std::getline(file, line);
    return line;
}

/// Errors name `target`, the file that the user asked for.
Result<void> write_file(const std::string& path, const Write& write, const std::string& target) {
    std::ofstream out(path, std::ios::binary);
    if (!out)
        return bad_input("the file cannot be written", target, "check the folder and its permissions");
    auto done = write(out);
    out.close();
    if (done && !out)
        done = system_failure("the file cannot be written", target, "check the free space");
    return done;
}

Result<void> move_into_place(const std::string& made, const std::string& path, Replace replace) {
    std::error_code error;
    const fs::file_status old = fs::status(path, error);
    if (fs::exists(old)) {
        if (replace == Replace::SameKind && fs::file_size(path, error) > 0 &&
            first_line(made) != first_line(path))
            return bad_input("another file is there, which no earlier export of this kind wrote", path,
                             "choose another name, or replace it with --force");
        fs::permissions(made, old.permissions(), error);
    }
    fs::rename(made, path, error);
    if (error)
        return system_failure("the file cannot be written: " + error.message(), path);
    return {};
}

} // namespace

Result<void> write_whole_file(const std::string& path, const Write& write, Replace replace) {
    std::error_code error;
    const fs::file_type kind = fs::status(path, error).type();
    if (kind != fs::file_type::not_found && kind != fs::file_type::regular)
        return write_file(path, write, path);
    const fs::path target = fs::weakly_canonical(path, error); // through links
    const std::string final_path = error ? path : target.string();
    const std::string made = file_beside(final_path);
    if (made.empty())
        return bad_input("the file cannot be written", path, "check the folder and its permissions");
    auto done = write_file(made, write, path);
    if (done)
        done = move_into_place(made, final_path, replace);
    if (!done)
        fs::remove(made, error);
    return done;
}

} // namespace tilescope::exports
