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
    std::vector<float> samples;       ///< scaled to 0 … 1, or tokens
    std::vector<std::int32_t> labels; ///< class of each
    std::int64_t classes = 10;
    std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};

/// The order of the samples in one pass over the data: 0 … n - 1, shuffled by seed and pass where asked.
std::vector<std::int64_t> sample_order(std::int64_t n, bool shuffle, std::uint64_t seed, std::int64_t pass);

/// The byte that a picture's value of 0 … 1 was, or the nearest.
std::uint8_t byte_of(float value);

/// Copies samples `indices` into `images`, reshaped to its shape, whole where that is int32 and as bytes
/// where it is uint8, and their labels into `labels`: classes where it is int32, one-hot rows where it is
/// float.
void gather(const DataSet& data, const std::vector<std::int64_t>& indices, graph::HostTensor& images,
            graph::HostTensor& labels);

} // namespace tilescope::run
