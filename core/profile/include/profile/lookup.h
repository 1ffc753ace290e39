// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

/// What a table says of something, without reading its rows.
namespace tilescope::profile {

/// What has a name and a number of its own.
enum class Named { Operation, Variable, ProgramStep, Layer };
/// Its name; "" where there is no such number.
Result<std::string> name_of(const Profile& profile, Named what, std::int64_t id);

/// The place of a program step in the order of execution; -1 where it is no leaf, or there is none.
Result<std::int64_t> liveness_step(const Profile& profile, std::int64_t program_id);
/// The name of the program step at that place; "" where there is none.
Result<std::string> step_name(const Profile& profile, std::int64_t liveness_step);

/// By stage, for those that an operation is part of: the IPU of the first one.
Result<std::map<std::int64_t, std::int64_t>> ipus_of_stages(const Profile& profile);
/// Those for which the program has stream copies; -1: each one of a replica.
Result<std::set<std::int64_t>> streaming_ipus(const Profile& profile);

} // namespace tilescope::profile
