// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace tilescope {

/// FNV-1a of 64 bits (Fowler, Noll and Vo; http://www.isthe.com/chongo/tech/comp/fnv): the same on every
/// machine, for file names, random streams and to notice damage. `state` continues an earlier hash.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t state = 0xCBF29CE484222325U) {
    for (const char byte : bytes)
        state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
    return state;
}

/// The same of 32 bits.
constexpr std::uint32_t fnv1a_32(std::string_view bytes) {
    std::uint32_t state = 0x811C9DC5U;
    for (const char byte : bytes)
        state = (state ^ static_cast<unsigned char>(byte)) * 0x01000193U;
    return state;
}

/// A hash of numbers in turn, of the machine that runs: to find what is alike, never for what is kept.
/// Multiplies by 2^64 / golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
constexpr std::uint64_t mixed(std::uint64_t hash, std::integral auto number) {
    return (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15U + (hash >> 32);
}

} // namespace tilescope
