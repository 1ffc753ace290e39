// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <cstdint>
#include <vector>

class QPainter;
class QRectF;

namespace tilescope::ui {

struct Theme;

/// The colour of a share of a whole, from nothing (0) to all (1), and of what is more than all.
QColor shadeOf(const Theme& theme, double share);

/// Of a difference, -1 to 1 of what the scale ends with: less, the same, more.
QColor shadeOfDifference(const Theme& theme, double share);

/// Bytes with which a scale of differences ends on either side: 98 % of those that are not 0 are within it.
std::int64_t endOfDifferences(const std::vector<std::int64_t>& differences);
/// Such a scale, its ends below it, and whether some are beyond them.
void paintDifferenceScale(QPainter& painter, const Theme& theme, const QRectF& bar, std::int64_t end,
                          const std::vector<std::int64_t>& differences);

} // namespace tilescope::ui
