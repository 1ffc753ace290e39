// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilescope::ui {

/// The least of 1, 2 and 5 times the powers of ten of which at most `most` fit in `length`.
double tick_step(double length, int most);

} // namespace tilescope::ui
