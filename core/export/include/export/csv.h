// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <ostream>
#include <string>

namespace tilescope::exports {

/// One table or view of the profile as CSV (RFC 4180, but with "\n" between the lines): a line of column
/// names, then a line per row; NULL is an empty field. `tile_array` is written unpacked, with columns
/// entity, entity_id, ipu, metric, tile, value. Rows are written as they are read.
/// Errors: Usage for a name that the profile does not have, naming the nearest one and all others.
Result<void> csv(const profile::Profile& profile, const std::string& table, std::ostream& out);

} // namespace tilescope::exports
