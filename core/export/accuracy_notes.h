// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/accuracy.h"
#include "export/page.h"

#include <string>
#include <utility>
#include <vector>

namespace tilescope::exports {

/// "Memory (typical error ×1.1)": how far off figures of these kinds are, behind what else stands there.
std::string with_error(const std::string& title, std::string note, const analyse::ErrorBands& bands,
                       const analyse::FigureKinds& kinds);

/// The error bands of runs, with their names.
using RunBands = std::vector<std::pair<std::string, analyse::ErrorBands>>;

/// Those of all runs, of which there is one at least, where they are the same; else none.
analyse::ErrorBands common_bands(const RunBands& runs);

/// How far to trust what is predicted: section `accuracy`. Its table has no names of runs where all have the
/// same bands; it is empty where nothing is known of any.
PageSection accuracy_section(const RunBands& runs);

} // namespace tilescope::exports
