// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/kept_variables.h"

#include <algorithm>

namespace tilescope::analyse {

/// A stash holds values of several micro-batches at any time. Code, vertices and stacks are there as long as
/// the program is.
bool may_be_kept(const profile::VariableRecord& variable) {
    return variable.always_live && variable.holds_tensor() &&
           (variable.category == MemoryCategory::Variables || variable.category == MemoryCategory::Constants);
}

const KeptVariables::Each* KeptVariables::of(std::size_t index) const {
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const Each& each) { return each.index == index; });
    return found == variables.end() ? nullptr : &*found;
}

std::optional<KeptVariables> kept_variables(const Liveness& live) {
    KeptVariables kept;
    bool told = false;
    bool any = false;
    for (const profile::VariableRecord& variable : live.variables)
        if (may_be_kept(variable)) {
            any = true;
            told = told || variable.live_from >= 0;
        }
    if (any && !told)
        return std::nullopt;
    if (live.points.empty())
        return kept;
    const std::int64_t peak = live.points[static_cast<std::size_t>(live.peak())].step;
    std::vector<std::int64_t> more(live.points.size() + 1,
                                   0); // needed from a point on; from the first: in all
    std::int64_t in_all = 0;
    for (std::size_t i = 0; i < live.variables.size(); ++i) {
        const profile::VariableRecord& variable = live.variables[i];
        if (!may_be_kept(variable))
            continue;
        in_all += variable.bytes;
        KeptVariables::Each each{i, std::nullopt, variable.bytes};
        if (variable.live_from >= 0) {
            each.needed = {variable.live_from, variable.live_to};
            if (variable.live_from <= peak && peak <= variable.live_to)
                each.saved = 0;
            more[static_cast<std::size_t>(live.point_of(variable.live_from))] += variable.bytes;
            more[static_cast<std::size_t>(live.point_of(variable.live_to)) + 1] -= variable.bytes;
            if (variable.live_from <= live.points.front().step && live.points.back().step <= variable.live_to)
                continue; // needed at every step
        }
        kept.saved += each.saved;
        kept.variables.push_back(each);
    }
    std::stable_sort(kept.variables.begin(), kept.variables.end(), [](const auto& a, const auto& b) {
        return a.saved > b.saved; // the larger come first already
    });
    std::int64_t needed = 0;
    for (std::size_t i = 0; i < live.points.size(); ++i) {
        needed += more[i];
        const std::int64_t then = live.points[i].total() - in_all + needed;
        if (kept.peak < 0 || then > kept.peak_bytes) {
            kept.peak = static_cast<std::int64_t>(i);
            kept.peak_bytes = then;
        }
    }
    return kept;
}

} // namespace tilescope::analyse
