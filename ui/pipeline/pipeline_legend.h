// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pipeline/pipeline_data.h"
#include "ui/widgets/legend.h"

#include <vector>

namespace tilescope::ui {

/// Of the activities that there are in one of the two, and of the host's part of them; `base` null: of one
/// alone.
std::vector<Legend::Entry> activityEntries(const ChartStyle& style, const PipelineData& data,
                                           const PipelineData* base);

} // namespace tilescope::ui
