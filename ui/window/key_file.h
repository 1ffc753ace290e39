// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QString>
#include <QStringList>

namespace tilescope::ui {

class KeyBindings;

/// The keys that the user has given commands, as a file for another machine or person:
/// {"tilescope_keys": {"Program: Expand all": "Ctrl+E", "Insights": ""}}; "" takes them away.
Result<void> writeKeys(const QString& path, const KeyBindings& keys);
/// Takes them in place of what the user has given before; which commands of the file are not known here. With
/// a file that is no such, nothing changes.
Result<QStringList> readKeys(const QString& path, KeyBindings& keys);

} // namespace tilescope::ui
