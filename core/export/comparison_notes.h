// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "accuracy_notes.h"
#include "export/page.h"

#include <string>

namespace tilescope::exports {

/// Warns of what is to be known of a run before its figures (analyse::caveats).
void add_caveats(PageSection& section, const std::string& name, const analyse::ComparedRun& run);
/// Adds the sentence that says what changed most (analyse::answer), where there is one.
void add_answer(PageSection& section, const analyse::Comparison& c, const std::string& base,
                const std::string& now);

/// Of the figures that are compared.
inline const analyse::FigureKinds figures_compared{FigureKind::Host, FigureKind::Compute, FigureKind::Memory};
/// Titles of the causes of time and of memory.
std::string why_time(analyse::Basis basis, const analyse::ErrorBands& bands);
std::string why_memory(const analyse::ErrorBands& bands);

} // namespace tilescope::exports
