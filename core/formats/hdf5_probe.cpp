// SPDX-License-Identifier: GPL-3.0-or-later
#include "hdf5_probe.h"

#include "hdf5_handle.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tilescope::formats {
namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 31; ///< bytes: more than an IPU holds
constexpr std::uint64_t least_seconds = 3;                 ///< far more than opening a file takes
constexpr int deepest = 32; ///< groups in groups: damaged links may form a circle
constexpr int exit_too_large = 3;
constexpr int exit_outside = 4;
constexpr rlim_t own_bytes = 256 << 20; ///< that the library takes itself, and for the file's metadata

/// How far the reading of a file has come.
struct ProbeReading {
    std::uint64_t left; ///< bytes that data sets may still hold
    int depth = 0;
};

herr_t read_attribute(hid_t object, const char* name, const H5A_info_t*, void*) {
    const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Hdf5Handle type(attribute.valid() ? H5Aget_type(attribute.id()) : -1, H5Tclose);
    const Hdf5Handle space(attribute.valid() ? H5Aget_space(attribute.id()) : -1, H5Sclose);
    const hssize_t count = space.valid() ? H5Sget_simple_extent_npoints(space.id()) : -1;
    if (!type.valid() || count < 0)
        return -1;
    if (H5Tget_class(type.id()) != H5T_STRING || count == 0)
        return 0;
    const std::size_t size = H5Tget_size(type.id());
    if (H5Aget_storage_size(attribute.id()) < static_cast<hsize_t>(count))
        return -1;
    if (size > most_at_once ||
        static_cast<std::size_t>(count) > most_at_once / std::max<std::size_t>(size, 1))
        return -1;
    std::vector<char> values(static_cast<std::size_t>(count) * size);
    return H5Aread(attribute.id(), type.id(), values.data()) < 0 ? -1 : 0;
}

/// Raw values in other files, and sets made up of sets of other files: they could be any that the user may
/// read.
bool lies_outside(hid_t set) {
    const Hdf5Handle how(H5Dget_create_plist(set), H5Pclose);
    return how.valid() && (H5Pget_external_count(how.id()) > 0 || H5Pget_layout(how.id()) == H5D_VIRTUAL);
}

herr_t read_data_set(hid_t set, ProbeReading& reading) {
    if (lies_outside(set))
        _exit(exit_outside);
    const Hdf5Handle type(H5Dget_type(set), H5Tclose);
    const Hdf5Handle space(H5Dget_space(set), H5Sclose);
    const hssize_t count = space.valid() ? H5Sget_simple_extent_npoints(space.id()) : -1;
    if (!type.valid() || count < 0)
        return -1;
    const H5T_class_t kind = H5Tget_class(type.id());
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || count == 0)
        return 0;
    if (static_cast<std::size_t>(count) > std::min<std::uint64_t>(most_at_once, reading.left) / sizeof(float))
        _exit(exit_too_large);
    reading.left -= static_cast<std::uint64_t>(count) * sizeof(float);
    std::vector<float> values(static_cast<std::size_t>(count));
    return H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0 ? -1 : 0;
}

herr_t read_object(hid_t parent, const char* name, ProbeReading& reading);

herr_t read_member(hid_t group, const char* name, const H5L_info_t* link, void* reading) {
    if (link->type >= H5L_TYPE_UD_MIN) // which leads to another file, or nobody knows where
        _exit(exit_outside);
    auto& own = *static_cast<ProbeReading*>(reading);
    ++own.depth;
    const herr_t read = read_object(group, name, own);
    --own.depth;
    return read;
}

herr_t read_object(hid_t parent, const char* name, ProbeReading& reading) {
    const Hdf5Handle object(H5Oopen(parent, name, H5P_DEFAULT), H5Oclose);
    if (!object.valid() || reading.depth > deepest)
        return -1;
    if (H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, read_attribute, nullptr) < 0)
        return -1;
    const H5I_type_t kind = H5Iget_type(object.id());
    if (kind == H5I_DATASET)
        return read_data_set(object.id(), reading);
    if (kind == H5I_GROUP)
        return H5Literate(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, read_member, &reading);
    return 0;
}

/// On damaged metadata the library may also go in circles. The time that it gets is more than it takes to
/// read a whole file of this size.
void limit_seconds(std::uint64_t file_bytes) {
    constexpr std::uint64_t bytes_per_second = 1 << 25;
    const rlimit processor{least_seconds + file_bytes / bytes_per_second, RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &processor);
}

/// Nothing of a crash is to be seen: no message, no dump of memory.
void end_quietly() {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU})
        std::signal(signal, SIG_DFL);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    limit_seconds(0);
}

/// Texts of variable length may all be the same long one, and filters may unpack to anything.
void limit_memory(std::uint64_t most) {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages; // proc(5): the first figure is the size of the program
    const rlim_t used = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    const rlimit all{used + most + own_bytes, RLIM_INFINITY};
    if (pages > 0)
        setrlimit(RLIMIT_AS, &all);
}

int read_all(const std::function<hid_t()>& open, std::uint64_t most) {
    try {
        limit_memory(most);
        const Hdf5Handle file(open(), H5Fclose);
        hsize_t bytes = 0;
        if (H5Fget_filesize(file.id(), &bytes) >= 0)
            limit_seconds(bytes);
        ProbeReading reading{most};
        return file.valid() && read_object(file.id(), "/", reading) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::bad_alloc&) { // more than there is memory for
        return EXIT_FAILURE;
    } catch (const std::length_error&) { // more than a machine can name
        return EXIT_FAILURE;
    }
}

} // namespace

Hdf5Outcome read_to_the_end(const std::function<hid_t()>& open, std::uint64_t most_bytes) {
    const pid_t child = fork();
    if (child == 0) {
        end_quietly();
        _exit(read_all(open, most_bytes));
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child <= 0 || !WIFEXITED(status))
        return Hdf5Outcome::Damaged;
    return WEXITSTATUS(status) == EXIT_SUCCESS     ? Hdf5Outcome::Reads
           : WEXITSTATUS(status) == exit_too_large ? Hdf5Outcome::TooLarge
           : WEXITSTATUS(status) == exit_outside   ? Hdf5Outcome::Outside
                                                   : Hdf5Outcome::Damaged;
}

} // namespace tilescope::formats
