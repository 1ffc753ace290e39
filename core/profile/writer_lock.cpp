// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/writer_lock.h"

#include "profile_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tilescope::profile {
namespace {

constexpr std::string_view partial_ending = ".partial";
constexpr int most_tries = 100;
constexpr auto between_tries = std::chrono::milliseconds(10);

/// A lock of the open file, not of the process (fcntl(2), "Open file description locks"): one process may
/// write a profile and read it.
struct flock whole_file(short kind) {
    struct flock lock {};
    lock.l_type = kind;
    lock.l_whence = SEEK_SET;
    return lock;
}

std::int64_t pid_in(int file) {
    std::array<char, 32> text{};
    const ssize_t size = pread(file, text.data(), text.size(), 0);
    std::int64_t pid = 0;
    if (size > 0)
        std::from_chars(text.data(), text.data() + size, pid);
    return pid;
}

/// Whether it holds what write_pid() writes, or nothing yet.
bool is_lock(int file) {
    std::array<char, 32> text{};
    const ssize_t size = pread(file, text.data(), text.size(), 0);
    struct stat status {};
    return size >= 0 && static_cast<std::size_t>(size) < text.size() && fstat(file, &status) == 0 &&
           S_ISREG(status.st_mode) && std::all_of(text.data(), text.data() + size, [](char c) {
               return (c >= '0' && c <= '9') || c == '\n';
           });
}

bool write_pid(int file) {
    const std::string text = std::to_string(getpid()) + "\n";
    return ftruncate(file, 0) == 0 &&
           pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

/// Whether `path` still names the open file: its last holder may have removed it meanwhile.
bool is_named(const std::string& path, int file) {
    struct stat named {};
    struct stat open {};
    return stat(path.c_str(), &named) == 0 && fstat(file, &open) == 0 && named.st_ino == open.st_ino &&
           named.st_dev == open.st_dev;
}

Failure not_a_lock(const std::string& name) {
    return bad_input("the file exists and is no lock of a profile", name,
                     "choose another name for the profile");
}

} // namespace

std::string partial_path(const std::string& path) {
    return path + std::string(partial_ending);
}

std::string lock_path(const std::string& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
    std::string name = error ? path : real.string();
    if (name.ends_with(partial_ending))
        name.resize(name.size() - partial_ending.size());
    return name + ".lock";
}

std::int64_t writer_of(const std::string& path) {
    std::error_code error;
    if (!path.ends_with(partial_ending) && std::filesystem::exists(partial_path(path), error))
        return 0; // this one keeps its name until the other is complete
    const int file = open(lock_path(path).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    struct flock lock = whole_file(F_RDLCK);
    const bool held = fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    const std::int64_t pid = held ? pid_in(file) : 0;
    close(file);
    return held && pid <= 0 ? -1 : pid;
}

Result<WriterLock> WriterLock::take(const std::string& path) {
    const std::string name = lock_path(path);
    for (int i = 0; i < most_tries; ++i) {
        const int file = open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (file < 0 && errno == ELOOP)
            return not_a_lock(name);
        if (file < 0)
            return bad_input("the profile cannot be written: " + system_reason(), path,
                             "check the folder and its permissions");
        if (!is_lock(file)) {
            close(file);
            return not_a_lock(name);
        }
        struct flock lock = whole_file(F_WRLCK);
        if (fcntl(file, F_OFD_SETLK, &lock) == 0) {
            WriterLock taken(name, file);
            if (!is_named(name, file)) {
                taken.path_.clear(); // not ours to remove
                continue;
            }
            if (!write_pid(file))
                return system_failure("the profile cannot be written: " + system_reason(), path,
                                      "free some space; nothing was changed");
            return taken;
        }
        const bool held = errno == EAGAIN || errno == EACCES;
        const std::string why = system_reason();
        const std::int64_t pid = pid_in(file);
        close(file);
        if (!held)
            return system_failure("the profile cannot be locked: " + why, path,
                                  "choose a folder on another file system");
        if (pid > 0)
            return system_failure("process " + std::to_string(pid) + " is writing this profile", path,
                                  "wait for its end or choose another name");
        std::this_thread::sleep_for(between_tries); // it has yet to write its number, or is about to go
    }
    return system_failure("another process is writing this profile", path,
                          "wait for its end or choose another name");
}

WriterLock::WriterLock(std::string path, int file) : path_(std::move(path)), file_(file) {}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

WriterLock::~WriterLock() {
    if (file_ < 0)
        return;
    if (!path_.empty())
        unlink(path_.c_str()); // while it is held: the next one makes a file of its own
    close(file_);
}

} // namespace tilescope::profile
