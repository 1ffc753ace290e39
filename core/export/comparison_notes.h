// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "export/page.h"

namespace tilescope::exports {

/// Warns of what is to be known of a run before its figures (analyse::caveats).
void add_caveats(PageSection& section, const std::string& name, const analyse::ComparedRun& run);
/// Adds the sentence that says what changed most (analyse::answer), where there is one.
void add_answer(PageSection& section, const analyse::Comparison& c, const std::string& base,
                const std::string& now);

} // namespace tilescope::exports
