// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/records.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::analyse {

/// Layers and operations of one run.
struct Parts {
    std::vector<profile::LayerRecord> layers;
    std::vector<profile::OperationRecord> operations;
    static Result<Parts> read(const profile::Profile& file);
};

/// Which parts of two runs are the same: ids of the base by those of the new run. What has no partner was
/// added or removed.
struct Matching {
    std::map<std::int64_t, std::int64_t> layers;
    std::map<std::int64_t, std::int64_t> operations;
};

/// Layers are the same where kind and name are. The others are aligned in their order, between those, by
/// kind, shape and parameters (Needleman and Wunsch 1970), so that a layer that was renamed is found.
/// Operations are the same by name, with the renamed parts of it put back; the others of a layer that is in
/// both runs by kind and phase, in their order.
Matching match(const Parts& base, const Parts& now);

} // namespace tilescope::analyse
