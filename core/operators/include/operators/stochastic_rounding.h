// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/operator_registry.h"

#include <cstdint>

namespace tilescope::operators {

/// One of the two float16 values next to `value`, which is not rounded, as a float: the upper or the lower,
/// each with a probability of one minus its distance in units of their difference, by 32 uniform bits. A
/// float16 value is itself; what lies beyond the largest is rounded to the nearest, as without chance.
/// Source: Graphcore, "AI-Float: mixed precision arithmetic for AI" (stochastic rounding in the IPU), and its
/// TensorFlow user guide, "Half-precision floating point and stochastic rounding".
float rounded_at_random(float value, std::uint32_t bits);

/// Rounds the float16 outputs of an operation that was computed: to the nearest, or where `random.rounding`
/// is On at random. The bits depend on seed, step, place, first sample and element alone, not on the number
/// of threads.
void round_results(const graph::ComputeContext& computed);

/// The place of the `number`-th operation, or step of a loop, of what is at `outer`.
std::uint64_t place_within(std::uint64_t outer, std::uint64_t number);

} // namespace tilescope::operators
