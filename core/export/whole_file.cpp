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

/// A new file beside another, under the first name that is free; "" where none can be made. `make`: makes it
/// under a name, or leaves the reason in errno.
template<class Make>
std::string free_name_beside(const std::string& path, const Make& make) {
    for (int i = 0; i < 100; ++i) {
        std::string name = path + ".part" + (i == 0 ? std::string() : std::to_string(i));
        if (make(name))
            return name;
        if (errno != EEXIST)
            break;
    }
    return {};
}

/// A file that is written before it takes the place of another. In its folder it has no name until it is
/// whole, so that nothing of it is left however the program ends (open(2), O_TMPFILE); where the file system
/// knows no such files, one beside `path`.
class NewFile {
  public:
    explicit NewFile(const std::string& path) {
        const fs::path folder = fs::path(path).parent_path();
        file_ = open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
        if (file_ >= 0)
            address_ = "/proc/self/fd/" + std::to_string(file_); // proc(5)
        else
            address_ = name_ = free_name_beside(path, [](const std::string& name) {
                const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
                return file >= 0 && close(file) == 0;
            });
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile() {
        std::error_code ignored;
        if (!name_.empty())
            fs::remove(name_, ignored);
        if (file_ >= 0)
            close(file_);
    }
    bool made() const { return !address_.empty(); }
    const std::string& address() const { return address_; } ///< where it is written and read

    Result<void> take_place_of(const std::string& path) {
        if (name_.empty())
            name_ = free_name_beside(path, [this](const std::string& name) {
                return linkat(AT_FDCWD, address_.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
            });
        std::error_code error(errno, std::generic_category());
        if (!name_.empty())
            fs::rename(name_, path, error);
        if (error)
            return system_failure("the file cannot be written: " + error.message(), path);
        name_.clear();
        return {};
    }

  private:
    int file_ = -1;
    std::string name_; ///< that it has; "": none
    std::string address_;
};

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

/// Whether what was made may replace what is there, whose permissions it then takes.
Result<void> check_replacement(const std::string& made, const std::string& path, Replace replace) {
    std::error_code error;
    const fs::file_status old = fs::status(path, error);
    if (!fs::exists(old))
        return {};
    if (replace == Replace::SameKind && fs::file_size(path, error) > 0 &&
        first_line(made) != first_line(path))
        return bad_input("another file is there, which no earlier export of this kind wrote", path,
                         "choose another name, or replace it with --force");
    fs::permissions(made, old.permissions(), error);
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
    NewFile made(final_path);
    if (!made.made())
        return bad_input("the file cannot be written", path, "check the folder and its permissions");
    TRY(write_file(made.address(), write, path));
    TRY(check_replacement(made.address(), final_path, replace));
    return made.take_place_of(final_path);
}

} // namespace tilescope::exports
