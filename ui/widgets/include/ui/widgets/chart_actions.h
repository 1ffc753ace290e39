// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace tilescope::ui {

/// Gives a chart the context menu that all charts have: copy its picture, copy its figures (tab-separated),
/// export them as CSV. `text` writes the figures, cells parted by the separator, with a header.
void addChartActions(QWidget* chart, const QString& title, std::function<QString(QChar separator)> text);

} // namespace tilescope::ui
