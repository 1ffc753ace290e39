// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/view_action.h"

#include "ui/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QShortcut>
#include <QTabWidget>
#include <QWidget>
#include <utility>

namespace tilescope::ui {

QAction* addViewAction(QWidget* view, const QString& text, const QString& icon, const QKeySequence& key,
                       const QString& tip, std::function<void()> done) {
    QAction* action = addKeyAction(view, text, key, std::move(done));
    action->setIcon(themeIcon(icon));
    action->setToolTip(tip);
    action->setStatusTip(tip);
    action->setObjectName(icon);
    return action;
}

QAction* addKeyAction(QWidget* part, const QString& text, const QKeySequence& key,
                      std::function<void()> done) {
    auto* action = new QAction(text, part);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    if (done)
        QObject::connect(action, &QAction::triggered, part, std::move(done));
    part->addAction(action);
    return action;
}

void addTabKeys(QWidget* view, QTabWidget* tabs) {
    for (const auto& [key, by] : {std::pair(Qt::Key_PageDown, 1), std::pair(Qt::Key_PageUp, -1)}) {
        auto* shortcut =
            new QShortcut(Qt::CTRL | key, view, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        QObject::connect(shortcut, &QShortcut::activated, tabs, [tabs, by = by] {
            const bool within = tabs->currentWidget()->isAncestorOf(QApplication::focusWidget());
            showTabBeside(*tabs, by);
            if (within)
                tabs->currentWidget()->setFocus();
        });
    }
}

} // namespace tilescope::ui
