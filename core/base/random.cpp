// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"

#include <cmath>
#include <numbers>

namespace tilescope {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53U} * counter[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key[0] += 0x9E3779B9U;
        key[1] += 0xBB67AE85U;
    }
    return counter;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : seed_(seed), stream_(0xCBF29CE484222325U) {
    for (const char c : name) // FNV-1a
        stream_ = (stream_ ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
}

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
