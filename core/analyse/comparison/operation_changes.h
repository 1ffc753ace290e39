// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "run_parts.h"

#include <map>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// Two runs, and which of their parts are the same.
struct BothRuns {
    const RunParts& base;
    const RunParts& now;
    const Matching& matching;
    const OldNames& old_names;
    Basis basis;
    std::int64_t ipu;

    /// Cycles of one engine run as cycles per basis.
    double in_base(std::int64_t cycles) const;
    double in_now(std::int64_t cycles) const;
};

/// Why what the host does takes other cycles in the same time.
inline constexpr const char* same_time_of_host = "as long for the host, in cycles of another clock";

/// What makes an operation that is in both runs cost other cycles, its name as `what`: their sum is the
/// change. Empty where its cycles are the same. no_operation: copies from and to the host.
/// Errors: those of reading the profiles.
Result<std::vector<Cause>> operation_changes(const BothRuns& runs, std::int64_t before, std::int64_t after);

/// Why the same tensor, or all of two operations, is another one; "" where it is not.
std::string size_change(const BothRuns& runs, const profile::OperationRecord& before,
                        const profile::OperationRecord& after);
/// "is planned as AMP 1x1 on 1,352 tiles, was AMP nx1 …"; "" where the plan is the same, or none is known.
std::string plan_change(const BothRuns& runs, std::int64_t before, std::int64_t after);
/// "lies on 1,386 tiles, was on 1,452"; "" where both are the same.
std::string place_change(const Place& before, const Place& after);

} // namespace tilescope::analyse
