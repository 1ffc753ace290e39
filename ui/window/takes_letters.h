// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace tilescope::ui {

/// Whether letters are what is written there, rather than keys of commands.
bool takesLetters(const QWidget* focus);

} // namespace tilescope::ui
