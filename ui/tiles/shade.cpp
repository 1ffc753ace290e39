// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/shade.h"

#include "ui/theme/theme.h"

#include <algorithm>

namespace tilescope::ui {
namespace {

/// Linear between neighbouring colours of a ramp; `at` counts them from 0.
QColor between(const QVector<QColor>& ramp, double at) {
    at = std::clamp(at, 0.0, static_cast<double>(ramp.size() - 1));
    const auto low = std::min(static_cast<qsizetype>(at), ramp.size() - 2);
    const auto part = static_cast<float>(at - static_cast<double>(low));
    const QColor& a = ramp[low];
    const QColor& b = ramp[low + 1];
    const auto mix = [part](float from, float to) { return from + (to - from) * part; };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

} // namespace

QColor shadeOf(const Theme& theme, double share) {
    return share > 1 ? between(theme.overflow, 2 * (share - 1))
                     : between(theme.fullness, share * static_cast<double>(theme.fullness.size() - 1));
}

QColor shadeOfDifference(const Theme& theme, double share) {
    return between(theme.difference, (share + 1) / 2 * static_cast<double>(theme.difference.size() - 1));
}

} // namespace tilescope::ui
