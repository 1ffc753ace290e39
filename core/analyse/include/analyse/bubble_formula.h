// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"

#include <cmath>
#include <string>

namespace tilescope::analyse {

/// What makes the bubble of a pipeline of S stages and N micro-batches, as Grouped, Interleaved and
/// Sequential schedules fill and empty their stages: "2 (S − 1) ÷ (N + 2 (S − 1))"; "" where it follows none
/// of these.
inline std::string bubble_formula(const PipelineUpdate& update) {
    if (update.stages.empty() || update.micro_batches <= 0)
        return {};
    const auto s = static_cast<double>(update.stages.size());
    const auto n = static_cast<double>(update.micro_batches);
    const auto is = [bubble = update.bubble()](double share) {
        constexpr double exactly = 1e-12;
        return std::abs(bubble - share) < exactly;
    };
    if (update.halves)
        return is(2 * (s - 1) / (n + 2 * (s - 1))) ? "2 (S − 1) ÷ (N + 2 (S − 1))" : "";
    return is((s - 1) / (n + s - 1)) ? "(S − 1) ÷ (N + S − 1)" : is(1 - 1 / s) ? "1 − 1 ÷ S" : "";
}

} // namespace tilescope::analyse
