// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

class QWidget;

namespace tilescope::ui {

class View;

/// Every view of the window, in the order of the rail.
QList<View*> allViews(QWidget* parent);

} // namespace tilescope::ui
