// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilescope {

/// Philox4x32-10, a counter-based generator: a pure function of key and counter, so streams can be read at
/// any place and in any order. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
/// Turns `Lanes` counters (word, then lane) into random bits, side by side.
template<std::size_t Lanes>
inline void philox_lanes(std::uint32_t (&counter)[4][Lanes], std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            const std::uint64_t a = std::uint64_t{0xD2511F53U} * counter[0][lane];
            const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * counter[2][lane];
            counter[0][lane] = static_cast<std::uint32_t>(b >> 32) ^ counter[1][lane] ^ key[0];
            counter[1][lane] = static_cast<std::uint32_t>(b);
            counter[2][lane] = static_cast<std::uint32_t>(a >> 32) ^ counter[3][lane] ^ key[1];
            counter[3][lane] = static_cast<std::uint32_t>(a);
        }
        key[0] += 0x9E3779B9U;
        key[1] += 0xBB67AE85U;
    }
}
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Numbers of one stream, chosen by seed and name or number.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
    RandomStream(std::uint64_t seed, std::string_view name);

    /// Number `i` of the stream: 32 uniform bits.
    std::uint32_t bits(std::uint64_t i) const;
    /// In [0, 1), with 24 bits.
    float uniform(std::uint64_t i) const { return uniform_of(bits(i)); }
    /// The same of numbers 4 i to 4 i + 3, in the time of one.
    std::array<float, 4> four_uniform(std::uint64_t i) const;
    /// Normal with mean 0 and standard deviation 1 (Box and Muller, from numbers 2 i and 2 i + 1).
    double normal(std::uint64_t i) const;

  private:
    static float uniform_of(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24F; }
    std::array<std::uint32_t, 4> four(std::uint64_t i) const; ///< numbers 4 i to 4 i + 3
    std::uint64_t seed_;
    std::uint64_t stream_;
};

} // namespace tilescope
