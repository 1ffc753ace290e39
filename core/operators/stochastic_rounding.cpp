// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators/stochastic_rounding.h"

#include "base/random.h"
#include "base/worker_pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tilescope::operators {
namespace {

/// Adds the bits below float16's last and cuts: of a number of as many bits each is as likely.
constexpr std::uint32_t cut_bits = 23 - 10;
constexpr std::uint32_t below_last = (1U << cut_bits) - 1;
constexpr std::uint32_t largest = 0x477FE000;         ///< 65,504
constexpr std::uint32_t smallest_normal = 0x38800000; ///< 2^-14

} // namespace

float rounded_at_random(float value, std::uint32_t bits) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = word & 0x80000000U;
    const std::uint32_t magnitude = word ^ sign;
    if (magnitude >= largest) // infinities and what is not a number too
        return graph::round_to_half(value);
    if (magnitude >= smallest_normal)
        return std::bit_cast<float>(sign | ((magnitude + (bits >> (32 - cut_bits))) & ~below_last));
    constexpr float steps = 0x1p24F; // of the numbers below the normal ones, all as far apart
    const float scaled = std::bit_cast<float>(magnitude) * steps;
    const float lower = std::floor(scaled);
    const float chance = static_cast<float>(bits >> 8) * 0x1p-24F;
    return std::copysign((chance < scaled - lower ? lower + 1 : lower) / steps, value);
}

void round_results(const graph::ComputeContext& computed) {
    const graph::RandomState& random = computed.random;
    if (random.rounding != StochasticRounding::On) {
        for (graph::HostTensor* output : computed.outputs)
            output->round_to_type();
        return;
    }
    constexpr std::uint64_t not_of_masks = 0x5FC7A5B1D20E36E9; // streams beside those of dropout
    const std::uint64_t seed = random.seed ^ not_of_masks;
    const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed),
                                           static_cast<std::uint32_t>(seed >> 32)};
    std::uint64_t stream = place_within(place_within(random.place, random.step),
                                        static_cast<std::uint64_t>(random.sample_offset));
    for (graph::HostTensor* output : computed.outputs) {
        stream = place_within(stream, 1);
        if (output->type().dtype != graph::DType::Float16)
            continue;
        const std::span<float> values = output->floats();
        constexpr std::size_t together = 4; // words of one counter
        constexpr double block_ns = 40;
        computed.pool.parallel_for(
            (values.size() + together - 1) / together, worth_a_thread(block_ns),
            [&](std::size_t begin, std::size_t end) {
                for (std::size_t block = begin; block < end; ++block) {
                    const auto words =
                        philox({static_cast<std::uint32_t>(block),
                                static_cast<std::uint32_t>(std::uint64_t{block} >> 32),
                                static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                               key);
                    const std::size_t first = block * together;
                    for (std::size_t i = first; i < std::min(first + together, values.size()); ++i)
                        values[i] = rounded_at_random(values[i], words[i - first]);
                }
            });
    }
}

/// SplitMix64's mix of bits. Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014.
std::uint64_t place_within(std::uint64_t outer, std::uint64_t number) {
    std::uint64_t mixed = outer + (number + 1) * 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
}

} // namespace tilescope::operators
