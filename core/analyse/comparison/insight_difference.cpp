// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/insight_difference.h"

#include <algorithm>

namespace tilescope::analyse {
namespace {

/// What a name does not tell, numbers do: ids of operations differ from run to run.
bool same_subject(const InsightSubject& base, const InsightSubject& now, const OldNames& names) {
    if (base.kind != now.kind)
        return false;
    if (!base.name.empty() || !now.name.empty())
        return base.name == names.of(now.name) && base.ipus == now.ipus;
    return base.id == now.id && base.ipus == now.ipus;
}

} // namespace

std::optional<double> FindingPair::change() const {
    if ((base && !base->cost) || (now && !now->cost))
        return {};
    if (base && now &&
        (base->cost->unit != now->cost->unit || base->cost->per != now->cost->per ||
         base->cost->planned != now->cost->planned))
        return {};
    return (now ? now->cost->value : 0) - (base ? base->cost->value : 0);
}

std::vector<FindingPair> match_findings(const std::vector<Insight>& base, const std::vector<Insight>& now,
                                        const OldNames& names) {
    std::vector<FindingPair> pairs;
    pairs.reserve(now.size() + base.size());
    for (const Insight& insight : now)
        pairs.push_back({{}, insight});
    std::vector<char> taken(base.size(), 0);
    for (const bool of_one_subject : {true, false})
        for (FindingPair& pair : pairs)
            for (std::size_t i = 0; i < base.size() && !pair.base; ++i)
                if (taken[i] == 0 && base[i].code == pair.now->code &&
                    (!of_one_subject || same_subject(base[i].subject, pair.now->subject, names))) {
                    pair.base = base[i];
                    taken[i] = 1;
                }
    for (std::size_t i = 0; i < base.size(); ++i)
        if (taken[i] == 0)
            pairs.push_back({base[i], {}});
    return pairs;
}

} // namespace tilescope::analyse
