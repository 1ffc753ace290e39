// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace tilescope::ui {

class TimelineWidget;

/// Gives a view the actions that move its time line: W, S, A, D and 0. They come before its own.
void addTimelineActions(QWidget* view, TimelineWidget* timeline);

} // namespace tilescope::ui
