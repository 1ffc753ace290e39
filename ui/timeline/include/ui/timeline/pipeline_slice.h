// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "ui/timeline/timeline_lane.h"

#include <QString>

namespace tilescope::ui {

QString activityName(analyse::PipelineActivity activity); ///< "forward", for people

/// "62 F": the number of a micro-batch and its pass; what is no pass has the name of the activity.
QString passText(const profile::PipelineSlotRecord& record);

/// What a stage does in one slot, from the start of the weight update on; without a label.
TimelineSlice pipelineSlice(const profile::PipelineSlotRecord& record);

} // namespace tilescope::ui
