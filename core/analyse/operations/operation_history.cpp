// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_history.h"

#include "base/share.h"
#include "base/try.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilescope::analyse {
namespace {

/// Of the operation in one execution, which begins and ends there.
Result<std::optional<profile::PhaseCycles>> spent_in(const profile::Profile& profile,
                                                     const std::vector<profile::IpuRecord>& ipus,
                                                     std::int64_t operation, std::int64_t from,
                                                     std::int64_t to) {
    profile::PhaseCycles spent;
    for (const profile::IpuRecord& ipu : ipus) {
        TRY(const auto totals, profile.trace_totals(ipu.id, from, to));
        for (const profile::TraceTotal& total : totals)
            if (total.of == profile::TraceTotal::Of::Untraced)
                return std::nullopt;
            else if (total.of == profile::TraceTotal::Of::Step && total.operation_id == operation)
                spent += total.cycles;
    }
    return spent;
}

} // namespace

std::optional<double> AlikeExecutions::share() const {
    return spent ? share_of(spent->total(), ipu_cycles) : std::nullopt;
}

std::int64_t AlikeExecutions::spent_in_all() const {
    return spent ? spent->total() * count : 0;
}

ExecutionCounts counts_of(const std::vector<AlikeExecutions>& history) {
    ExecutionCounts counts;
    for (const AlikeExecutions& alike : history) {
        counts.all += alike.count;
        counts.known += alike.spent ? alike.count : 0;
        counts.taking += alike.takes_any() ? alike.count : 0;
    }
    return counts;
}

Result<std::vector<AlikeExecutions>> operation_history(const profile::Profile& profile,
                                                       std::int64_t operation) {
    TRY(const auto ipus, profile.ipus());
    TRY(auto groups, profile.execution_groups());
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.start_cycle < b.start_cycle; });
    std::vector<AlikeExecutions> all;
    std::map<std::tuple<profile::ExecutionKind, std::int64_t, std::int64_t>, std::size_t> known;
    for (const profile::ExecutionGroupRecord& group : groups) {
        const std::int64_t last_epoch = group.at(group.count - 1).epoch;
        const auto [place, is_new] =
            known.try_emplace({group.kind, group.schedule_id, group.cycles}, all.size());
        if (is_new) {
            AlikeExecutions alike{group.kind,
                                  0,
                                  group.epoch,
                                  last_epoch,
                                  group.steps,
                                  group.cycles,
                                  group.start_cycle,
                                  group.cycles * std::ssize(ipus),
                                  {}};
            TRY(alike.spent,
                spent_in(profile, ipus, operation, group.start_cycle, group.start_cycle + group.cycles));
            all.push_back(alike);
        }
        AlikeExecutions& alike = all[place->second];
        alike.count += group.count;
        alike.last_epoch = std::max(alike.last_epoch, last_epoch);
    }
    return all;
}

} // namespace tilescope::analyse
