// SPDX-License-Identifier: GPL-3.0-or-later
// Data of one's own: arrays of NumPy, tables, random numbers.
#include "base/random.h"
#include "base/try.h"
#include "formats/array_file.h"
#include "prepare/data_sets.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace tilescope::prepare {
namespace {

namespace fs = std::filesystem;
using formats::ArrayFile;

constexpr std::int64_t most_classes = 1 << 24;

/// Classes as a model's labels are: of whole numbers, or the largest of each one-hot row.
Result<std::vector<std::int32_t>> classes_of(const ArrayFile& labels, const std::string& place) {
    const auto rows = static_cast<std::size_t>(labels.extents.at(0));
    const std::size_t width = labels.values.size() / rows;
    std::vector<std::int32_t> classes(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        const float* const row = labels.values.data() + i * width;
        if (width > 1) {
            classes[i] = static_cast<std::int32_t>(std::max_element(row, row + width) - row);
            continue;
        }
        if (row[0] != std::floor(row[0]) || row[0] < 0 || row[0] >= most_classes)
            return bad_input("label " + std::to_string(i) + " is no class: " + std::to_string(row[0]), place,
                             "give classes as whole numbers from 0 on");
        classes[i] = static_cast<std::int32_t>(row[0]);
    }
    return classes;
}

Result<run::DataSet> data_of(ArrayFile samples, const ArrayFile& labels, const std::string& path) {
    if (samples.extents.empty() || labels.extents.empty() || samples.extents[0] != labels.extents[0])
        return bad_input("samples and labels differ in number", path, "give every sample a label");
    run::DataSet data;
    data.name = fs::path(path).stem().string();
    data.sample_shape.assign(samples.extents.begin() + 1, samples.extents.end());
    TRY(data.labels, classes_of(labels, path));
    data.classes = *std::max_element(data.labels.begin(), data.labels.end()) + 1;
    data.samples = std::move(samples.values);
    if (samples.bytes) // as of images
        for (float& value : data.samples)
            value /= 255.0F;
    return data;
}

/// A table whose last column is the class.
Result<run::DataSet> table(const std::string& path) {
    TRY(const auto rows, formats::read_csv_file(path));
    const std::int64_t width = rows.extents[1] - 1;
    if (width < 1)
        return bad_input("the table has one column", path,
                         "give it samples, and the class in the last column");
    ArrayFile samples{{rows.extents[0], width}, {}, false};
    ArrayFile labels{{rows.extents[0]}, {}, false};
    for (auto row = rows.values.begin(); row != rows.values.end(); row += width + 1) {
        samples.values.insert(samples.values.end(), row, row + width);
        labels.values.push_back(row[width]);
    }
    return data_of(std::move(samples), labels, path);
}

} // namespace

Result<run::DataSet> read_own_data(const workload::DataSpec& spec, const std::string& words_from) {
    const std::string& path = spec.file;
    const std::string& labels_path = spec.labels;
    if (fs::is_directory(path))
        return read_image_folder(spec);
    if (spec.sequence > 0)
        return read_texts(spec, words_from.empty() ? path : words_from);
    const std::string ending = fs::path(path).extension().string();
    if (ending == ".csv")
        return table(path);
    if (ending == ".npz") {
        TRY(auto samples, formats::read_npz_file(path, "x"));
        TRY(const auto labels, formats::read_npz_file(path, "y"));
        return data_of(std::move(samples), labels, path);
    }
    if (ending != ".npy")
        return bad_input("data of this kind are not read", path,
                         "use .npz, .npy or .csv, a folder of images, or \"sequence\" for texts");
    if (labels_path.empty())
        return bad_input("the array has no labels", path, "name their file: \"labels\": \"classes.npy\"");
    TRY(auto samples, formats::read_npy_file(path));
    TRY(const auto labels, formats::read_npy_file(labels_path));
    return data_of(std::move(samples), labels, path);
}

run::DataSet random_data(const graph::Shape& shape, std::int64_t classes, std::int64_t count,
                         std::uint64_t seed) {
    run::DataSet data;
    data.name = "random";
    data.sample_shape = shape;
    data.classes = classes;
    const RandomStream values(seed, "data/samples");
    const RandomStream labels(seed, "data/labels");
    data.samples.resize(static_cast<std::size_t>(count * graph::element_count(shape)));
    for (std::size_t i = 0; i < data.samples.size(); ++i)
        data.samples[i] = static_cast<float>(values.uniform(i));
    data.labels.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < data.labels.size(); ++i)
        data.labels[i] = static_cast<std::int32_t>(labels.uniform(i) * static_cast<double>(classes));
    return data;
}

} // namespace tilescope::prepare
