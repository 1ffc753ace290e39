// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"

#include "base/hash.h"

#include <cmath>
#include <numbers>

namespace tilescope {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    std::uint32_t lanes[4][1] = {{counter[0]}, {counter[1]}, {counter[2]}, {counter[3]}};
    philox_lanes(lanes, key);
    return {lanes[0][0], lanes[1][0], lanes[2][0], lanes[3][0]};
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : seed_(seed), stream_(fnv1a(name)) {}

std::uint32_t RandomStream::bits(std::uint64_t i) const {
    const std::uint64_t block = i / 4;
    return philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                   static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                  {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)})[i % 4];
}

double RandomStream::normal(std::uint64_t i) const {
    const double u = (static_cast<double>(bits(2 * i)) + 1.0) * 0x1p-32;
    const double v = static_cast<double>(bits(2 * i + 1)) * 0x1p-32;
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

} // namespace tilescope
