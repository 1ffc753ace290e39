// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/try.h"
#include "formats/image_file.h"
#include "prepare/data_sets.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace tilescope::prepare {
namespace {

namespace fs = std::filesystem;
using formats::Image;

constexpr std::int64_t most_values = std::int64_t{1} << 31; ///< 8 GiB of floats

/// In the order of their names, so that classes and samples are the same everywhere.
template<class Wanted>
std::vector<fs::path> sorted(const fs::path& folder, Wanted wanted) {
    std::vector<fs::path> paths;
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(folder, unreadable))
        if (wanted(entry))
            paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// The two elements that place i of `out` lies between when `in` are scaled, and the share of the second:
/// centres of pixels on centres, as tf.image.resize(method="bilinear") has them.
struct Between {
    std::int64_t first, second;
    float share;
};
Between between(std::int64_t i, std::int64_t in, std::int64_t out) {
    const double at =
        (static_cast<double>(i) + 0.5) * static_cast<double>(in) / static_cast<double>(out) - 0.5;
    const double whole = std::floor(at);
    const auto place = static_cast<std::int64_t>(whole);
    return {std::clamp<std::int64_t>(place, 0, in - 1), std::clamp<std::int64_t>(place + 1, 0, in - 1),
            static_cast<float>(at - whole)};
}

/// Appends an image as floats of 0 … 1.
void add_scaled(const Image& image, std::int64_t height, std::int64_t width, std::vector<float>& values) {
    const auto at = [&](std::int64_t y, std::int64_t x, std::int64_t c) {
        return static_cast<float>(
            image.values[static_cast<std::size_t>((y * image.width + x) * image.channels + c)]);
    };
    for (std::int64_t i = 0; i < height; ++i) {
        const Between y = between(i, image.height, height);
        for (std::int64_t j = 0; j < width; ++j) {
            const Between x = between(j, image.width, width);
            for (std::int64_t c = 0; c < image.channels; ++c) {
                const float above =
                    at(y.first, x.first, c) * (1 - x.share) + at(y.first, x.second, c) * x.share;
                const float below =
                    at(y.second, x.first, c) * (1 - x.share) + at(y.second, x.second, c) * x.share;
                values.push_back((above * (1 - y.share) + below * y.share) / 255.0F);
            }
        }
    }
}

/// Adds an image to those of one size.
Result<void> add_image(const std::string& path, const workload::DataSpec& spec, run::DataSet& data) {
    TRY(const Image image, formats::read_image_file(path, spec.channels));
    if (data.sample_shape.empty()) {
        const bool as_it_is = spec.image_size.empty();
        data.sample_shape = {as_it_is ? image.height : spec.image_size[0],
                             as_it_is ? image.width : spec.image_size[1], spec.channels};
    }
    const graph::Shape& shape = data.sample_shape;
    if (spec.image_size.empty() && (image.height != shape[0] || image.width != shape[1]))
        return bad_input("the image is " + std::to_string(image.height) + " x " +
                             std::to_string(image.width) + ", those before " + std::to_string(shape[0]) +
                             " x " + std::to_string(shape[1]),
                         path, "have them scaled: \"image_size\": [64, 64]");
    if (static_cast<std::int64_t>(data.samples.size()) > most_values - graph::element_count(shape))
        return bad_input("the images before fill 8 GiB", path, "scale them to a smaller \"image_size\"");
    add_scaled(image, shape[0], shape[1], data.samples);
    return {};
}

} // namespace

Result<run::DataSet> read_image_folder(const workload::DataSpec& spec) {
    run::DataSet data;
    data.name = fs::path(spec.file).lexically_normal().filename().string();
    const auto classes =
        sorted(spec.file, [](const fs::directory_entry& entry) { return entry.is_directory(); });
    data.classes = static_cast<std::int64_t>(classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i)
        for (const fs::path& image : sorted(classes[i], [](const fs::directory_entry& entry) {
                 return formats::is_image_file(entry.path().string());
             })) {
            TRY(add_image(image.string(), spec, data));
            data.labels.push_back(static_cast<std::int32_t>(i));
        }
    if (data.labels.empty())
        return bad_input("the folder has no images in folders below", spec.file,
                         "make a folder in it for each class, with PNG or JPEG files");
    return data;
}

} // namespace tilescope::prepare
