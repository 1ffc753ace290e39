// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/history.h"

class QWidget;

namespace tilescope::ui {

/// What is in sight of a view now, in the order of its parts.
Sight sightOf(const QWidget& view);
/// Back to that. A part that has less to scroll by now goes to its end; of parts that the view does not have
/// any more, nothing is taken.
void setSight(QWidget& view, const Sight& sight);

} // namespace tilescope::ui
