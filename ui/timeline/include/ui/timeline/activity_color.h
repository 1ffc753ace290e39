// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"
#include "ui/theme/chart_style.h"

namespace tilescope::ui {

/// Of a pipeline's activity; that of waiting is the colour of its hatch. Idling leaves the background.
QColor activity_color(const ChartStyle& style, analyse::PipelineActivity activity);

} // namespace tilescope::ui
