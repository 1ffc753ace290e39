// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <functional>

class QAction;
class QWidget;

namespace tilescope::ui {

class View;

/// What a view can be told to do, by itself or by one of its parts.
struct ViewAction {
    QAction* action = nullptr;
    QWidget* part = nullptr; ///< that it is of; the view itself: of the whole
    QString name;            ///< "Sort by name"; where several parts have it, "Layers: Copy rows"
};

/// All of a view, those of its tool bar first, each once, and the presses of its buttons. Menus are none of
/// its parts.
QList<ViewAction> actionsOf(View& view);

/// Gives a view that has no export of its own Ctrl+E, which saves a picture of the chart that has the focus,
/// or of the whole view. What that key does in it.
QAction* addPictureKey(View& view);

/// Whether a part can be brought to the front and told something: it is not disabled, and neither it nor what
/// holds it is hidden, but for tabs.
bool canBeUsed(const View& view, const QWidget& part);

/// To the front within its view, with the tabs that it is in, and with the focus.
void bringToFront(const View& view, QWidget& part);

/// Calls `done` once the view has read its file, unless another is shown before.
void whenRead(View& view, const std::function<void()>& done);

} // namespace tilescope::ui
