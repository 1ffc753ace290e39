// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/data_sets.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <zlib.h>

namespace tilescope::prepare {
namespace {

namespace fs = std::filesystem;

struct CloseGz {
    void operator()(gzFile_s* file) const { gzclose(file); }
};

struct IdxFile {
    std::vector<std::int64_t> extents;
    std::vector<unsigned char> bytes;
};

/// The file, plain or gzip, in any of the folders; "" where there is none.
std::string find_file(const std::string& folder, const std::string& name, const std::string& file) {
    for (const fs::path& base : {fs::path(folder) / name, fs::path(folder)})
        for (const char* ending : {"", ".gz"}) {
            const fs::path path = base / (file + ending);
            std::error_code error;
            if (fs::is_regular_file(path, error))
                return path.string();
        }
    return {};
}

Result<IdxFile> read(const std::string& path, std::size_t dimensions) {
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
        return bad_input("not an IDX file of bytes with " + std::to_string(dimensions) + " dimension(s)",
                         path, "fetch the data set again");
    IdxFile result;
    std::int64_t count = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        std::int64_t extent = 0;
        for (std::size_t k = 0; k < 4; ++k)
            extent = extent * 256 + header[4 + 4 * d + k];
        result.extents.push_back(extent);
        count *= extent;
        if (count > (std::int64_t{1} << 31))
            return bad_input("the header claims more than 2 GiB of data", path, "fetch the data set again");
    }
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

} // namespace

Result<run::DataSet> read_idx(const std::string& folder, const std::string& name, Split split) {
    const std::string prefix = split == Split::Train ? "train" : "t10k";
    const std::string images_name = prefix + "-images-idx3-ubyte";
    const std::string labels_name = prefix + "-labels-idx1-ubyte";
    const std::string images_path = find_file(folder, name, images_name);
    const std::string labels_path = find_file(folder, name, labels_name);
    if (images_path.empty() || labels_path.empty())
        return bad_input("data set \"" + name + "\" is not there: no " +
                             (images_path.empty() ? images_name : labels_name) + "[.gz]",
                         (fs::path(folder) / name).string(),
                         "give its folder with --data DIR or TILESCOPE_DATA");
    const auto images = read(images_path, 3);
    if (!images)
        return Failure(images.error());
    const auto labels = read(labels_path, 1);
    if (!labels)
        return Failure(labels.error());
    if (images->extents[0] != labels->extents[0])
        return bad_input(std::to_string(images->extents[0]) + " images but " +
                             std::to_string(labels->extents[0]) + " labels",
                         labels_path, "fetch the data set again");
    run::DataSet data;
    data.name = name;
    data.sample_shape = {images->extents[1], images->extents[2], 1};
    data.samples.resize(images->bytes.size());
    std::transform(images->bytes.begin(), images->bytes.end(), data.samples.begin(),
                   [](unsigned char v) { return static_cast<float>(v) / 255.0F; });
    data.labels.assign(labels->bytes.begin(), labels->bytes.end());
    data.classes = 1;
    for (const std::int32_t label : data.labels)
        data.classes = std::max<std::int64_t>(data.classes, label + 1);
    return data;
}

} // namespace tilescope::prepare
