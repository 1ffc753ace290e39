// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_details.h"

#include "analyse/phases.h"
#include "base/try.h"
#include "run_tables.h"

#include <algorithm>
#include <iterator>

namespace tilescope::analyse {

std::optional<profile::PhaseCycles> OperationDetails::emitted() const {
    if (steps.empty())
        return std::nullopt;
    const auto fewest = std::min_element(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
        return a.record.runs < b.record.runs;
    });
    const std::int64_t runs = std::max<std::int64_t>(1, fewest->record.runs);
    profile::PhaseCycles cycles;
    for (const Step& step : steps)
        cycles += step.cycles;
    for (const NamedPhase& phase : phases)
        cycles.*phase.cycles /= runs;
    return cycles;
}

std::int64_t OperationDetails::cycles() const {
    std::int64_t sum = 0;
    for (const Step& step : steps)
        sum += step.cycles.total();
    return sum;
}

Result<OperationDetails> operation_details(const profile::Profile& profile, std::int64_t operation) {
    OperationDetails details;
    details.operation = operation;
    TRY(const auto program, profile.program());
    TRY(const auto sets, profile.compute_sets());
    TRY(const auto exchanges, profile.exchanges());
    const std::set<std::int64_t> between = between_ipus(exchanges);
    for (const auto& step : program)
        if (step.operation_id == operation && is_leaf(step.kind))
            details.steps.push_back({step, cycles_of(step, between.contains(step.exchange_id))});
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
    TRY(const auto ipus, profile.ipus());
    for (const profile::IpuRecord& ipu : ipus) {
        if (ipu.replica != 0)
            continue;
        TRY(const auto variables, profile.variables(ipu.id));
        std::copy_if(variables.begin(), variables.end(), std::back_inserter(details.variables),
                     [&](const profile::VariableRecord& each) { return each.operation_id == operation; });
    }
    std::stable_sort(details.variables.begin(), details.variables.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    TRY(const LiveVariables live, live_variables(profile, details.variables));
    details.live = live.all;
    if (!details.variables.empty()) {
        const std::int64_t ipu = details.variables.front().ipu;
        TRY(const auto steps, profile.liveness(ipu));
        details.live_steps = static_cast<std::int64_t>(steps.size());
        TRY(details.peak_step, profile.peak_step(ipu));
    }
    return details;
}

} // namespace tilescope::analyse
