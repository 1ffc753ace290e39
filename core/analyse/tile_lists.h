// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/try.h"
#include "profile/profile.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace tilescope::analyse {

inline std::int64_t sum(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// The IPU of the first replica that does what this one does: compute sets and exchanges are recorded of it.
inline Result<std::int64_t> first_of(const profile::Profile& profile, std::int64_t ipu) {
    TRY(const auto ipus, profile.ipus());
    std::int64_t shard = ipu;
    for (const auto& record : ipus)
        shard = record.id == ipu ? record.shard : shard;
    for (const auto& record : ipus)
        if (record.replica == 0 && record.shard == shard)
            return record.id;
    return ipu;
}

/// Calls `visit(thing, values)` for each of some things that has numbers of tiles on an IPU.
template<class Things, class Visit>
Result<void> each_list(const profile::Profile& profile, const std::string& entity, const Things& things,
                       std::int64_t ipu, const std::string& metric, const Visit& visit) {
    for (const auto& thing : things) {
        TRY(const auto values, profile.tile_values(entity, thing.id, ipu, metric));
        if (!values.empty())
            visit(thing, values);
    }
    return {};
}

} // namespace tilescope::analyse
