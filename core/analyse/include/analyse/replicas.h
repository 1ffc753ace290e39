// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilescope::analyse {

/// The IPU of the first replica that does what an IPU of another does; itself where there is none.
inline std::int64_t first_like(const profile::IpuRecord& ipu, const std::vector<profile::IpuRecord>& ipus) {
    const auto first = std::find_if(ipus.begin(), ipus.end(), [&](const profile::IpuRecord& other) {
        return other.replica == 0 && other.shard == ipu.shard;
    });
    return ipu.replica == 0 || first == ipus.end() ? ipu.id : first->id;
}

/// Those of all replicas that do the same as the IPU of that id; none where there is no such IPU.
inline std::vector<std::int64_t> all_like(std::int64_t id, const std::vector<profile::IpuRecord>& ipus) {
    const auto one = std::find_if(ipus.begin(), ipus.end(), [id](const auto& ipu) { return ipu.id == id; });
    std::vector<std::int64_t> like;
    for (const profile::IpuRecord& ipu : ipus)
        if (one != ipus.end() && ipu.shard == one->shard)
            like.push_back(ipu.id);
    return like;
}

} // namespace tilescope::analyse
