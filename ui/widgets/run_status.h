// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <QColor>
#include <QString>

namespace tilescope::ui {

struct Theme;

/// How a run stands, as all views write and colour it.
QString statusText(profile::RunStatus status);
QColor statusColor(const Theme& theme, profile::RunStatus status);

/// A heading: the run's name and a coloured dot with `text`, as rich text.
QString headingText(const QString& name, const QString& text, const QColor& color);

} // namespace tilescope::ui
