// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "flavour.h"

#include <algorithm>

namespace tilescope::kernels::flavour {
namespace {

constexpr std::int64_t lanes = 16;

constexpr std::int64_t at_once = 4 * lanes;

/// Bits of elements 4 block to 4 block + at_once: word k of lane l is that of element 4 l + k.
void bits_of(const DropoutMask& mask, std::uint64_t block, std::uint32_t (&bits)[at_once]) {
    std::uint32_t words[4][lanes];
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        words[0][lane] = static_cast<std::uint32_t>(block + lane);
        words[1][lane] = static_cast<std::uint32_t>((block + lane) >> 32);
        words[2][lane] = static_cast<std::uint32_t>(mask.stream);
        words[3][lane] = static_cast<std::uint32_t>(mask.stream >> 32);
    }
    philox_lanes(words, {static_cast<std::uint32_t>(mask.seed), static_cast<std::uint32_t>(mask.seed >> 32)});
    for (std::int64_t lane = 0; lane < lanes; ++lane)
        for (std::int64_t k = 0; k < 4; ++k)
            bits[4 * lane + k] = words[k][lane];
}

} // namespace

void dropout(const DropoutMask& mask, const float* x, float* y, std::uint64_t first, std::int64_t n) {
    std::uint32_t bits[at_once];
    for (std::int64_t i = 0; i < n;) {
        bits_of(mask, (first + static_cast<std::uint64_t>(i)) / 4, bits);
        const auto skip = static_cast<std::int64_t>((first + static_cast<std::uint64_t>(i)) % 4);
        const std::int64_t count = std::min(n - i, at_once - skip);
        for (std::int64_t k = 0; k < count; ++k) { // without a branch, which half the time would be mistaken
            const float kept = x[i + k] * mask.scale;
            y[i + k] = bits[skip + k] >= mask.threshold ? kept : 0.0F;
        }
        i += count;
    }
}

} // namespace tilescope::kernels::flavour
