// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/view_action.h"

#include "ui/theme/theme.h"

#include <QAction>
#include <QWidget>

namespace tilescope::ui {

QAction* addViewAction(QWidget* view, const QString& text, const QString& icon, const QKeySequence& key,
                       const QString& tip, std::function<void()> done) {
    auto* action = new QAction(themeIcon(icon), text, view);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setToolTip(tip);
    action->setStatusTip(tip);
    action->setObjectName(icon);
    QObject::connect(action, &QAction::triggered, view, std::move(done));
    view->addAction(action);
    return action;
}

} // namespace tilescope::ui
