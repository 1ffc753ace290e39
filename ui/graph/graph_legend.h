// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/legend.h"

#include <vector>

namespace tilescope::ui {

/// What the shapes and colours of a drawing stand for.
std::vector<Legend::Entry> graphEntries(const ChartStyle& style);
/// What has become of it since a base.
std::vector<Legend::Entry> changeEntries(const ChartStyle& style);

} // namespace tilescope::ui
