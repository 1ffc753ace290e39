// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilescope::profile {

/// Temporary views of a connection, pva_NAME for what PopVision's library calls NAME.
extern const char* const pva_views_sql;

} // namespace tilescope::profile
