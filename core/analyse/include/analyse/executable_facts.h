// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What was compiled, as it is loaded, and whether it had to be compiled for this run.
struct ExecutableFacts {
    struct Part {
        profile::CategoryBytes bytes; ///< over all tiles, each at its own peak
        bool code = false;
        std::int64_t total() const { return bytes.always_live + bytes.not_always_live; }
    };
    std::optional<profile::CacheUse> cache; ///< nullopt: not known
    std::string key;                        ///< by which the cache knows it; "" without one
    std::vector<Part> parts;                ///< of all IPUs, the largest first
    std::int64_t total_bytes() const;
    std::int64_t code_bytes() const; ///< of vertices, control and exchanges
};
/// Errors: those of reading the profile.
Result<ExecutableFacts> executable_facts(const profile::Profile& profile);

} // namespace tilescope::analyse
