// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"

#include "base/hash.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tilescope {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    std::uint32_t lanes[4][1] = {{counter[0]}, {counter[1]}, {counter[2]}, {counter[3]}};
    philox_lanes(lanes, key);
    return {lanes[0][0], lanes[1][0], lanes[2][0], lanes[3][0]};
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : seed_(seed), stream_(fnv1a(name)) {}

std::array<std::uint32_t, 4> RandomStream::four(std::uint64_t i) const {
    return philox({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32),
                   static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                  {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
}

std::uint32_t RandomStream::bits(std::uint64_t i) const {
    return four(i / 4)[i % 4];
}

std::array<float, 4> RandomStream::four_uniform(std::uint64_t i) const {
    std::array<float, 4> values{};
    std::ranges::transform(four(i), values.begin(), uniform_of);
    return values;
}

double RandomStream::normal(std::uint64_t i) const {
    const double u = (static_cast<double>(bits(2 * i)) + 1.0) * 0x1p-32;
    const double v = static_cast<double>(bits(2 * i + 1)) * 0x1p-32;
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

} // namespace tilescope
