// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/records.h"

#include <cstdint>
#include <map>
#include <string>
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
    std::map<std::string, std::string> renamed; ///< layers: names in the base by those in the new run
};

/// A name of the new run with the parts between slashes that renamed layers gave it as the base has them.
std::string with_old_names(const std::string& name, const std::map<std::string, std::string>& renamed);

/// The operators that an operation is made of: several where it was fused, else its kind.
std::vector<std::string> kinds_of(const profile::OperationRecord& operation);

/// Layers are the same where kind and name are. The others are aligned in their order, between those, by
/// kind, shape and parameters (Needleman and Wunsch 1970), so that a layer that was renamed is found.
/// Operations are the same by name, with the renamed parts of it put back, also where one is fused with
/// others and the other is not; the others of a layer that is in both runs by kind and phase, in their order.
Matching match(const Parts& base, const Parts& now);

/// A step of any device program of a run, but for its sequences and repeats.
struct NamedStep {
    std::int64_t id = 0;
    std::string program; ///< key of its device program
    profile::StepKind kind = profile::StepKind::Execute;
    std::int64_t operation = -1; ///< its own, else that of the nearest step around it; -1: none
    std::string name;            ///< without that of the operation at its beginning
};
/// By id.
Result<std::vector<NamedStep>> named_steps(const profile::Profile& file);

/// Ids of the base's steps by those of the new run's that are the same: of the device program of that key, of
/// operations that are the same (or of none), and of one kind and name. Several of these are the same in
/// their order.
std::map<std::int64_t, std::int64_t> match_steps(const std::vector<NamedStep>& base,
                                                 const std::vector<NamedStep>& now, const Matching& matching);

} // namespace tilescope::analyse
