// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::run {

/// Images and their classes, ready to be dealt out in batches.
struct DataSet {
    std::string name;
    graph::Shape sample_shape;        ///< [28, 28, 1]
    std::vector<float> samples;       ///< scaled to 0 … 1
    std::vector<std::int32_t> labels; ///< class of each
    std::int64_t classes = 10;
    std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};

enum class Split { Train, Test };

/// Reads FOLDER/NAME/{train,t10k}-{images-idx3,labels-idx1}-ubyte, plain or .gz (or the same files in
/// FOLDER). Errors: BadInput for missing files (and where they were looked for), a wrong magic number, a file
/// cut short or longer than its header says, images and labels that differ in number.
Result<DataSet> read_idx(const std::string& folder, const std::string& name, Split split);

/// The built-in digits: 28 x 28, ten classes, strokes drawn with a random affine distortion, thickness and
/// noise. Sample i depends on seed, split and i only.
DataSet synthetic_digits(std::int64_t count, Split split, std::uint64_t seed);

/// The order of the samples in one pass over the data: 0 … n - 1, shuffled by seed and pass where asked.
std::vector<std::int64_t> sample_order(std::int64_t n, bool shuffle, std::uint64_t seed, std::int64_t pass);

/// Copies samples `indices` into `images`, reshaped to its shape, and their labels into `labels`: classes
/// where it is int32, one-hot rows where it is float.
void gather(const DataSet& data, const std::vector<std::int64_t>& indices, graph::HostTensor& images,
            graph::HostTensor& labels);

} // namespace tilescope::run
