// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChar>
#include <QList>

class QWidget;

namespace tilescope::ui {

class View;

/// A view and its place in the rail.
struct ViewPlace {
    View* view = nullptr;
    QChar letter;  ///< G and then this shows it
    int group = 0; ///< of views that belong together; a gap parts it from the next
};

/// Every view of the window, in the order of the rail.
QList<ViewPlace> allViews(QWidget* parent);

} // namespace tilescope::ui
