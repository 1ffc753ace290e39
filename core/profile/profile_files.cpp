// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile_files.h"

#include "base/try.h"
#include "schema.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tilescope::profile {
namespace {

namespace fs = std::filesystem;

constexpr off_t format_versions = 18; ///< offset in the header (SQLite file format, section 1.3): write, read

constexpr int most_links = 40; ///< in a row, as the system has it (path_resolution(7))
constexpr std::array<const char*, 3> beside = {"-wal", "-shm", "-journal"};

/// Whether a file is one that SQLite keeps beside another: by how it begins (SQLite file format, sections 3
/// and 4.1; the index of a log begins with its version), or empty as its journal.
bool is_of_sqlite(const std::string& path) {
    std::array<unsigned char, 4> begin{};
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(begin.data()), begin.size());
    if (file.gcount() == 0)
        return true;
    constexpr std::array<std::array<unsigned char, 4>, 6> known = {{{0x37, 0x7F, 0x06, 0x82},
                                                                    {0x37, 0x7F, 0x06, 0x83},
                                                                    {0xD9, 0xD5, 0x05, 0xF9},
                                                                    {0x18, 0xE2, 0x2D, 0x00},
                                                                    {0x00, 0x2D, 0xE2, 0x18},
                                                                    {0, 0, 0, 0}}};
    return std::find(known.begin(), known.end(), begin) != known.end();
}

/// Removes what SQLite keeps beside a file. Gives the first error, after all were tried.
std::error_code remove_beside(const std::string& path) {
    std::error_code first;
    for (const char* suffix : beside) {
        std::error_code error;
        fs::remove(path + suffix, error);
        if (!first)
            first = error;
    }
    return first;
}

/// SQLite leaves WAL mode only where nobody else has the file open, and a window that follows a run has. Once
/// all of the log is in the file, these two bytes are what is left of the mode.
Result<void> leave_wal_mode(const std::string& path) {
    std::error_code error;
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    constexpr std::array<char, 2> legacy = {1, 1};
    const bool written =
        file >= 0 && pwrite(file, legacy.data(), legacy.size(), format_versions) == 2 && fsync(file) == 0;
    const std::string why = system_reason();
    if (file >= 0)
        close(file);
    if (!written)
        return system_failure("the file cannot be written: " + why, path);
    for (const char* suffix : {"-wal", "-shm"})
        fs::remove(path + suffix, error);
    return {};
}

/// A plain file of all that is in a profile and its log.
Result<void> copy_whole(const std::string& from, const std::string& to) {
    sqlite3* raw = nullptr;
    const int code =
        sqlite3_open_v2(from.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    const Database db(raw);
    if (code != SQLITE_OK)
        return Failure(sqlite_error(raw, code, from));
    TRY(auto copy, Statement::prepare(raw, "VACUUM INTO ?", from));
    copy.bind(1, to);
    if (const int copied = copy.step(); copied != SQLITE_DONE)
        return Failure(sqlite_error(raw, copied, from));
    const int file = open(to.c_str(), O_RDONLY | O_CLOEXEC);
    const bool kept = file >= 0 && fsync(file) == 0; // SQLite does not wait for the disk here
    const std::string why = system_reason();
    if (file >= 0)
        close(file);
    return kept ? Result<void>() : system_failure("the file cannot be written: " + why, to);
}

/// Keeps a new name through a loss of power.
void sync_folder(const fs::path& folder) {
    const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    fsync(file);
    close(file);
}

} // namespace

std::string system_reason() {
    return std::generic_category().message(errno);
}

Result<void> check_replaceable(const std::string& path) {
    std::error_code error;
    for (const char* suffix : beside)
        if (const std::string other = path + suffix; fs::exists(other, error) && !is_of_sqlite(other))
            return bad_input("the file exists, and SQLite would take it for its own", other,
                             "choose another name for the profile");
    const auto status = fs::status(path, error);
    if (!fs::exists(status))
        return {};
    if (!fs::is_regular_file(status))
        return bad_input("not a regular file", path, "choose another name for the profile");
    if (fs::file_size(path, error) == 0)
        return {};
    // The header alone decides, so that a damaged profile can be replaced too (SQLite file format,
    // section 1.3).
    std::array<char, 72> header{};
    std::ifstream file(path, std::ios::binary);
    file.read(header.data(), header.size());
    std::int64_t id = 0;
    for (std::size_t i = 68; i < 72; ++i)
        id = id << 8 | static_cast<unsigned char>(header[i]);
    if (!file || std::string_view(header.data(), sqlite_head.size()) != sqlite_head || id != application_id)
        return bad_input("the file exists and is no Tilescope profile", path,
                         "choose another name for the profile");
    return {};
}

Result<std::string> replaceable(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code error;
    if (!folder.empty() && !fs::is_directory(folder, error))
        return bad_input("the folder does not exist", folder.string(), "create it or choose another with -o");
    TRY(check_replaceable(path));
    fs::path led_to = path; // which need not be there yet
    for (int links = 0; links < most_links && fs::is_symlink(led_to, error); ++links)
        led_to = led_to.parent_path() / fs::read_symlink(led_to, error);
    return led_to.string();
}

Result<void> remove_profile(const std::string& path) {
    std::error_code error;
    fs::remove(path, error);
    if (const std::error_code of_others = remove_beside(path); !error)
        error = of_others;
    if (error)
        return bad_input("the file cannot be replaced: " + error.message(), path, "check its permissions");
    return {};
}

Result<Folded> fold_log(Database db, const std::string& path) {
    const int code =
        sqlite3_wal_checkpoint_v2(db.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    std::optional<Error> failed;
    if (code != SQLITE_OK && code != SQLITE_BUSY)
        failed = sqlite_error(db.get(), code, path);
    sqlite3_exec(db.get(), "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
    db.reset();
    std::error_code error;
    if (failed) { // what is in the log stays there; its index is made anew by whoever reads it
        fs::remove(path + "-shm", error);
        return Failure(std::move(*failed));
    }
    if (fs::exists(path + "-wal", error) && fs::file_size(path + "-wal", error) > 0)
        return Folded::ReadByOthers;
    TRY(leave_wal_mode(path));
    return Folded::Whole;
}

Result<void> rename_profile(const std::string& from, const std::string& to) {
    remove_beside(to); // what is the older one's would be read as the new one's
    if (rename(from.c_str(), to.c_str()) != 0)
        return system_failure("the profile cannot be given its name: " + system_reason(), to,
                              "it is complete as " + from);
    sync_folder(fs::path(to).parent_path());
    return {};
}

Result<void> settle(Database db, const std::string& path, const std::string& name, const std::string& spare) {
    TRY(const Folded folded, fold_log(std::move(db), path));
    if (folded == Folded::Whole)
        return path == name ? Result<void>() : rename_profile(path, name);
    TRY(remove_profile(spare));
    if (auto copied = copy_whole(path, spare); !copied) {
        (void)remove_profile(spare);
        return copied;
    }
    TRY(rename_profile(spare, name));
    return path == name ? Result<void>() : remove_profile(path);
}

} // namespace tilescope::profile
