// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tilescope::ui {

/// "42.7 %", "12 samples/s" and "steps 1–256" so that no line ends within them, where text is shown and not
/// copied.
QString keepFiguresWhole(QString plain);
/// The same in what a person reads of rich text, and not in its tags.
QString keepFiguresWholeInHtml(const QString& html);

} // namespace tilescope::ui
