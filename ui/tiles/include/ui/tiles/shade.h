// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace tilescope::ui {

struct Theme;

/// The colour of a share of a whole, from nothing (0) to all (1), and of what is more than all.
QColor shadeOf(const Theme& theme, double share);

/// Of a difference, -1 to 1 of what the scale ends with: less, the same, more.
QColor shadeOfDifference(const Theme& theme, double share);

} // namespace tilescope::ui
