// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QString>

namespace tilescope::ui {

/// How wide a text is, in pixels. Kept by font: names of slices are asked for anew in each frame, and to
/// shape them takes longer than all else that a frame does. For the thread that paints.
int textWidth(const QFont& font, const QString& text);
/// Whether it is no wider than `room`: most are so much wider that they need not be measured.
bool textFits(const QFont& font, const QString& text, int room);

} // namespace tilescope::ui
