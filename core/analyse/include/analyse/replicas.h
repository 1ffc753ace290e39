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

} // namespace tilescope::analyse
