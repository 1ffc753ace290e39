// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QColor;
class QPainter;
class QRectF;

namespace tilescope::ui {

struct Theme;

/// A box that stands for waiting: hatched as on time lines, so that nobody takes it for a kind of work.
void paintHatchedBox(QPainter& painter, const QRectF& box, const QColor& color, const Theme& theme);

} // namespace tilescope::ui
