// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QApplication;

namespace tilescope::ui {

/// From now on a ring shows where the focus is, on what neither paints one by itself nor gets one by the
/// style sheet: tables, trees and lists, texts, tabs, choosers, numbers and boxes to check.
void ringFocus(QApplication& application);

} // namespace tilescope::ui
