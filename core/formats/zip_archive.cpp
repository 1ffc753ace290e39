// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/zip_archive.h"

#include "base/try.h"

#include <array>
#include <memory>
#include <zip.h>

namespace tilescope::formats {
namespace {

constexpr std::size_t most_bytes = std::size_t{1}
                                   << 32; ///< of an entry: a small archive may unpack to any size

Failure damaged(const std::string& path, const std::string& what) {
    return bad_input(what, path, "the archive is damaged or cut short: copy or save it again");
}

using Archive = std::unique_ptr<zip_t, void (*)(zip_t*)>;

Result<Archive> open(const std::string& path) {
    int error = 0;
    Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &error), zip_discard);
    if (archive == nullptr && error == ZIP_ER_NOENT)
        return bad_input("there is no such file", path, "check the path");
    if (archive == nullptr)
        return damaged(path, "not a zip archive that can be read");
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
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(archive.get(), entry.c_str(), 0),
                                                                 zip_fclose);
    if (file == nullptr)
        return damaged(path, "\"" + entry + "\" in the archive cannot be opened");
    std::string content;
    std::array<char, 1 << 16> block{};
    for (zip_int64_t read = 1; read > 0;) {
        read = zip_fread(file.get(), block.data(), block.size());
        if (read < 0)
            return damaged(path, "\"" + entry + "\" in the archive cannot be read");
        if (content.size() > most_bytes)
            return bad_input("\"" + entry + "\" in the archive is larger than 4 GiB", path,
                             "save the weights as .h5");
        content.append(block.data(), static_cast<std::size_t>(read));
    }
    return content;
}

} // namespace tilescope::formats
