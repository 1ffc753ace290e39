// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"
#include "base/try.h"

#include <algorithm>
#include <map>

namespace tilescope::analyse {

Result<std::vector<Comparison>> compare_all(const profile::Profile& base,
                                            const std::vector<const profile::Profile*>& runs,
                                            std::int64_t ipu, std::optional<Basis> basis,
                                            const std::vector<HandMatches>& by_hand) {
    std::vector<Comparison> all;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        TRY(auto comparison,
            compare(base, *runs[i], ipu, basis, i < by_hand.size() ? by_hand[i] : HandMatches()));
        all.push_back(std::move(comparison));
    }
    const bool alike = std::all_of(all.begin(), all.end(),
                                   [&](const Comparison& each) { return each.basis == all.front().basis; });
    if (alike || basis == Basis::MicroBatch)
        return all;
    return compare_all(base, runs, ipu, Basis::MicroBatch, by_hand);
}

std::vector<CostsOfRuns> costs_of_runs(const std::vector<const Comparison*>& runs,
                                       std::vector<CostDifference> Comparison::*costs) {
    std::vector<CostsOfRuns> rows;
    std::map<std::pair<bool, std::string>, std::size_t> row_of; // by whether the base has it, and name
    for (const bool of_base : {true, false})
        for (std::size_t i = 0; i < runs.size(); ++i)
            for (const CostDifference& cost : runs[i]->*costs) {
                if ((cost.cycles.base || cost.memory.base) != of_base)
                    continue;
                const std::string& name = of_base ? cost.base_name : cost.name;
                const auto [row, is_new] = row_of.emplace(std::pair(of_base, name), rows.size());
                if (is_new)
                    rows.push_back({name, std::vector<const CostDifference*>(runs.size(), nullptr)});
                rows[row->second].runs[i] = &cost;
            }
    return rows;
}

} // namespace tilescope::analyse
