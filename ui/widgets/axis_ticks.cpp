// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/axis_ticks.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace tilescope::ui {

double tick_step(double length, int most) {
    const double raw = length / std::max(1, most);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= raw * (1 - 1e-9))
            return factor * power;
    return 10 * power;
}

} // namespace tilescope::ui
