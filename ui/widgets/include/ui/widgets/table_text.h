// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace tilescope::ui {

/// One line of a table as text: cells parted by `separator`, quoted where they hold it and it is a comma
/// (CSV).
QString tableLine(const QStringList& cells, QChar separator);

} // namespace tilescope::ui
