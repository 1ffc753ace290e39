// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace tilescope::formats {

/// The bytes that a file which may be compressed is allowed to unpack to: 64 MiB, or a hundred times its own
/// size. Images and weights shrink to a tenth at best; what unpacks to more was made to exhaust the memory.
inline std::uint64_t most_unpacked(std::uint64_t file_bytes) {
    constexpr std::uint64_t always = std::uint64_t{64} << 20;
    constexpr std::uint64_t times = 100;
    constexpr std::uint64_t largest = std::uint64_t{1} << 53;
    return std::max(always, std::min(file_bytes, largest) * times);
}

/// What is said of a file that would.
inline const char* const unpacks_to_more = "unpacks to more than 64 MiB and a hundred times its size";

} // namespace tilescope::formats
