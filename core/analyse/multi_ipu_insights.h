// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

namespace tilescope::analyse {

/// What a run over several IPUs makes of them: stages out of balance (with the better cut), IPUs that have
/// nothing to do, and a model that takes more IPUs than its memory needs.
Result<void> add_multi_ipu_insights(const profile::Profile& profile, const Summary& summary,
                                    std::vector<Insight>& out);

} // namespace tilescope::analyse
