// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace tilescope::ui {

/// The wheel over a field of a page that scrolls moves the page, unless one is at work in that field: else it
/// would change what happens to come below the pointer.
void leaveWheelToPage(QWidget& page);

} // namespace tilescope::ui
