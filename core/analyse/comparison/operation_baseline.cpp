// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_baseline.h"

#include "analyse/like_names.h"
#include "base/try.h"

#include <set>
#include <utility>

namespace tilescope::analyse {

Result<OperationBaseline> OperationBaseline::read(const profile::Profile& base, const Parts& now,
                                                  const HandMatches& by_hand) {
    OperationBaseline result;
    TRY(result.costs_, Costs::read(base));
    TRY(const auto parts, Parts::read(base));
    std::set<std::int64_t> matched;
    for (const auto& [here, there] : match(parts, now, by_hand).operations) {
        result.cycles_[here] = result.costs_.operation(there).cycles;
        matched.insert(there);
    }
    for (const auto& operation : parts.operations)
        if (!matched.contains(operation.id))
            result.gone_.push_back(operation);
    return result;
}

std::optional<std::int64_t> OperationBaseline::cycles(std::int64_t operation, Basis basis) const {
    const auto found = cycles_.find(operation);
    return found == cycles_.end() ? std::nullopt : std::optional(costs_.in(basis, found->second).total());
}

std::optional<std::int64_t> OperationBaseline::cycles(const OperationGroup& group,
                                                      const std::vector<OperationFigures>& now,
                                                      Basis basis) const {
    std::optional<profile::PhaseCycles> all;
    for (const std::size_t member : group.members)
        if (const auto found = cycles_.find(now[member].record.id); found != cycles_.end()) {
            if (!all)
                all.emplace();
            *all += found->second;
        }
    return all ? std::optional(costs_.in(basis, *all).total()) : std::nullopt;
}

std::vector<OperationBaseline::Gone> OperationBaseline::gone(bool alike, Basis basis) const {
    std::vector<std::string> names;
    for (const profile::OperationRecord& operation : gone_)
        names.push_back(operation.name);
    std::vector<LikeNames> folded;
    if (alike)
        folded = fold_names(names);
    else
        for (std::size_t i = 0; i < names.size(); ++i)
            folded.push_back({names[i], {i}});
    std::vector<Gone> all;
    for (const LikeNames& each : folded) {
        Gone gone{text_of(each), 0, {}};
        profile::PhaseCycles cycles;
        for (const std::size_t member : each.members) {
            const profile::PhaseCycles own = costs_.operation(gone_[member].id).cycles;
            cycles += own;
            gone.members.push_back({gone_[member].name, costs_.in(basis, own).total()});
        }
        gone.cycles = costs_.in(basis, cycles).total();
        all.push_back(std::move(gone));
    }
    return all;
}

} // namespace tilescope::analyse
