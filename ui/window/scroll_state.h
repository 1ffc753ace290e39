// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPoint>

class QWidget;

namespace tilescope::ui {

/// How far the lists, tables and pages of a view are scrolled, in the order of its parts.
using ScrollState = QList<QPoint>;
ScrollState scrollOf(const QWidget& view);
/// Back to that; a part that has less to scroll by now goes to its end.
void setScroll(const QWidget& view, const ScrollState& state);

} // namespace tilescope::ui
