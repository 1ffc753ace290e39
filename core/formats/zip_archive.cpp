// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/zip_archive.h"

#include "base/try.h"
#include "formats/unpacked_size.h"

#include <array>
#include <filesystem>
#include <memory>
#include <zip.h>

namespace tilescope::formats {
namespace {

Failure damaged_archive(const std::string& path, const std::string& what) {
    return bad_input(what, path, "the archive is damaged or cut short: copy or save it again");
}

using Archive = std::unique_ptr<zip_t, void (*)(zip_t*)>;

Result<Archive> open(const std::string& path) {
    int error = 0;
    Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &error), zip_discard);
    if (archive == nullptr && error == ZIP_ER_NOENT)
        return bad_input("there is no such file", path, "check the path");
    if (archive == nullptr)
        return damaged_archive(path, "not a zip archive that can be read");
    return archive;
}

} // namespace

bool begins_as_zip(const std::string& bytes) {
    return bytes.starts_with("PK\x03\x04");
}

Result<bool> zip_has_entry(const std::string& path, const std::string& entry) {
    TRY(const auto archive, open(path));
    return zip_name_locate(archive.get(), entry.c_str(), 0) >= 0;
}

Result<std::optional<std::string>> zip_entry(const std::string& path, const std::string& entry) {
    TRY(const auto archive, open(path));
    if (zip_name_locate(archive.get(), entry.c_str(), 0) < 0)
        return std::nullopt;
    std::error_code unknown;
    const std::uint64_t most = most_unpacked(std::filesystem::file_size(path, unknown));
    const auto too_large = [&] {
        return bad_input("\"" + entry + "\" in the archive " + unpacks_to_more, path,
                         "save the model again, or its weights as .h5");
    };
    zip_stat_t says{};
    if (zip_stat(archive.get(), entry.c_str(), 0, &says) == 0 && (says.valid & ZIP_STAT_SIZE) != 0 &&
        says.size > most)
        return too_large();
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(archive.get(), entry.c_str(), 0),
                                                                 zip_fclose);
    if (file == nullptr)
        return damaged_archive(path, "\"" + entry + "\" in the archive cannot be opened");
    std::string content;
    std::array<char, 1 << 16> block{};
    for (zip_int64_t read = 1; read > 0;) {
        read = zip_fread(file.get(), block.data(), block.size());
        if (read < 0)
            return damaged_archive(path, "\"" + entry + "\" in the archive cannot be read");
        if (content.size() > most) // more than it says
            return too_large();
        content.append(block.data(), static_cast<std::size_t>(read));
    }
    return content;
}

} // namespace tilescope::formats
