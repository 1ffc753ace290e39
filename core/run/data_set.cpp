// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/data_set.h"

#include "base/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace tilescope::run {

std::vector<std::int64_t> sample_order(std::int64_t n, bool shuffle, std::uint64_t seed, std::int64_t pass) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    if (!shuffle)
        return order;
    const RandomStream random(seed ^ 0x73687566666c6500U, static_cast<std::uint64_t>(pass));
    for (std::size_t i = order.size(); i > 1; --i) { // Fisher and Yates
        const std::uint64_t j = (static_cast<std::uint64_t>(random.bits(i)) * i) >> 32;
        std::swap(order[i - 1], order[j]);
    }
    return order;
}

std::uint8_t byte_of(float value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255.0F));
}

void gather(const DataSet& data, const std::vector<std::int64_t>& indices, graph::HostTensor& images,
            graph::HostTensor& labels) {
    const auto sample = static_cast<std::size_t>(graph::element_count(data.sample_shape));
    assert(images.elements() == static_cast<std::int64_t>(sample * indices.size()));
    const bool bytes = images.type().dtype == graph::DType::UInt8;
    const bool whole = images.type().dtype == graph::DType::Int32;
    const bool one_hot = graph::is_floating(labels.type().dtype);
    if (one_hot)
        std::fill(labels.floats().begin(), labels.floats().end(), 0.0F);
    const std::size_t classes = one_hot ? labels.floats().size() / indices.size() : 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto from = static_cast<std::size_t>(indices[i]);
        const auto values = data.samples.begin() + static_cast<std::ptrdiff_t>(from * sample);
        const auto to = static_cast<std::ptrdiff_t>(i * sample);
        if (bytes)
            std::transform(values, values + static_cast<std::ptrdiff_t>(sample), images.bytes().begin() + to,
                           [](float value) { return byte_of(value); });
        else if (whole)
            std::transform(values, values + static_cast<std::ptrdiff_t>(sample), images.ints().begin() + to,
                           [](float value) { return static_cast<std::int32_t>(value); });
        else
            std::copy_n(values, sample, images.floats().begin() + to);
        const auto label = static_cast<std::size_t>(data.labels[from]);
        if (one_hot)
            labels.floats()[i * classes + label] = 1.0F;
        else
            labels.ints()[i] = static_cast<std::int32_t>(label);
    }
}

} // namespace tilescope::run
