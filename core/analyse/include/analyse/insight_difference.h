// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/insights.h"
#include "analyse/matching.h"

#include <optional>
#include <vector>

namespace tilescope::analyse {

/// A finding of two runs, or of the one that has it.
struct FindingPair {
    std::optional<Insight> base, now;
    const Insight& either() const { return now ? *now : *base; }
    /// What it costs more, in the unit of both; a run without it has no such cost. Nullopt: a finding has no
    /// cost, or both are of other units or per other bases, or one is planned.
    std::optional<double> change() const;
};

/// Findings are the same where one rule has found them: on the same operation, stage, tile or setting, else
/// in their order. Those of the new run first, in their order. `names`: what the base calls its operations.
std::vector<FindingPair> match_findings(const std::vector<Insight>& base, const std::vector<Insight>& now,
                                        const OldNames& names);

} // namespace tilescope::analyse
