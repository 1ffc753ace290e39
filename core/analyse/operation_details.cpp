// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_details.h"

#include "analyse/phases.h"
#include "base/try.h"

#include <algorithm>

namespace tilescope::analyse {

Result<OperationDetails> operation_details(const profile::Profile& profile, std::int64_t operation) {
    OperationDetails details;
    details.operation = operation;
    TRY(const auto program, profile.program());
    TRY(const auto sets, profile.compute_sets());
    for (const auto& step : program)
        if (step.operation_id == operation && is_leaf(step.kind))
            details.steps.push_back({step, cycles_of_run(step) * step.runs});
    TRY(details.plans, plan_choices(profile, operation));
    for (const auto& set : sets) {
        if (set.operation_id != operation)
            continue;
        details.sets[set.id] = set.name;
        TRY(const auto vertices, profile.vertices(set.id));
        details.vertices.insert(details.vertices.end(), vertices.begin(), vertices.end());
        const auto step = std::find_if(details.steps.begin(), details.steps.end(),
                                       [&](const auto& s) { return s.record.compute_set_id == set.id; });
        const std::int64_t ipu =
            step == details.steps.end() ? 0 : std::max<std::int64_t>(step->record.ipu, 0);
        TRY(const auto cycles, profile.tile_values("compute_set", set.id, ipu, "cycles"));
        details.tile_cycles.resize(std::max(details.tile_cycles.size(), cycles.size()), 0);
        for (std::size_t tile = 0; tile < cycles.size(); ++tile)
            details.tile_cycles[tile] += cycles[tile];
    }
    return details;
}

} // namespace tilescope::analyse
