// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QApplication;

namespace tilescope::ui {

/// How the user wants text: the settings remember it.
inline constexpr int least_font_percent = 80;
inline constexpr int most_font_percent = 200;
int rememberedFontPercent();    ///< of the size that the desktop has
QString rememberedFontFamily(); ///< "": the program's own, else the desktop's

/// Of all that is shown, and of what is shown later. What has a family of its own, such as SQL, keeps it.
/// A family that is not there stands for the usual one.
void applyFont(QApplication& application, const QString& family, int percent);
/// Applies it and remembers it.
void rememberFont(QApplication& application, const QString& family, int percent);
/// The same for what is remembered; the first time, the font that there is by then is the usual one.
void applyRememberedFont(QApplication& application);

/// The user wants nothing to move by itself: what is shown next is there at once.
bool motionReduced();
void setMotionReduced(bool reduced); ///< and remembers it

} // namespace tilescope::ui
