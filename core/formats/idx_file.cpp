// SPDX-License-Identifier: GPL-3.0-or-later
#include "formats/idx_file.h"

#include "base/text.h"
#include "formats/unpacked_size.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <zlib.h>

namespace tilescope::formats {
namespace {

struct CloseGz {
    void operator()(gzFile_s* file) const { gzclose(file); }
};

} // namespace

Result<IdxFile> read_idx_file(const std::string& path, std::size_t dimensions) {
    const std::unique_ptr<gzFile_s, CloseGz> file(gzopen(path.c_str(), "rb"));
    if (!file)
        return bad_input("the file cannot be opened", path, "check its permissions");
    const auto take = [&](void* to, std::size_t bytes) {
        return gzread(file.get(), to, static_cast<unsigned>(bytes)) == static_cast<int>(bytes);
    };
    std::vector<unsigned char> header(4 + 4 * dimensions);
    if (!take(header.data(), header.size()))
        return bad_input("the file is truncated in its header", path, "fetch it again");
    if (header[0] != 0 || header[1] != 0 || header[2] != 8 || header[3] != dimensions)
        return bad_input("not an IDX file of bytes with " +
                             counted_text(static_cast<std::int64_t>(dimensions), "dimension"),
                         path, "fetch the data set again");
    IdxFile result;
    std::error_code unknown;
    const std::uint64_t most = most_unpacked(std::filesystem::file_size(path, unknown));
    std::int64_t count = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        std::int64_t extent = 0;
        for (std::size_t k = 0; k < 4; ++k)
            extent = extent * 256 + header[4 + 4 * d + k];
        result.extents.push_back(extent);
        count *= extent;
        if (count > (std::int64_t{1} << 31))
            return bad_input("the header claims more than 2 GiB of data", path, "fetch the data set again");
        if (extent == 0)
            return bad_input("the header says that there is nothing in the file", path,
                             "fetch the data set again");
    }
    if (static_cast<std::uint64_t>(count) > most)
        return bad_input(std::string("the file ") + unpacks_to_more, path, "fetch the data set again");
    // Grown as it is read: a header that lies does not make us reserve what is not there.
    constexpr std::size_t piece = 1 << 20;
    auto left = static_cast<std::size_t>(count);
    while (left > 0) {
        const std::size_t want = std::min(piece, left);
        const std::size_t at = result.bytes.size();
        result.bytes.resize(at + want);
        if (!take(result.bytes.data() + at, want))
            return bad_input("the file is truncated: its header promises " + std::to_string(count) +
                                 " values",
                             path, "fetch it again");
        left -= want;
    }
    unsigned char more = 0;
    const int rest = gzread(file.get(), &more, 1);
    int state = Z_OK;
    gzerror(file.get(), &state);
    if (rest < 0 || (state != Z_OK && state != Z_STREAM_END))
        return bad_input("the file is damaged at its end", path, "fetch it again");
    if (rest > 0)
        return bad_input("the file is longer than its header says", path, "fetch it again");
    return result;
}

} // namespace tilescope::formats
