// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/history.h"
#include "export/page.h"

#include <string>

namespace tilescope::exports {

/// A table with a row for each profile, what changed, and a picture. Without a title where there is but one
/// workload.
Page history_page(const analyse::History& history);

/// "file,label,workload,tool_version,started,status,value,change_percent,changed,cause" and a row for each
/// profile.
std::string history_csv(const analyse::History& history);

/// The figure of each workload as a line over the profiles, from the oldest to the newest; changes are
/// marked. One picture that needs no other file.
std::string history_svg(const analyse::History& history);

} // namespace tilescope::exports
