// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "flavour.h"

#include <algorithm>

namespace tilescope::kernels::flavour {
namespace {

constexpr std::int64_t lanes = 16;

/// Bits of the blocks from `block` on: word k of lane l belongs to element 4 (block + l) + k.
void bits_of(const DropoutMask& mask, std::uint64_t block, std::uint32_t (&bits)[4][lanes]) {
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        bits[0][lane] = static_cast<std::uint32_t>(block + lane);
        bits[1][lane] = static_cast<std::uint32_t>((block + lane) >> 32);
        bits[2][lane] = static_cast<std::uint32_t>(mask.stream);
        bits[3][lane] = static_cast<std::uint32_t>(mask.stream >> 32);
    }
    philox_lanes(bits, {static_cast<std::uint32_t>(mask.seed), static_cast<std::uint32_t>(mask.seed >> 32)});
}

} // namespace

void dropout(const DropoutMask& mask, const float* x, float* y, std::uint64_t first, std::int64_t n) {
    std::uint32_t bits[4][lanes];
    std::int64_t i = 0;
    while (i < n) {
        const std::uint64_t block = (first + static_cast<std::uint64_t>(i)) / 4;
        bits_of(mask, block, bits);
        const auto skip = static_cast<std::int64_t>((first + static_cast<std::uint64_t>(i)) % 4);
        const std::int64_t end = std::min(n, i + 4 * lanes - skip);
        for (std::int64_t k = skip; i < end; ++i, ++k)
            y[i] = bits[k % 4][k / 4] >= mask.threshold ? x[i] * mask.scale : 0.0F;
    }
}

} // namespace tilescope::kernels::flavour
