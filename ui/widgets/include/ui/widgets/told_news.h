// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QString;

namespace tilescope::ui {

/// Says in a label what has come of what was asked, as "12 hits", and to screen readers, wherever the focus
/// is.
void tellNews(QLabel& label, const QString& text);

} // namespace tilescope::ui
