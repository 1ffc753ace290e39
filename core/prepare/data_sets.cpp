// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/data_sets.h"

#include "base/try.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tilescope::prepare {
namespace {

namespace fs = std::filesystem;

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

/// The files of one split: images and labels, with the paths where they are; "" where one is not.
struct SplitFiles {
    SplitFiles(const std::string& folder, const std::string& name, Split split)
        : prefix(split == Split::Train ? "train" : "t10k"), images_name(prefix + "-images-idx3-ubyte"),
          labels_name(prefix + "-labels-idx1-ubyte"), images(find_file(folder, name, images_name)),
          labels(find_file(folder, name, labels_name)) {}
    bool found() const { return !images.empty() && !labels.empty(); }

    std::string prefix, images_name, labels_name, images, labels;
};

} // namespace

bool has_idx(const std::string& folder, const std::string& name, Split split) {
    return SplitFiles(folder, name, split).found();
}

Result<IdxBytes> read_idx_bytes(const std::string& folder, const std::string& name, Split split) {
    const SplitFiles files(folder, name, split);
    if (!files.found())
        return bad_input("data set \"" + name + "\" is not there: no " +
                             (files.images.empty() ? files.images_name : files.labels_name) + "[.gz]",
                         (fs::path(folder) / name).string(),
                         "give its folder with --data DIR or TILESCOPE_DATA");
    TRY(auto images, formats::read_idx_file(files.images, 3));
    TRY(auto labels, formats::read_idx_file(files.labels, 1));
    if (images.extents[0] != labels.extents[0])
        return bad_input(std::to_string(images.extents[0]) + " images but " +
                             std::to_string(labels.extents[0]) + " labels",
                         files.labels, "fetch the data set again");
    return IdxBytes{std::move(images), std::move(labels)};
}

Result<run::DataSet> read_idx(const std::string& folder, const std::string& name, Split split) {
    TRY(const IdxBytes read, read_idx_bytes(folder, name, split));
    const auto& [images, labels] = read;
    run::DataSet data;
    data.name = name;
    data.sample_shape = {images.extents[1], images.extents[2], 1};
    data.samples.resize(images.bytes.size());
    std::transform(images.bytes.begin(), images.bytes.end(), data.samples.begin(),
                   [](unsigned char v) { return static_cast<float>(v) / 255.0F; });
    data.labels.assign(labels.bytes.begin(), labels.bytes.end());
    data.classes = 1;
    for (const std::int32_t label : data.labels)
        data.classes = std::max<std::int64_t>(data.classes, label + 1);
    return data;
}

} // namespace tilescope::prepare
