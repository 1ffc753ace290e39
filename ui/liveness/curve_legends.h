// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>

class QWidget;

namespace tilescope::ui {

class LivenessCurve;

/// What hides parts of the curve: of what is live, and, in its place in the difference mode, of what is more
/// or less than in the base.
std::pair<QWidget*, QWidget*> makeLegends(LivenessCurve* curve);

} // namespace tilescope::ui
