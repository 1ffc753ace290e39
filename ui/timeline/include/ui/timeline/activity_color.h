// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"
#include "ui/theme/chart_style.h"
#include "ui/timeline/time_stack.h"

namespace tilescope::ui {

/// Of a pipeline's activity; that of waiting is the colour of its hatch. Idling leaves the background.
QColor activity_color(const ChartStyle& style, analyse::PipelineActivity activity);
/// Of what slices are done for; `other`: steps of no operation, or what is between the lines of `hatch`.
TimeStack::Colors activity_colors(const ChartStyle& style, const QColor& other, const QColor& hatch = {});

} // namespace tilescope::ui
