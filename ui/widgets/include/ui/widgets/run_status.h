// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <QIcon>
#include <QString>

namespace tilescope::ui {

/// How a run stands, as all views write and colour it.
QString statusText(profile::RunStatus status);
QString statusColor(profile::RunStatus status); ///< its role for a ThemedLabel, "@good"
QIcon statusIcon(profile::RunStatus status);    ///< a dot of that colour
/// Of a run that is being compiled: "pass 4 of 12, 37.5 % of its work", where that is known.
QString passText(const profile::ProgressRecord& progress);

/// A heading: the run's name and a coloured dot with `text`, as rich text.
QString headingText(const QString& name, const QString& text, const QString& color);

} // namespace tilescope::ui
