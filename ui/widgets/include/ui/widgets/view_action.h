// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QString>
#include <functional>

class QAction;
class QTabWidget;
class QWidget;

namespace tilescope::ui {

/// Gives a view an action of its tool bar. `icon` is a name of the theme and names the action; the key works
/// while the view or something in it has the focus; `tip` says what it does, with its key.
QAction* addViewAction(QWidget* view, const QString& text, const QString& icon, const QKeySequence& key,
                       const QString& tip, std::function<void()> done);

/// Gives a view, or a part of it, an action that stands in no tool bar: the key works while that, or
/// something in it, has the focus. `done` may be empty.
QAction* addKeyAction(QWidget* part, const QString& text, const QKeySequence& key,
                      std::function<void()> done);

/// Shows the tab behind the current one, or before it (`by` = 1, -1), round and round; hidden ones are
/// passed.
template<class Tabs>
void showTabBeside(Tabs& tabs, int by) {
    int tab = tabs.currentIndex();
    for (int i = 0; i < tabs.count(); ++i) {
        tab = (tab + by + tabs.count()) % tabs.count();
        if (tabs.isTabVisible(tab))
            return tabs.setCurrentIndex(tab);
    }
}

/// Ctrl+PageDown and Ctrl+PageUp in a view show the next of its tabs and the one before (showTabBeside); what
/// has the focus keeps it, unless it was in the tab that goes.
void addTabKeys(QWidget* view, QTabWidget* tabs);

/// Shows a tab or hides it; wheel and arrows, which Qt lets go to tabs that are hidden but enabled, do not
/// reach a hidden one. (setCurrentIndex() does: see showTabBeside.)
template<class Tabs>
void setTabShown(Tabs& tabs, int index, bool shown) {
    tabs.setTabVisible(index, shown);
    tabs.setTabEnabled(index, shown);
}

} // namespace tilescope::ui
