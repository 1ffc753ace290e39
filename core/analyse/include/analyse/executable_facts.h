// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// What was compiled, as it is loaded, and whether it had to be compiled for this run.
struct ExecutableFacts {
    enum class Cache {
        Unused,  ///< none was asked for
        Taken,   ///< it is that of an earlier run
        Kept,    ///< compiled, and kept for later ones
        Replaced ///< what was there could not be used
    };
    struct Part {
        profile::CategoryBytes bytes; ///< over all tiles, each at its own peak
        bool code = false;
        std::int64_t total() const { return bytes.always_live + bytes.not_always_live; }
    };
    Cache cache = Cache::Unused;
    std::string key;         ///< by which the cache knows it; "" without one
    std::vector<Part> parts; ///< of all IPUs, the largest first
    std::int64_t total_bytes() const;
    std::int64_t code_bytes() const; ///< of vertices, control and exchanges
};
/// Errors: those of reading the profile.
Result<ExecutableFacts> executable_facts(const profile::Profile& profile);

} // namespace tilescope::analyse
