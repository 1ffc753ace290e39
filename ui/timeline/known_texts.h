// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QRectF>
#include <QString>

class QPainter;

/// Texts of one line that are drawn anew in each frame. To shape them takes longer than all else that a frame
/// does, so that what came of it is kept, by font. For the thread that paints.
namespace tilescope::ui {

int textWidth(const QFont& font, const QString& text); ///< pixels
/// Whether it is no wider than `room`: most are so much wider that they need not be measured.
bool textFits(const QFont& font, const QString& text, int room);
/// As QPainter::drawText() does it.
void drawKnownText(QPainter& painter, const QRectF& rect, Qt::Alignment where, const QString& text);

} // namespace tilescope::ui
