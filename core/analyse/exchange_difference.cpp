// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/exchange_difference.h"

#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tilescope::analyse {

Result<ExchangeSide> ExchangeSide::read(const profile::Profile& file, std::int64_t ipu) {
    ExchangeSide side;
    TRY(side.list, exchange_list(file, ipu));
    TRY(side.parts, Parts::read(file));
    TRY(side.steps, named_steps(file));
    return side;
}

ExchangeDifferences exchange_differences(const ExchangeSide& base, const ExchangeSide& now,
                                         const HandMatches& by_hand, std::optional<Basis> wanted) {
    ExchangeDifferences result;
    result.basis = common_basis(base.list.loops, now.list.loops, wanted);
    const auto in = [&](const ExchangeSide& side, const ExchangeRow& row, std::int64_t of_one) {
        return side.list.loops.mean(of_one * row.runs, result.basis);
    };
    std::map<std::int64_t, const ExchangeRow*> there;
    for (const ExchangeRow& row : base.list.rows)
        there[row.exchange.id] = &row;
    const auto steps = match_steps(base.steps, now.steps, match(base.parts, now.parts, by_hand));
    std::set<std::int64_t> taken;
    for (const ExchangeRow& row : now.list.rows) {
        ExchangePair pair;
        pair.now = row;
        pair.now_cycles = in(now, row, row.cycles);
        pair.now_bytes = in(now, row, row.exchange.bytes);
        const auto step = steps.find(row.program);
        const auto id =
            step == steps.end() ? base.list.of_program.end() : base.list.of_program.find(step->second);
        if (id != base.list.of_program.end() && taken.insert(id->second).second) {
            pair.base = *there.at(id->second);
            pair.base_cycles = in(base, *pair.base, pair.base->cycles);
            pair.base_bytes = in(base, *pair.base, pair.base->exchange.bytes);
        }
        result.pairs.push_back(std::move(pair));
    }
    for (const ExchangeRow& row : base.list.rows)
        if (!taken.contains(row.exchange.id)) {
            ExchangePair pair;
            pair.base = row;
            pair.base_cycles = in(base, row, row.cycles);
            pair.base_bytes = in(base, row, row.exchange.bytes);
            result.pairs.push_back(std::move(pair));
        }
    std::stable_sort(result.pairs.begin(), result.pairs.end(), [](const auto& a, const auto& b) {
        return std::pair(std::abs(a.cycles()), std::abs(a.bytes())) >
               std::pair(std::abs(b.cycles()), std::abs(b.bytes()));
    });
    return result;
}

} // namespace tilescope::analyse
