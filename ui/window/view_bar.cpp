// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_bar.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolBar>
#include <QToolButton>

namespace tilescope::ui {

RestOfBar::RestOfBar(QToolBar* bar) : QObject(bar), bar_(bar) {
    auto* last = bar->findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"));
    if (last == nullptr)
        return;
    last->setAccessibleName(tr("More commands of the view"));
    last->setToolTip(last->accessibleName());
    last->setIcon(themeIcon(QStringLiteral("down"))); // that of the style is black in the dark, too
    last->installEventFilter(this);
}

/// Instead of a second row of buttons.
bool RestOfBar::eventFilter(QObject* of, QEvent* event) {
    const bool press = event->type() == QEvent::MouseButtonPress &&
                       static_cast<const QMouseEvent*>(event)->button() == Qt::LeftButton;
    const bool release = event->type() == QEvent::MouseButtonRelease;
    if (press)
        showMenu();
    return press || release || QObject::eventFilter(of, event);
}

void RestOfBar::showMenu() {
    auto* menu = new QMenu(bar_);
    menu->setObjectName(QStringLiteral("restOfBar"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (QAction* action : bar_->actions())
        if (const QWidget* button = bar_->widgetForAction(action);
            button != nullptr && !button->isVisible() && action->isVisible() && !action->text().isEmpty())
            menu->addAction(action);
    const auto* last = bar_->findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"));
    menu->popup(last->mapToGlobal(last->rect().bottomLeft()));
}

} // namespace tilescope::ui
