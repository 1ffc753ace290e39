// SPDX-License-Identifier: GPL-3.0-or-later
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

/// Loaded before a program (LD_PRELOAD), keeps what would be left of a folder if the power failed: of the
/// files in TILESCOPE_UNSYNCED_ROOT a copy as of their last fsync in TILESCOPE_UNSYNCED_SHADOW/INODE, and in
/// TILESCOPE_UNSYNCED_SHADOW/names the names, "INODE NAME" in lines, as of the last fsync of the folder.
namespace {

std::string setting(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// A file that appears whole, so that the program may be killed at any moment.
void write_whole(const std::string& path, const std::string& bytes) {
    const std::string made = path + ".made";
    if (std::FILE* file = std::fopen(made.c_str(), "wb"); file != nullptr) {
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        std::fclose(file);
        std::rename(made.c_str(), path.c_str());
    }
}

std::string content(int file, std::size_t size) {
    std::string bytes(size, '\0');
    const ssize_t read = pread(file, bytes.data(), size, 0);
    bytes.resize(read < 0 ? 0 : static_cast<std::size_t>(read));
    return bytes;
}

std::string names_in(const std::string& folder) {
    std::string names;
    DIR* open = opendir(folder.c_str());
    for (const dirent* entry = open == nullptr ? nullptr : readdir(open); entry != nullptr;
         entry = readdir(open))
        if (entry->d_type == DT_REG)
            names += std::to_string(entry->d_ino) + " " + entry->d_name + "\n";
    if (open != nullptr)
        closedir(open);
    return names;
}

void keep(int file) {
    static std::mutex mutex;
    static std::set<ino_t> held;
    static const std::string root = setting("TILESCOPE_UNSYNCED_ROOT");
    static const std::string shadow = setting("TILESCOPE_UNSYNCED_SHADOW");
    const std::lock_guard lock(mutex);
    char path[PATH_MAX] = {};
    struct stat status {};
    const std::string descriptor = "/proc/self/fd/" + std::to_string(file);
    if (root.empty() || fstat(file, &status) != 0 ||
        readlink(descriptor.c_str(), path, sizeof path - 1) < 0 || std::string(path).rfind(root, 0) != 0)
        return;
    if (S_ISDIR(status.st_mode)) {
        write_whole(shadow + "/names", names_in(path));
        return;
    }
    write_whole(shadow + "/" + std::to_string(status.st_ino),
                content(file, static_cast<std::size_t>(status.st_size)));
    if (held.insert(status.st_ino).second) // as long as it is open, no other file gets its number
        (void)!dup(file);
}

using Sync = int (*)(int);

int synced(int file, const char* name) {
    const auto real = reinterpret_cast<Sync>(dlsym(RTLD_NEXT, name));
    const int done = real(file);
    if (done == 0)
        keep(file);
    return done;
}

} // namespace

extern "C" {
int fsync(int file) {
    return synced(file, "fsync");
}
int fdatasync(int file) {
    return synced(file, "fdatasync");
}
}
