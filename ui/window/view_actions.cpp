// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_actions.h"

#include "ui/session/view.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/told_keys.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QApplication>
#include <QHash>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QWidget>
#include <algorithm>

namespace tilescope::ui {
namespace {

/// The tabs of the pages that a widget is one of; null: it is none.
QTabBar* tabsOf(const QWidget& page) {
    const auto* pages = qobject_cast<QStackedWidget*>(page.parentWidget());
    auto* tabs = pages == nullptr || pages->parentWidget() == nullptr
                     ? nullptr
                     : pages->parentWidget()->findChild<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
    return tabs != nullptr && tabs->count() == pages->count() ? tabs : nullptr;
}

int indexOf(const QWidget& page) {
    return static_cast<const QStackedWidget*>(page.parentWidget())->indexOf(&page);
}

/// A part by its title, by the tab that it is in, without how many rows that holds now, or by what it is for
/// screen readers and in the overview of keys; "": it has none.
QString nameOf(const QWidget& part, const View& view) {
    for (const QWidget* at = &part; at != &view && at != nullptr; at = at->parentWidget()) {
        if (QString title = titleOf(*at); !title.isEmpty())
            return title;
        if (const QTabBar* tabs = tabsOf(*at)) {
            static const QRegularExpression count(QStringLiteral(" [0-9,]+$"));
            return tabs->tabText(indexOf(*at)).remove(QLatin1Char('&')).remove(count);
        }
    }
    const QString told = toldKeys(part).name;
    return told.isEmpty() ? part.accessibleName() : told;
}

QString nameOf(const QPushButton& button) {
    QString name = button.accessibleName().isEmpty() ? button.text() : button.accessibleName();
    return name.remove(QLatin1Char('&'));
}

/// An action that presses a button, unless it stands for one.
void givePress(QPushButton& button) {
    static const QString name = QStringLiteral("press");
    auto* press = button.findChild<QAction*>(name, Qt::FindDirectChildrenOnly);
    if (press == nullptr) {
        if (!button.actions().isEmpty())
            return;
        press = new QAction(&button);
        press->setObjectName(name);
        QObject::connect(press, &QAction::triggered, &button, &QPushButton::click);
        button.addAction(press);
    }
    press->setText(nameOf(button));
    press->setToolTip(button.toolTip().isEmpty() ? press->text() : button.toolTip());
}

QList<ViewAction> found(View& view) {
    QList<ViewAction> all;
    QSet<const QAction*> known;
    const auto take = [&](QWidget* part, const QList<QAction*>& actions) {
        for (QAction* action : actions)
            if (!known.contains(action) && !action->isSeparator() && !action->text().isEmpty()) {
                known.insert(action);
                all << ViewAction{action, part, action->text().remove(QLatin1Char('&'))};
            }
    };
    take(&view, view.viewActions());
    take(&view, view.actions());
    const auto has = [&all](const QString& name) {
        return std::any_of(all.begin(), all.end(), [&](const ViewAction& each) { return each.name == name; });
    };
    for (QPushButton* button : view.findChildren<QPushButton*>())
        if (button->window() == view.window() && !has(nameOf(*button))) // else the two do the same
            givePress(*button);
    for (QWidget* part : view.findChildren<QWidget*>())
        if (part->window() == view.window())
            take(part, part->actions());
    return all;
}

bool isHiddenByHand(const QWidget& widget) {
    return widget.isHidden() && widget.testAttribute(Qt::WA_WState_ExplicitShowHide);
}

} // namespace

QList<ViewAction> actionsOf(View& view) {
    QList<ViewAction> all = found(view);
    QHash<QString, int> count;
    for (const ViewAction& each : all)
        ++count[each.name];
    QHash<QString, int> taken;
    for (ViewAction& each : all) {
        if (each.part != &view && count[each.name] > 1)
            if (const QString part = nameOf(*each.part, view); !part.isEmpty())
                each.name = QStringLiteral("%1: %2").arg(part, each.name);
        if (const int before = taken[each.name]++; before > 0)
            each.name += QStringLiteral(" (%1)").arg(before + 1);
    }
    return all;
}

QAction* addPictureKey(View& view) {
    const QKeySequence key(Qt::CTRL | Qt::Key_E);
    for (const ViewAction& each : actionsOf(view))
        if (each.action->shortcuts().contains(key))
            return each.action;
    return addKeyAction(&view, View::tr("Save picture…"), key, [&view] {
        for (QWidget* at = QApplication::focusWidget(); view.isAncestorOf(at); at = at->parentWidget())
            if (const QString title = titleOf(*at); !title.isEmpty())
                return savePictureAs(*at, title);
        savePictureAs(view, view.title());
    });
}

bool canBeUsed(const View& view, const QWidget& part) {
    if (!part.isEnabledTo(&view))
        return false;
    for (const QWidget* at = &part; at != &view && at != nullptr; at = at->parentWidget()) {
        const QTabBar* tabs = tabsOf(*at); // which show and hide their pages
        if (tabs == nullptr ? isHiddenByHand(*at) : !tabs->isTabVisible(indexOf(*at)))
            return false;
    }
    return true;
}

void bringToFront(const View& view, QWidget& part) {
    for (QWidget* at = &part; at != &view && at != nullptr; at = at->parentWidget())
        if (QTabBar* tabs = tabsOf(*at))
            tabs->setCurrentIndex(indexOf(*at));
    QList<QWidget*> takers{&part};
    if (&part != &view) // of a table its rows
        takers += part.findChildren<QWidget*>();
    for (QWidget* taker : takers)
        if (taker->isVisible() && taker->focusPolicy() != Qt::NoFocus &&
            qobject_cast<QLineEdit*>(taker) == nullptr)
            return taker->setFocus(Qt::ShortcutFocusReason);
}

void whenRead(View& view, const std::function<void()>& done) {
    if (!view.firstReading())
        return done();
    constexpr int every_ms = 15;
    auto* look = new QTimer(&view);
    QObject::connect(look, &QTimer::timeout, &view, [&view, look, done] {
        if (view.isVisible() && view.firstReading())
            return;
        look->stop();
        look->deleteLater();
        if (view.isVisible())
            done();
    });
    look->start(every_ms);
}

} // namespace tilescope::ui
