// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QString>
#include <QtGlobal>

namespace tilescope::ui {

class MainWindow;

/// How long a window may take until it shows what it was asked for: the passes of a large run take long.
inline constexpr qint64 grab_patience_ms = 120'000;

/// Lets the window work until no query is open, the view asks none, and what was asked is painted. False: it
/// had not come to rest by then.
bool settle(const MainWindow& window, qint64 patience_ms = grab_patience_ms);

/// Saves each view as FOLDER/VIEW.png. Errors: System, where one cannot be written, or where views had not
/// come to rest: their pictures show how far they were.
Result<void> grabViews(MainWindow& window, const QString& folder, qint64 patience_ms = grab_patience_ms);

} // namespace tilescope::ui
